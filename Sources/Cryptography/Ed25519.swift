import CCrypto
import FoundationEssentials

/// Ed25519 (RFC 8032).
public enum Ed25519 {
    /// Of a public key.
    public static let keyByteCount = 32
    /// Of R and S together.
    public static let signatureByteCount = 64

    /// Verifies signatures.
    public struct PublicKey: Sendable, Hashable {
        /// 32 bytes.
        public let bytes: [UInt8]

        /// - Parameter pem: `PUBLIC KEY` (SubjectPublicKeyInfo); `nil` for anything else.
        public init?(pem: [UInt8]) {
            guard let bytes = PEM.withPublicKey(pem, Ed25519.publicBytes) else { return nil }
            self.bytes = bytes
        }

        /// `nil` for another count of bytes, and for what libcrypto does not take as a key.
        public init?(bytes: [UInt8]) {
            guard bytes.count == keyByteCount else { return nil }
            self.bytes = bytes
        }

        fileprivate init(known bytes: [UInt8]) { self.bytes = bytes }

        /// `PUBLIC KEY`. Its DER is 12 bytes that are the same for every key (RFC 8410), and the key.
        public var pem: String {
            let der: [UInt8] = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00] + bytes
            return "-----BEGIN PUBLIC KEY-----\n\(Data(der).base64EncodedString())\n-----END PUBLIC KEY-----\n"
        }

        /// `false` also for a signature of another length.
        public func verifies(_ signature: [UInt8], over message: [UInt8]) -> Bool {
            defer { ERR_clear_error() }
            guard signature.count == signatureByteCount,
                let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count)
            else { return false }
            defer { EVP_PKEY_free(key) }
            return Signing.verifies(signature, over: message, by: key, digest: nil)
        }
    }

    /// Signs.
    public struct PrivateKey: Sendable {
        /// `PRIVATE KEY` (PKCS #8). Secret.
        public let pem: [UInt8]
        /// Computed from the private half.
        public let publicKey: PublicKey

        /// - Parameter pem: unencrypted; `nil` for anything else.
        public init?(pem: [UInt8]) {
            guard let bytes = PEM.withPrivateKey(pem, Ed25519.publicBytes) else { return nil }
            self.pem = pem
            publicKey = PublicKey(known: bytes)
        }

        /// A fresh key; `nil` when libcrypto fails.
        public static func generate() -> PrivateKey? {
            Signing.withNewKey("ED25519") { key in PEM.text { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) } }
                .flatMap { PrivateKey(pem: Array($0.utf8)) }
        }

        /// - Returns: the same bytes for the same message; `nil` when libcrypto fails.
        public func sign(_ message: [UInt8]) -> [UInt8]? {
            PEM.withPrivateKey(pem) { Signing.sign(message, by: $0, digest: nil) }
        }
    }

    private static func publicBytes(_ key: OpaquePointer) -> [UInt8]? {
        guard EVP_PKEY_get_id(key) == EVP_PKEY_ED25519 else { return nil }
        var bytes = [UInt8](repeating: 0, count: keyByteCount)
        var count = bytes.count
        guard EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1, count == bytes.count else { return nil }
        return bytes
    }
}
