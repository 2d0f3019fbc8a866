import Support

/// A Bluetooth device address: six octets, most significant first, as printed.
public struct DeviceAddress: Hashable, Sendable, CustomStringConvertible {
    /// Always six.
    public private(set) var octets: [UInt8]

    /// - Returns: `nil` for any count but six.
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
        octets.map { HexText.encode([$0]).uppercased() }.joined(separator: ":")
    }

    /// The address of a Nordic bootloader: the last octet plus one, wrapping from 0xFF to 0x00 without a carry (nRF5 SDK,
    /// `nrf_dfu_ble.c`).
    public var bootloader: DeviceAddress { adding(1) }

    /// The inverse of ``bootloader``.
    public var application: DeviceAddress { adding(255) }

    private func adding(_ number: UInt8) -> DeviceAddress {
        var copy = self
        copy.octets[5] &+= number
        return copy
    }
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

/// A received advertisement.
public struct Advertisement: Hashable, Sendable {
    /// The sender's, which may be a private one.
    public var address: DeviceAddress
    /// The advertised local name: untrusted text.
    public var name: String?
    /// Those that the packets heard so far name.
    public var services: Set<AttributeID>
    /// Received signal strength in dBm, typically −30 (touching) to −100 (lost).
    public var rssi: Int

    /// As a central's implementation makes it.
    public init(address: DeviceAddress, name: String?, services: Set<AttributeID>, rssi: Int) {
        self.address = address
        self.name = name
        self.services = services
        self.rssi = rssi
    }
}
