import Cryptography

/// A public key whose signatures are accepted.
public struct TrustedKey: Sendable, Hashable {
    public let name: String
    /// x‖y, each byte-reversed, as Nordic's tools print a key: 64 bytes.
    public let coordinates: [UInt8]

    public init(name: String, coordinates: [UInt8]) throws {
        self.init(name: name, checked: coordinates)
        _ = try checked(point)
    }

    /// A public key in PEM form (`PUBLIC KEY`), or the public half of a private one.
    public init(name: String, pem: [UInt8]) throws {
        guard let key = P256.PublicKey(pem: pem) ?? P256.PrivateKey(pem: pem)?.publicKey else {
            throw DFUError.package(.keyInvalid(name: name, reason: "it holds no P-256 key in PEM form"))
        }
        self.init(name: name, checked: NordicByteOrder.swapped(key.point))
    }

    init(name: String, checked coordinates: [UInt8]) { (self.name, self.coordinates) = (name, coordinates) }

    /// Its private half is published, so it proves integrity, not origin.
    public static let monocleVendor = TrustedKey(
        name: "Brilliant Labs Monocle",
        checked: [
            0xED, 0x7C, 0x3D, 0x22, 0x4D, 0x5C, 0x7B, 0x9C, 0x25, 0xD7, 0x0D, 0x3E, 0x63, 0xAA, 0x2F, 0x26,
            0x3C, 0x6A, 0xF2, 0xBF, 0xD1, 0x0A, 0x75, 0x67, 0x08, 0xAE, 0xC1, 0xD1, 0x38, 0x87, 0xFD, 0x89,
            0xA4, 0x1D, 0xA8, 0x50, 0x1D, 0x2D, 0xB1, 0x99, 0xC8, 0x70, 0xA6, 0xFB, 0x00, 0x4C, 0x95, 0x95,
            0x36, 0xA3, 0x43, 0xDF, 0xF8, 0xC7, 0x4C, 0xEB, 0xEE, 0xCC, 0xAF, 0xF5, 0x0E, 0xCA, 0x0D, 0x0F,
        ])

    /// From the released bootloader v23.352.1005. Its private half is published too.
    public static let frameVendor = TrustedKey(
        name: "Brilliant Labs Frame",
        checked: [
            0x0A, 0x1A, 0xDB, 0x6D, 0x3A, 0x87, 0x73, 0x22, 0xFB, 0x2A, 0xA3, 0x53, 0x06, 0xF1, 0xFD, 0x3E,
            0xAB, 0x51, 0x61, 0x37, 0x43, 0xF6, 0xA8, 0xFF, 0x23, 0x0C, 0x31, 0xF4, 0xD9, 0xF9, 0x57, 0x21,
            0x43, 0xAA, 0xED, 0xA3, 0x17, 0xB9, 0x78, 0x87, 0xD7, 0x6D, 0xB9, 0x16, 0xAE, 0x2C, 0xC4, 0x21,
            0xF5, 0x0F, 0x0D, 0xFC, 0xDC, 0xE9, 0x2C, 0xEC, 0x4A, 0x1C, 0x75, 0xFD, 0x30, 0x95, 0x9C, 0xA6,
        ])

    public static let vendors = [monocleVendor, frameVendor]

    /// Anybody can sign with the vendor's.
    public var provesOrigin: Bool { !Self.vendors.contains { $0.coordinates == coordinates } }

    public func pem() throws -> String { try checked(point?.pem) }

    /// - Parameter signature: r‖s, each byte-reversed, 64 bytes.
    public func verifies(_ signature: [UInt8], over message: [UInt8]) -> Bool {
        point?.verifies(NordicByteOrder.swapped(signature), over: message) ?? false
    }

    private var point: P256.PublicKey? { P256.PublicKey(point: NordicByteOrder.swapped(coordinates)) }

    private func checked<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw DFUError.package(.keyInvalid(name: name, reason: "its coordinates are no point of P-256")) }
        return value
    }
}
