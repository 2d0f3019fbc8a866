import Cryptography

/// A public key whose signatures are accepted.
public struct TrustedKey: Sendable, Hashable {
    /// For messages, such as the file's.
    public let name: String
    /// x‖y, each byte-reversed, as Nordic's tools print a key: 64 bytes.
    public let coordinates: [UInt8]

    /// Throws where the 64 bytes are no point on the curve.
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

    /// - Parameter coordinates: known to be a point of P-256; others verify nothing.
    public init(name: String, checked coordinates: [UInt8]) { (self.name, self.coordinates) = (name, coordinates) }

    /// As OpenSSL reads it.
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
