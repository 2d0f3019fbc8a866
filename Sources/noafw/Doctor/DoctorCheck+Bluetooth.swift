import BlueZ
import Bluetooth
import Support

extension DoctorCheck {
    /// Reports what does not depend on bluetoothd even if bluetoothd does not answer.
    static func bluetooth(_ found: DoctorFacts.Bluetooth) -> [DoctorCheck] {
        guard found.blockingError == nil else { return [bus(found), bluetoothd(found), rfkill(found)] }
        return [bus(found), bluetoothd(found), adapter(found), rfkill(found), link(found), clients(found), remembered(found)]
    }

    /// Whether this user can reach the bus and bluetoothd.
    private static func bus(_ found: DoctorFacts.Bluetooth) -> DoctorCheck {
        guard let error = found.blockingError?.diagnosis else {
            return DoctorCheck(name: "bus", status: .ok, detail: "this user may talk to bluetoothd")
        }
        if found.busIsBlocking { return failure("bus", error) }
        return DoctorCheck(name: "bus", status: .ok, detail: "this user may use the system bus")
    }

    /// 5.62 introduced the MTU property, which gives the payload size before the first write.
    private static func bluetoothd(_ found: DoctorFacts.Bluetooth) -> DoctorCheck {
        if let error = found.blockingError?.diagnosis {
            let installed = found.version.map { " (\($0) is installed)" } ?? ""
            guard found.busIsBlocking else { return failure("bluetoothd", error, installed) }
            return DoctorCheck(
                name: "bluetoothd", status: .warn, detail: "not checked" + installed, fix: "solve the D-Bus problem above first")
        }
        let process = found.processID.map { ", process \($0)" } ?? ""
        guard let version = found.version else {
            return DoctorCheck(name: "bluetoothd", status: .ok, detail: "running, version unknown\(process)")
        }
        let parts = version.split(separator: ".").compactMap { Int($0) }
        let isOld = parts.count >= 2 && (parts[0], parts[1]) < (5, 62)
        return DoctorCheck(
            name: "bluetoothd", status: isOld ? .warn : .ok, detail: "\(version), running\(process)",
            fix: isOld ? "update BlueZ to 5.62 or newer: older versions do not report the MTU" : nil)
    }

    private static func adapter(_ found: DoctorFacts.Bluetooth) -> DoctorCheck {
        guard let adapter = found.chosen else {
            let names = found.adapters.map(\.name).joined(separator: ", ")
            return DoctorCheck(
                name: "adapter", status: .fail, detail: names.isEmpty ? "none" : "no \(found.wanted ?? ""); there is \(names)",
                fix: names.isEmpty
                    ? "plug in a Bluetooth adapter; bluetoothctl list shows what BlueZ sees" : "name one of them with --adapter")
        }
        guard adapter.twins.isEmpty else {
            return failure(
                "adapter", BlueZError.adaptersShareAddress(([adapter.name] + adapter.twins).sorted().joined(separator: ", ")).diagnosis)
        }
        let others = found.adapters.count > 1 && found.wanted == nil ? "; \(found.adapters.count) adapters, choose with --adapter" : ""
        let hidden = found.hidden.isEmpty ? "" : "; bluetoothd does not show \(found.hidden.joined(separator: ", "))"
        let isFine = adapter.isPowered && hidden.isEmpty
        return DoctorCheck(
            name: "adapter", status: !adapter.isPowered ? .fail : isFine ? .ok : .warn,
            detail: "\(adapter.name) \(adapter.address), \(adapter.usbPort.map { "usb:\($0), " } ?? "")"
                + "\(adapter.isPowered ? "powered" : "off")\(others)\(hidden)",
            fix: !adapter.isPowered ? "bluetoothctl power on (if it says blocked: rfkill unblock bluetooth)"
                : isFine ? nil : BlueZError.adapterNotShown(found.hidden[0]).diagnosis.remedy)
    }

    private static func rfkill(_ found: DoctorFacts.Bluetooth) -> DoctorCheck {
        guard !found.blocks.isEmpty else { return DoctorCheck(name: "rfkill", status: .ok, detail: "not blocked") }
        let stopping = found.blocks.filter { found.isStopped(by: $0) }
        let switches = (stopping.isEmpty ? found.blocks : stopping).map { "\($0.name) is blocked \($0.by)" }.joined(separator: ", ")
        guard !stopping.isEmpty else {
            let adapter = found.chosen.map { "; \($0.name) is not" } ?? ""
            return DoctorCheck(
                name: "rfkill", status: .warn, detail: switches + adapter, fix: "none if intended, otherwise rfkill unblock bluetooth")
        }
        return DoctorCheck(
            name: "rfkill", status: .fail, detail: switches, fix: "rfkill unblock bluetooth (a hard block is a switch on the machine)")
    }

    /// Each link has its own MTU, and doctor makes no link.
    private static func link(_ found: DoctorFacts.Bluetooth) -> DoctorCheck {
        var parts: [String] = []
        if let version = found.kernel.version { parts.append("Bluetooth \(version)") }
        if let isLong = found.kernel.sendsLongPackets { parts.append(isLong ? "long packets" : "short packets only") }
        if let timing = found.kernel.timing {
            parts.append("interval \(Format.plain(timing.leastInterval))-\(Format.plain(timing.mostInterval)) ms")
            parts.append("supervision \(Format.plain(timing.supervision)) ms")
        } else if let supervision = found.settings.supervision {
            parts.append("supervision \(Format.plain(supervision)) ms by main.conf")
        }
        if parts.isEmpty { parts.append("not shown by the kernel (debugfs needs root)") }
        let isSlow = found.kernel.sendsLongPackets == false
        return DoctorCheck(
            name: "link", status: isSlow ? .warn : .ok,
            detail: "\(parts.joined(separator: ", "))\(advice(found)); the MTU is negotiated with each unit",
            fix: isSlow ? "use an adapter with Bluetooth 4.2 or newer for a faster flash (docs/hardware.md)" : nil)
    }

    /// A weak link on a line survives 2 s of silence, but not the 8 lost events of the kernel's 420 ms.
    private static let supervisionOfALine = 2000.0

    private static func advice(_ found: DoctorFacts.Bluetooth) -> String {
        guard let supervision = found.kernel.timing?.supervision ?? found.settings.supervision, supervision < supervisionOfALine else {
            return ""
        }
        return " (a line needs \(Format.plain(supervisionOfALine)) ms: docs/hardware.md)"
    }

    /// Every unit that was ever connected stays in bluetoothd's storage until it is removed.
    private static func remembered(_ found: DoctorFacts.Bluetooth) -> DoctorCheck {
        let count = found.chosen?.remembered ?? 0
        let isMany = count >= 500
        return DoctorCheck(
            name: "remembered", status: isMany ? .warn : .ok,
            detail: count == 0 ? "no unit without a bond" : "\(count) unit\(count == 1 ? "" : "s") without a bond",
            fix: isMany
                ? "make bluetoothd forget them: each slows its start and its lists (docs/hardware.md, After a line's run)" : nil)
    }

    private static func clients(_ found: DoctorFacts.Bluetooth) -> DoctorCheck {
        let isBusy = found.chosen?.isDiscovering ?? false
        let links = found.chosen?.connected ?? []
        guard isBusy || !links.isEmpty else { return DoctorCheck(name: "clients", status: .ok, detail: "nobody else uses the adapter") }
        let what = (isBusy ? ["another program is scanning"] : []) + links.map { "connected: \($0)" }
        return DoctorCheck(
            name: "clients", status: .warn, detail: what.joined(separator: ", "),
            fix: "close other Bluetooth programs, or bluetoothctl disconnect: two clients on one adapter fail in odd ways")
    }
}

extension DoctorFacts.Bluetooth {
    fileprivate var busIsBlocking: Bool {
        guard let blockingError else { return false }
        return !isBusReachable || blockingError.diagnosis.category == .permission
    }

    /// Whether a block stops the adapter that every verb would use.
    fileprivate func isStopped(by block: Block) -> Bool {
        let isAdapters = block.name.hasPrefix("hci")
        // The machine's own switch may belong to a different adapter.
        guard isAdapters else { return chosen?.isPowered != true }
        if let name = chosen?.name ?? wanted { return block.name == name }
        return !openSwitches.contains { $0.hasPrefix("hci") }
    }
}
