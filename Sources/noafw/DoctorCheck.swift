import Bluetooth

/// One line of `noafw doctor`.
struct DoctorCheck: Sendable, Hashable {
    enum Status: String, Sendable { case ok, warn, fail }

    var name: String
    var status: Status
    var detail: String
    /// What to do; `nil` where nothing is.
    var fix: String?
    /// The exit code's class when this check fails.
    var category = Diagnosis.Category.unavailable

    func lines(_ style: TextStyle) -> [String] {
        let tone: TextStyle.Tone = switch status {
        case .ok: .good
        case .warn: .careful
        case .fail: .bad
        }
        let head = "\(style.paint(status.rawValue.padded(to: 4), tone))  \(name.padded(to: 12))  \(UntrustedText.escape(detail))"
        return [head] + (fix.map { ["\(String(repeating: " ", count: 20))fix: \($0)"] } ?? [])
    }

    static func document(_ checks: [DoctorCheck]) -> JSONText {
        let worst: Status = checks.contains { $0.status == .fail } ? .fail : checks.contains { $0.status == .warn } ? .warn : .ok
        let list = checks.map { check in
            JSONText.object([
                ("name", .string(check.name)), ("status", .string(check.status.rawValue)),
                ("detail", .string(check.detail)), ("fix", .optional(check.fix)),
            ])
        }
        return .object([
            ("schema", .string("noafw.doctor/1")), ("verdict", .string(worst.rawValue)), ("checks", .array(list)),
        ])
    }
}

// MARK: - From facts to checks

extension DoctorCheck {
    /// A pure function of what was found.
    static func all(_ facts: DoctorFacts) -> [DoctorCheck] {
        bluetooth(facts.bluetooth) + [state(facts), catalogue(facts), interpreter(facts)]
    }

    private static func bluetooth(_ result: Result<DoctorFacts.Bluetooth, DoctorFacts.Trouble>) -> [DoctorCheck] {
        switch result {
        case .failure(let trouble):
            let error = trouble.diagnosis
            return [DoctorCheck(name: "bluetooth", status: .fail, detail: error.message, fix: error.remedy, category: error.category)]
        case .success(let found):
            return [bluetoothd(found), adapter(found), rfkill(found), link(found), clients(found)]
        }
    }

    /// 5.62 brought the MTU property, which tells the payload before the first write.
    private static func bluetoothd(_ found: DoctorFacts.Bluetooth) -> DoctorCheck {
        let process = found.processID.map { ", process \($0)" } ?? ""
        guard let version = found.version else {
            return DoctorCheck(name: "bluetoothd", status: .ok, detail: "running, version unknown\(process)")
        }
        let parts = version.split(separator: ".").compactMap { Int($0) }
        let isOld = parts.count >= 2 && (parts[0], parts[1]) < (5, 62)
        return DoctorCheck(
            name: "bluetoothd", status: isOld ? .warn : .ok, detail: "\(version), running\(process)",
            fix: isOld ? "update BlueZ to 5.62 or newer: older ones do not tell the MTU" : nil)
    }

    private static func adapter(_ found: DoctorFacts.Bluetooth) -> DoctorCheck {
        guard let adapter = found.adapters.first(where: { found.wanted == nil || $0.name == found.wanted }) else {
            let names = found.adapters.map(\.name).joined(separator: ", ")
            return DoctorCheck(
                name: "adapter", status: .fail, detail: names.isEmpty ? "none" : "no \(found.wanted ?? ""); there is \(names)",
                fix: names.isEmpty ? "plug in a Bluetooth adapter; bluetoothctl list shows what BlueZ sees" : "give one of them to --adapter")
        }
        let others = found.adapters.count > 1 && found.wanted == nil ? "; \(found.adapters.count) adapters, --adapter chooses" : ""
        return DoctorCheck(
            name: "adapter", status: adapter.isPowered ? .ok : .fail,
            detail: "\(adapter.name) \(adapter.address), \(adapter.isPowered ? "powered" : "off")\(others)",
            fix: adapter.isPowered ? nil : "bluetoothctl power on (if it says blocked: rfkill unblock bluetooth)")
    }

    private static func rfkill(_ found: DoctorFacts.Bluetooth) -> DoctorCheck {
        guard let block = found.rfkillBlocked.first else {
            return DoctorCheck(name: "rfkill", status: .ok, detail: "not blocked")
        }
        return DoctorCheck(
            name: "rfkill", status: .fail, detail: block, fix: "rfkill unblock bluetooth (a hard block is a switch of the machine)")
    }

    private static func link(_ found: DoctorFacts.Bluetooth) -> DoctorCheck {
        let interval = found.connectionInterval ?? "the kernel shows no interval here (debugfs needs root)"
        return DoctorCheck(name: "link", status: .ok, detail: "\(interval); MTU \(found.mtu ?? "agreed when connecting")")
    }

    private static func clients(_ found: DoctorFacts.Bluetooth) -> DoctorCheck {
        let isBusy = found.adapters.contains(where: \.isDiscovering)
        let links = found.connected
        guard isBusy || !links.isEmpty else { return DoctorCheck(name: "clients", status: .ok, detail: "nobody else uses the adapter") }
        let what = (isBusy ? ["another program is scanning"] : []) + links.map { "connected: \($0)" }
        return DoctorCheck(
            name: "clients", status: .warn, detail: what.joined(separator: ", "),
            fix: "close other Bluetooth programs, or bluetoothctl disconnect: two clients on one adapter fail in odd ways")
    }

    private static func state(_ facts: DoctorFacts) -> DoctorCheck {
        switch facts.state {
        case .failure(let trouble):
            let error = trouble.diagnosis
            return DoctorCheck(name: "state", status: .fail, detail: error.message, fix: error.remedy, category: error.category)
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
        case .failure(let trouble):
            let error = trouble.diagnosis
            return DoctorCheck(name: "catalogue", status: .fail, detail: error.message, fix: error.remedy, category: error.category)
        case .success(let catalogue):
            return DoctorCheck(
                name: "catalogue", status: catalogue.isDevelopment ? .warn : .ok, detail: catalogue.description,
                fix: catalogue.isDevelopment ? "add the vendor's released files (docs/assets.md): development images are for virtual units" : nil)
        }
    }

    private static func interpreter(_ facts: DoctorFacts) -> DoctorCheck {
        guard let path = facts.interpreter else {
            return DoctorCheck(
                name: "interpreter", status: .warn, detail: "none: virtual units cannot run",
                fix: "Tools/setup runtime, or set NOAFW_PYTHON")
        }
        return DoctorCheck(name: "interpreter", status: .ok, detail: path)
    }
}
