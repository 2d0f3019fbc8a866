import Cryptography
import Support

/// An Ed25519 public key that bundles may be signed with.
public struct BundleKey: Sendable, Hashable {
    /// The operator's name for it.
    public let name: String
    private let key: Ed25519.PublicKey

    /// - Parameter pem: `PUBLIC KEY` (SubjectPublicKeyInfo), as `openssl pkey -pubout` writes it.
    public init(name: String, pem: [UInt8]) throws(BundleError) {
        guard let key = Ed25519.PublicKey(pem: pem) else {
            throw .keyInvalid(name: name, reason: "it holds no Ed25519 public key in PEM form")
        }
        (self.name, self.key) = (name, key)
    }

    init(name: String, _ key: Ed25519.PublicKey) { (self.name, self.key) = (name, key) }

    /// 32 bytes, as in RFC 8032.
    public var bytes: [UInt8] { key.bytes }

    /// `ed25519:` and the first 16 hexadecimal digits of the key's SHA-256.
    public var fingerprint: String { "ed25519:" + HexText.encode(SHA256.of(bytes).prefix(8)) }

    public var pem: String { key.pem }

    func verifies(_ signature: [UInt8], over message: [UInt8]) -> Bool { key.verifies(signature, over: message) }
}

/// An Ed25519 private key that signs bundles. Secret: leaves this value only as the file of a new key.
public struct BundleSigningKey: Sendable {
    private let key: Ed25519.PrivateKey
    public let publicKey: BundleKey

    /// - Parameter pem: `PRIVATE KEY` (PKCS #8), unencrypted, as `openssl genpkey -algorithm ed25519` writes it.
    public init(name: String, pem: [UInt8]) throws(BundleError) {
        guard let key = Ed25519.PrivateKey(pem: pem) else {
            throw .keyInvalid(name: name, reason: "it holds no unencrypted Ed25519 private key in PEM form")
        }
        self.key = key
        publicKey = BundleKey(name: name, key.publicKey)
    }

    public static func generate() throws(BundleError) -> [UInt8] {
        guard let key = Ed25519.PrivateKey.generate() else { throw .signingFailed }
        return key.pem
    }

    func sign(_ message: [UInt8]) throws(BundleError) -> [UInt8] {
        guard let signature = key.sign(message) else { throw .signingFailed }
        return signature
    }
}
