import OpenBotFamily
import Provisioning
import Support

/// Describes a robot and its run.
enum RobotText {
    static func info(_ report: RobotReport, _ style: TextStyle) -> [String] {
        var lines = ["robot     \(UntrustedText.escape(report.identity.address.labelled))"]
        guard let features = report.features else { return lines }
        lines.append("body      \(features.body)")
        lines.append("features  \((features.known.map(\.words) + features.unknown.map { "\($0) (unknown)" }).joined(separator: ", "))")
        if let volts = report.voltage { lines.append("battery   \(battery(volts, features.limits))") }
        lines.append("firmware  its version cannot be read over Bluetooth")
        return lines
    }

    /// The same for `noafw info`.
    static func details(of session: RobotSession) async throws -> [UnitDetail] {
        guard let features = session.features else { throw RobotError.oldOrForeign }
        let known = features.known.map(\.words) + features.unknown.map { "\($0) (unknown)" }
        var details = [UnitDetail(name: "body", value: features.body), UnitDetail(name: "features", value: known.joined(separator: ", "))]
        if let volts = try await session.firstVoltage() {
            details.append(UnitDetail(name: "battery", value: battery(volts, features.limits)))
        }
        return details + [UnitDetail(name: "firmware", value: "its version cannot be read over Bluetooth")]
    }

    static func battery(_ volts: Double, _ limits: VoltageLimits?) -> String {
        let text = "\(Format.plain(volts)) V"
        guard let limits else { return text }
        return text + (volts < limits.low ? ", too low to drive (\(Format.plain(limits.low)) V)" : ", \(limits.percent(volts)) %")
    }

    static func sent(_ report: RobotReport, _ style: TextStyle) -> [String] {
        report.sent.map { sent in
            let state = sent.delivery == .proved ? style.paint("delivered", .good) : "sent"
            return "\(state)  \(sent.line.text)"
        }
    }

    static func stop(_ stop: RobotStop, _ style: TextStyle) -> String {
        let latency = stop.latency.map { " after \(Int($0.inSeconds * 1000)) ms" } ?? ""
        switch stop.delivery {
        case .proved?:
            let over = stop.isOverNewLink ? "over a new link; the dead-man acted before" : "the robot acknowledged it\(latency)"
            let rest = stop.isWhole ? "" : "; the dead-man is still on: switch the robot off and on before a phone drives it"
            return "\(style.paint("stop delivered", .good)): \(over)\(rest)"
        case .sent?:
            return "\(style.paint("stop sent", .careful)): the robot does not acknowledge writes"
        case nil:
            return "\(style.paint("stop NOT delivered", .bad)): "
                + "the dead-man stops the robot \(stop.deadManMilliseconds) ms after its last line; look at it"
        }
    }

    static func drive(_ report: RobotReport, _ style: TextStyle) -> [String] { report.stop.map { [stop($0, style)] } ?? [] }
}
