import Bluetooth
import Foundation

/// Which adapter is meant. An address and a port survive a restart of the machine, which may number its adapters anew.
public enum AdapterSelector: Hashable, Sendable, CustomStringConvertible {
    /// The kernel's name of the moment, such as `hci0`.
    case kernelName(String)
    case address(DeviceAddress)
    /// A place where an adapter is plugged in, as the kernel names it: the bus, then the port of each hub, such as `1-1.4`.
    case usbPort(String)

    private static let portPrefix = "usb:"

    /// - Parameter text: `hciN`, an address, or `usb:` and a port.
    public init?(_ text: String) {
        if text.wholeMatch(of: /hci[0-9]{1,3}/) != nil {
            self = .kernelName(text)
        } else if let address = DeviceAddress(text) {
            self = .address(address)
        } else if text.hasPrefix(Self.portPrefix), let port = AdapterPorts.port(in: text.dropFirst(Self.portPrefix.count)) {
            self = .usbPort(port)
        } else {
            return nil
        }
    }

    public var description: String {
        switch self {
        case .kernelName(let name): name
        case .address(let address): address.description
        case .usbPort(let port): Self.portPrefix + port
        }
    }
}

/// The machine's adapters as the kernel shows them. The links `/sys/class/bluetooth/hciN/device` name their USB ports.
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
