import Cryptography

/// A P-256 private key that signs init packets.
public struct SigningKey: Sendable {
    private let key: P256.PrivateKey

    /// - Throws: ``PackageFault/keyInvalid(name:reason:)`` for anything but an unencrypted P-256 private key.
    public init(name: String, pem: [UInt8]) throws {
        guard let key = P256.PrivateKey(pem: pem) else {
            throw DFUError.package(
                .keyInvalid(name: name, reason: "it holds no unencrypted P-256 private key in PEM form"))
        }
        self.key = key
    }

    private init(_ key: P256.PrivateKey) { self.key = key }

    /// A fresh key.
    public static func generate() throws -> SigningKey {
        guard let key = P256.PrivateKey.generate() else { throw failure("key generation") }
        return SigningKey(key)
    }

    /// `EC PRIVATE KEY` or `PRIVATE KEY` in PEM form. Secret.
    public var pem: String { key.pem }
    /// x‖y, each byte-reversed, as Nordic's tools print a key.
    public var publicCoordinates: [UInt8] { NordicByteOrder.swapped(key.publicKey.point) }

    /// The public half in PEM form.
    public func publicPEM() throws -> String {
        guard let text = key.publicPEM else { throw Self.failure("key export") }
        return text
    }

    /// The public half as a key to trust.
    public func trusted(as name: String) -> TrustedKey { TrustedKey(name: name, checked: publicCoordinates) }

    /// ECDSA with SHA-256 over `message`. Every call gives another signature: OpenSSL 3.0 has no deterministic ECDSA.
    /// - Returns: r‖s, each byte-reversed, 64 bytes.
    public func sign(_ message: [UInt8]) throws -> [UInt8] {
        guard let signature = key.sign(message) else { throw Self.failure("ECDSA") }
        return NordicByteOrder.swapped(signature)
    }

    private static func failure(_ what: String) -> DFUError { .package(.signingFailed(reason: what)) }
}
