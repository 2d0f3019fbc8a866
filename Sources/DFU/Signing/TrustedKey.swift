import CCrypto

/// A public key whose signatures are accepted.
public struct TrustedKey: Sendable, Hashable {
    /// What an operator calls it.
    public let name: String
    /// x‖y, each byte-reversed, as Nordic's tools print a key: 64 bytes.
    public let coordinates: [UInt8]

    /// - Throws: ``PackageFault/keyInvalid(name:reason:)`` when the coordinates are no point of P-256.
    public init(name: String, coordinates: [UInt8]) throws {
        guard ECDSA.withPublicKey(coordinates, { _ in true }) == true else {
            throw DFUError.package(.keyInvalid(name: name, reason: "its coordinates are no point of P-256"))
        }
        self.init(name: name, checked: coordinates)
    }

    /// Parses a public key in PEM form (`PUBLIC KEY`); of a private key it takes the public half.
    /// - Throws: ``PackageFault/keyInvalid(name:reason:)``.
    public init(name: String, pem: [UInt8]) throws {
        guard
            let coordinates = PEM.withPublicKey(pem, ECDSA.coordinates(of:))
                ?? PEM.withPrivateKey(pem, ECDSA.coordinates(of:))
        else { throw DFUError.package(.keyInvalid(name: name, reason: "it holds no P-256 key in PEM form")) }
        self.init(name: name, checked: coordinates)
    }

    init(name: String, checked coordinates: [UInt8]) {
        self.name = name
        self.coordinates = coordinates
    }

    /// Brilliant Labs' key for Monocle. Its private half is published, so it proves integrity, not origin.
    public static let monocleVendor = TrustedKey(
        name: "Brilliant Labs Monocle",
        checked: [
            0xED, 0x7C, 0x3D, 0x22, 0x4D, 0x5C, 0x7B, 0x9C, 0x25, 0xD7, 0x0D, 0x3E, 0x63, 0xAA, 0x2F, 0x26,
            0x3C, 0x6A, 0xF2, 0xBF, 0xD1, 0x0A, 0x75, 0x67, 0x08, 0xAE, 0xC1, 0xD1, 0x38, 0x87, 0xFD, 0x89,
            0xA4, 0x1D, 0xA8, 0x50, 0x1D, 0x2D, 0xB1, 0x99, 0xC8, 0x70, 0xA6, 0xFB, 0x00, 0x4C, 0x95, 0x95,
            0x36, 0xA3, 0x43, 0xDF, 0xF8, 0xC7, 0x4C, 0xEB, 0xEE, 0xCC, 0xAF, 0xF5, 0x0E, 0xCA, 0x0D, 0x0F,
        ])

    /// - Parameter signature: r‖s, each byte-reversed, 64 bytes.
    public func verifies(_ signature: [UInt8], over message: [UInt8]) -> Bool {
        ECDSA.withPublicKey(coordinates) { ECDSA.verify(signature, over: message, with: $0) } ?? false
    }
}
