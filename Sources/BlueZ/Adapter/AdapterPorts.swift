import Foundation

/// The machine's adapters as the kernel shows them, and their USB ports, which the links `/sys/class/bluetooth/hciN/device` tell.
struct AdapterPorts: Sendable, Hashable {
    var folder = "/sys/class/bluetooth"

    /// - Returns: `nil` for an adapter that is not on USB.
    func port(of kernelName: String) -> String? {
        let link = "\(folder)/\(kernelName)/device"
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link) else { return nil }
        return Self.port(in: target.split(separator: "/").last ?? "")
    }

    /// The kernel's names of all adapters, whatever bluetoothd makes of them. Links have entries beside them, such as `hci0:64`.
    var kernelNames: [String] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return entries.filter { $0.wholeMatch(of: /hci[0-9]{1,3}/) != nil }.sorted()
    }

    /// The port in the name of a USB device or of its interface, such as `1-1.4:1.0` (Linux, Documentation/driver-api/usb/usb.rst).
    static func port(in name: Substring) -> String? {
        guard let match = name.wholeMatch(of: /([0-9]{1,3}-[0-9]{1,3}(?:\.[0-9]{1,3}){0,6})(?::[0-9]{1,3}\.[0-9]{1,3})?/) else { return nil }
        return String(match.1)
    }
}
