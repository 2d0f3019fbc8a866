import Bluetooth

/// Which adapter is meant. An address and a port survive a restart of the machine, which may number its adapters anew.
public enum AdapterSelector: Hashable, Sendable {
    /// The kernel's name of the moment, such as `hci0`.
    case kernelName(String)
    case address(DeviceAddress)
    /// A place where an adapter is plugged in, as the kernel names it: the bus, then the port of each hub, such as `1-1.4`.
    case usbPort(String)
}

extension AdapterSelector: CustomStringConvertible {
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
