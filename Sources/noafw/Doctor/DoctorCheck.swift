import Bluetooth
import Support

struct DoctorCheck: Sendable, Hashable, Encodable {
    enum Status: String, Sendable, Encodable, CaseIterable { case ok, warn, fail }
    private enum CodingKeys: CodingKey { case name, status, detail, fix }

    var name: String
    var status: Status
    var detail: String
    /// The remedy; `nil` if none is needed.
    var fix: String?
    /// The exit code's class if this check fails.
    var category = Diagnosis.Category.unavailable

    func lines(_ style: TextStyle) -> [String] {
        let tone: TextStyle.Tone = switch status {
        case .ok: .good
        case .warn: .careful
        case .fail: .bad
        }
        let column = 24
        let sign = status.rawValue.padded(to: 4)
        let head = "  \(name.padded(to: 16))  \(UntrustedText.escape(detail))"
        let texts = [sign + head] + (fix.map { ["\(String(repeating: " ", count: column))fix: \($0)"] } ?? [])
        let lines = texts.flatMap { DisplayWidth.hang($0, lead: column, indent: column, columns: style.columns) }
        return [style.paint(sign, tone) + lines[0].dropFirst(sign.count)] + lines.dropFirst()
    }
}

struct DoctorDocument: Encodable, Sendable {
    let schema = "noafw.doctor/1"
    var verdict: DoctorCheck.Status
    var checks: [DoctorCheck]
    /// What to do first.
    var first: String?
    var error: Diagnosis?

    init(_ checks: [DoctorCheck], error: Diagnosis? = nil) {
        let found = checks.map(\.status)
        verdict = error != nil || found.contains(.fail) ? .fail : found.contains(.warn) ? .warn : .ok
        (self.checks, self.error) = (checks, error)
        first = error == nil ? DoctorAdvice(checks).first : nil
    }
}


extension DoctorCheck {
    /// Judges the facts without I/O.
    static func all(_ facts: DoctorFacts) -> [DoctorCheck] {
        bluetooth(facts.bluetooth) + [state(facts), catalogue(facts)] + facts.interpreters.map(interpreter) + [luac(facts.luac)]
    }

    static func failure(_ name: String, _ error: Diagnosis, _ addition: String = "") -> DoctorCheck {
        DoctorCheck(name: name, status: .fail, detail: error.message + addition, fix: error.remedy, category: error.category)
    }

    private static func state(_ facts: DoctorFacts) -> DoctorCheck {
        switch facts.state {
        case .failure(let finding): return failure("state", finding.diagnosis)
        case .success(let disk):
            let isShort = disk.freeBytes < 100_000_000
            return DoctorCheck(
                name: "state", status: isShort ? .warn : .ok,
                detail: "\(disk.folder), \(disk.freeBytes / 1_000_000) MB free",
                fix: isShort ? "free some disk space, or set NOAFW_STATE_DIR to another folder" : nil)
        }
    }

    private static func catalogue(_ facts: DoctorFacts) -> DoctorCheck {
        switch facts.catalogue {
        case .failure(let finding): return failure("catalogue", finding.diagnosis)
        case .success(let catalogue):
            return DoctorCheck(
                name: "catalogue", status: catalogue.isDevelopment ? .warn : .ok, detail: catalogue.description,
                fix: catalogue.isDevelopment
                    ? "run: noafw assets fetch monocle (or frame); development images are for virtual units" : nil)
        }
    }

    private static func interpreter(_ found: DoctorFacts.Interpreter) -> DoctorCheck {
        let name = "virtual-\(found.name)"
        let fix = "install noafw-virtual, in a checkout run Tools/setup runtime, or set NOAFW_PYTHON"
        guard found.isNeeded else { return DoctorCheck(name: name, status: .ok, detail: "needs no interpreter") }
        guard let path = found.path else {
            return DoctorCheck(name: name, status: .warn, detail: "no interpreter: a virtual \(found.name) cannot run", fix: fix)
        }
        guard let version = found.version else {
            return DoctorCheck(name: name, status: .warn, detail: "\(path) does not run: a virtual \(found.name) cannot run", fix: fix)
        }
        return DoctorCheck(name: name, status: .ok, detail: "\(version) in \(path)")
    }

    private static func luac(_ found: DoctorFacts.Interpreter) -> DoctorCheck {
        guard let version = found.version else {
            return DoctorCheck(
                name: "luac", status: .warn, detail: "none: noafw bundle cannot check scripts in Lua",
                fix: "apt-get install lua5.4")
        }
        return DoctorCheck(name: "luac", status: .ok, detail: "\(version), \(found.path ?? "")")
    }
}
