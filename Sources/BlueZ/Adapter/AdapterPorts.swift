import Foundation

/// The USB ports of the machine's adapters, which the links `/sys/class/bluetooth/hciN/device` tell.
struct AdapterPorts: Sendable, Hashable {
    var folder = "/sys/class/bluetooth"

    /// - Returns: `nil` for an adapter that is not on USB.
    func port(of kernelName: String) -> String? {
        let link = "\(folder)/\(kernelName)/device"
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link) else { return nil }
        return Self.port(in: target.split(separator: "/").last ?? "")
    }

    /// The port in the name of a USB device or of its interface, such as `1-1.4:1.0` (Linux, Documentation/driver-api/usb/usb.rst).
    static func port(in name: Substring) -> String? {
        guard let match = name.wholeMatch(of: /([0-9]{1,3}-[0-9]{1,3}(?:\.[0-9]{1,3}){0,6})(?::[0-9]{1,3}\.[0-9]{1,3})?/) else { return nil }
        return String(match.1)
    }
}
