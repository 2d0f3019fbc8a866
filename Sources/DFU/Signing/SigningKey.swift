import Cryptography

/// P-256, private.
public struct SigningKey: Sendable {
    private let key: P256.PrivateKey

    private init(_ key: P256.PrivateKey) { self.key = key }

    /// The name is for error messages, such as the file's. Throws ``PackageFault/keyInvalid(name:reason:)``.
    public init(name: String, pem: [UInt8]) throws {
        guard let key = P256.PrivateKey(pem: pem) else {
            throw DFUError.package(.keyInvalid(name: name, reason: "it holds no unencrypted P-256 private key in PEM form"))
        }
        self.init(key)
    }

    /// A new key from libcrypto's random numbers.
    public static func generate() throws -> SigningKey { SigningKey(try checked(P256.PrivateKey.generate(), "key generation")) }

    /// `EC PRIVATE KEY` or `PRIVATE KEY` in PEM form. Secret.
    public var pem: String { key.pem }
    /// x‖y, each byte-reversed, as Nordic's tools print a key.
    public var publicCoordinates: [UInt8] { NordicByteOrder.swapped(key.publicKey.point) }

    /// To be given to others.
    public func publicPEM() throws -> String { try Self.checked(key.publicPEM, "key export") }

    /// The public half, for verifying.
    public func trusted(as name: String) -> TrustedKey { TrustedKey(name: name, checked: publicCoordinates) }

    /// ECDSA with SHA-256. Every call gives another signature: OpenSSL 3.0 has no deterministic ECDSA.
    /// - Returns: r‖s, each byte-reversed, 64 bytes.
    public func sign(_ message: [UInt8]) throws -> [UInt8] { NordicByteOrder.swapped(try Self.checked(key.sign(message), "ECDSA")) }

    private static func checked<Value>(_ value: Value?, _ what: String) throws -> Value {
        guard let value else { throw DFUError.package(.signingFailed(reason: what)) }
        return value
    }
}

/// Nordic's bootloaders take every 32-byte number with its least significant byte first.
enum NordicByteOrder {
    static func swapped(_ numbers: [UInt8]) -> [UInt8] { numbers.prefix(32).reversed() + numbers.dropFirst(32).reversed() }
}
