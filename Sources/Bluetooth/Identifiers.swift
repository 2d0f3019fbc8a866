/// A Bluetooth device address: six octets, most significant first, as it is printed.
public struct DeviceAddress: Hashable, Sendable, CustomStringConvertible {
    public let octets: [UInt8]

    /// - Parameter octets: exactly six octets, most significant first; `nil` for any other count.
    public init?(octets: [UInt8]) {
        guard octets.count == 6 else { return nil }
        self.octets = octets
    }

    /// Parses `AA:BB:CC:DD:EE:FF`, upper or lower case.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let octets = parts.compactMap { $0.count == 2 && $0.allSatisfy(\.isHexDigit) ? UInt8($0, radix: 16) : nil }
        guard parts.count == 6, octets.count == 6 else { return nil }
        self.octets = octets
    }

    public var description: String {
        octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
    }

    /// The address a Nordic bootloader takes: the last octet plus one, wrapping from 0xFF to 0x00 without a carry
    /// (nRF5 SDK, `nrf_dfu_ble.c`).
    public var bootloader: DeviceAddress { replacingLast { $0 &+ 1 } }

    /// The application's address of a unit that is seen in its bootloader: the inverse of ``bootloader``.
    public var application: DeviceAddress { replacingLast { $0 &- 1 } }

    private func replacingLast(_ change: (UInt8) -> UInt8) -> DeviceAddress {
        var copy = octets
        copy[5] = change(copy[5])
        return DeviceAddress(checked: copy)
    }

    private init(checked octets: [UInt8]) { self.octets = octets }
}

/// A 128-bit attribute UUID in lower-case canonical form; 16-bit UUIDs are widened with the Bluetooth base UUID.
public struct AttributeID: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// - Parameter text: a canonical 128-bit UUID, or four hexadecimal digits of a 16-bit UUID.
    public init(_ text: String) {
        let lowered = text.lowercased()
        description = lowered.count == 4 ? "0000\(lowered)-0000-1000-8000-00805f9b34fb" : lowered
    }
}

/// One sighting of an advertising device.
public struct Advertisement: Hashable, Sendable {
    public var address: DeviceAddress
    /// The advertised local name: untrusted text.
    public var name: String?
    public var services: Set<AttributeID>
    /// Received signal strength in dBm, typically −30 (touching) to −100 (lost).
    public var rssi: Int

    public init(address: DeviceAddress, name: String?, services: Set<AttributeID>, rssi: Int) {
        self.address = address
        self.name = name
        self.services = services
        self.rssi = rssi
    }
}
