import Foundation
import OpenBotFamily
import Support
import Synchronization

/// A robot's reports and commands as files: OpenBot's own logs and a table.
///
/// OpenBot's training reads a folder `sensor_data` with one file per kind; each line after the header is a time in ns and values
/// (OpenBot, `policy/openbot/associate_frames.py`, `android/…/SensorService.java`).
final class RobotLogs: Sendable {
    private enum Kind: String, CaseIterable {
        case ctrlLog, voltageLog, sonarLog, wheelsLog, bumperLog, indicatorLog

        var header: String {
            switch self {
            case .ctrlLog: "timestamp[ns],leftCtrl,rightCtrl"
            case .voltageLog: "timestamp[ns],batteryVoltage"
            case .sonarLog: "timestamp[ns],distance[cm]"
            case .wheelsLog: "timestamp[ns],leftWheel,rightWheel"
            case .bumperLog: "timestamp[ns],bumper"
            case .indicatorLog: "timestamp[ns],signal"
            }
        }
    }

    private struct State {
        var lines: [Kind: String] = [:]
        var table = "seconds,kind,left,right\n"
        var lastDuties: Duties?
        var bytes = 0
    }

    /// A day at the usual intervals makes 60 MB.
    private static let limit = 256 << 20

    private let folder: NamedPath?
    private let csv: OutputPlace?
    private let clock: SessionClock
    private let begun: SessionClock.Instant
    /// Nanoseconds of the day at `begun`.
    private let epoch: Int64
    private let state = Mutex(State())

    /// - Throws: ``CommandError/outputNotWritten(path:reason:)`` if the files could not be written at the end.
    init(_ options: RobotLogOptions, context: CommandContext, clock: SessionClock) throws {
        folder = options.log.map { Self.folder($0, context) }
        csv = options.csv.map { OutputPlace(context.path($0)) }
        if let csv { try OutputFile.checkPlace(csv.path) }
        (self.clock, begun) = (clock, clock.now)
        epoch = Int64(context.date().timeIntervalSince1970 * 1000) * 1_000_000
        if let folder {
            try PrivateFile.makeFolder(folder.location)
            note(.indicatorLog, "0")
        }
    }

    static func folder(_ name: OutputName, _ context: CommandContext) -> NamedPath {
        NamedPath("\(context.path(name).location)/sensor_data", in: "/")
    }

    static func files(in folder: NamedPath) -> [NamedPath] {
        Kind.allCases.map { NamedPath("\(folder.location)/\($0.rawValue).txt", in: "/") }
    }

    func told(_ duties: Duties) {
        let isNew = state.withLock { state in
            defer { state.lastDuties = duties }
            return state.lastDuties != duties
        }
        if isNew { note(.ctrlLog, "\(duties.left),\(duties.right)", "duty") }
    }

    func take(_ message: RobotMessage) {
        switch message {
        case .voltage(let volts): note(.voltageLog, Format.plain(volts), "voltage")
        case .sonar(let centimetres): note(.sonarLog, "\(centimetres)", "sonar")
        case .wheels(let left, let right): note(.wheelsLog, "\(Format.plain(left)),\(Format.plain(right))", "wheels")
        case .bumper(let hit): note(.bumperLog, hit.code, "bumper")
        case .features, .unknown: break
        }
    }

    private func note(_ kind: Kind, _ values: String, _ name: String? = nil) {
        let passed = begun.duration(to: clock.now)
        state.withLock { state in
            guard state.bytes < Self.limit else { return }
            let line = "\(epoch + Int64(passed / .nanoseconds(1))),\(values)\n"
            if folder != nil { state.lines[kind, default: ""] += line }
            if csv != nil, let name {
                state.table += "\(Format.plain(passed.inSeconds)),\(name),\(values)\(values.contains(",") ? "" : ",")\n"
            }
            state.bytes += 2 * line.utf8.count
        }
    }

    /// - Throws: ``CommandError/outputNotWritten(path:reason:)``.
    func save() throws {
        let state = state.withLock(\.self)
        if let folder {
            for kind in Kind.allCases {
                let text = kind.header + "\n" + (state.lines[kind] ?? "")
                let file = "\(folder.location)/\(kind.rawValue).txt"
                do { try FileWriter.replace(file, with: Array(text.utf8)) } catch {
                    throw CommandError.outputNotWritten(path: file, reason: error.reason)
                }
            }
        }
        if let csv { try OutputFile.replace(csv, with: Array(state.table.utf8)) }
    }
}
