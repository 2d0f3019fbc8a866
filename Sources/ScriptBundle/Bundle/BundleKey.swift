import CCrypto
import REPL

/// An Ed25519 public key that bundles may be signed with.
public struct BundleKey: Sendable, Hashable {
    static let byteCount = 32
    static let signatureByteCount = 64
    /// A key file of a hundred bytes is usual; more than this is none.
    public static let pemByteCount = 16 << 10

    /// What an operator calls it.
    public let name: String
    /// As in RFC 8032.
    public let bytes: [UInt8]

    /// - Parameter pem: `PUBLIC KEY` (SubjectPublicKeyInfo), as `openssl pkey -pubout` writes it.
    /// - Throws: ``BundleError/keyInvalid(name:reason:)``.
    public init(name: String, pem: [UInt8]) throws(BundleError) {
        let bytes = Ed25519.withPEM(pem, { PEM_read_bio_PUBKEY($0, nil, Ed25519.refusePassphrase, nil) }, Ed25519.publicBytes)
        guard let bytes else { throw .keyInvalid(name: name, reason: "it holds no Ed25519 public key in PEM form") }
        (self.name, self.bytes) = (name, bytes)
    }

    init(name: String, bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }

    /// `ed25519:` and the first 16 hexadecimal digits of the key's SHA-256.
    public var fingerprint: String { "ed25519:" + HexText.encode(SHA256.of(bytes).prefix(8)) }

    /// In PEM form. Its DER is the same 12 bytes for every key (RFC 8410), and the key.
    public var pem: String {
        let der: [UInt8] = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00] + bytes
        return "-----BEGIN PUBLIC KEY-----\n\(Base64.encode(der))\n-----END PUBLIC KEY-----\n"
    }

    func verifies(_ signature: [UInt8], over message: [UInt8]) -> Bool {
        guard signature.count == Self.signatureByteCount, let context = EVP_MD_CTX_new(),
            let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count)
        else { return false }
        defer {
            EVP_PKEY_free(key)
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        return EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}

/// An Ed25519 private key that signs bundles. Secret: it never leaves this value but as the file of a new key.
public struct BundleSigningKey: Sendable {
    private let pem: [UInt8]
    public let publicKey: BundleKey

    /// - Parameter pem: `PRIVATE KEY` (PKCS #8), unencrypted, as `openssl genpkey -algorithm ed25519` writes it.
    /// - Throws: ``BundleError/keyInvalid(name:reason:)``.
    public init(name: String, pem: [UInt8]) throws(BundleError) {
        guard let bytes = Self.withKey(pem, Ed25519.publicBytes) else {
            throw .keyInvalid(name: name, reason: "it holds no unencrypted Ed25519 private key in PEM form")
        }
        self.pem = pem
        publicKey = BundleKey(name: name, bytes: bytes)
    }

    /// A fresh key as PEM.
    /// - Throws: ``BundleError/signingFailed``.
    public static func generate() throws(BundleError) -> [UInt8] {
        var key: OpaquePointer?
        let context = EVP_PKEY_CTX_new_from_name(nil, "ED25519", nil)
        defer { EVP_PKEY_CTX_free(context) }
        guard context != nil, EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_generate(context, &key) == 1, let key,
            let sink = BIO_new(BIO_s_mem())
        else { throw .signingFailed }
        defer {
            EVP_PKEY_free(key)
            BIO_free(sink)
        }
        var text = [UInt8](repeating: 0, count: BundleKey.pemByteCount)
        guard PEM_write_bio_PKCS8PrivateKey(sink, key, nil, nil, 0, nil, nil) == 1 else { throw .signingFailed }
        let count = BIO_read(sink, &text, Int32(text.count))
        guard count > 0 else { throw .signingFailed }
        return Array(text.prefix(Int(count)))
    }

    func sign(_ message: [UInt8]) throws(BundleError) -> [UInt8] {
        let signature = Self.withKey(pem) { key -> [UInt8]? in
            guard let context = EVP_MD_CTX_new() else { return nil }
            defer { EVP_MD_CTX_free(context) }
            var signature = [UInt8](repeating: 0, count: BundleKey.signatureByteCount)
            var count = signature.count
            guard EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
                EVP_DigestSign(context, &signature, &count, message, message.count) == 1,
                count == BundleKey.signatureByteCount
            else { return nil }
            return signature
        }
        guard let signature else { throw .signingFailed }
        return signature
    }

    private static func withKey<Result>(_ pem: [UInt8], _ body: (OpaquePointer) -> Result?) -> Result? {
        Ed25519.withPEM(pem, { PEM_read_bio_PrivateKey($0, nil, Ed25519.refusePassphrase, nil) }, body)
    }
}

private enum Base64 {
    static func encode(_ bytes: [UInt8]) -> String {
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let count = EVP_EncodeBlock(&text, bytes, Int32(bytes.count))
        return String(decoding: text.prefix(Int(max(0, count))), as: UTF8.self)
    }
}

/// Ed25519 keys through libcrypto.
private enum Ed25519 {
    /// libcrypto's own callback would ask on the terminal for the passphrase of an encrypted key.
    static let refusePassphrase: @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32 = {
        _, _, _, _ in -1
    }

    static func withPEM<Result>(
        _ text: [UInt8], _ read: (OpaquePointer) -> OpaquePointer?, _ body: (OpaquePointer) -> Result?
    ) -> Result? {
        guard !text.isEmpty, text.count <= BundleKey.pemByteCount else { return nil }
        // libcrypto keeps a queue of errors per thread; left there, they would be blamed on a later call.
        defer { ERR_clear_error() }
        return text.withUnsafeBufferPointer { buffer in
            guard let source = BIO_new_mem_buf(buffer.baseAddress, Int32(buffer.count)) else { return nil }
            defer { BIO_free(source) }
            guard let key = read(source) else { return nil }
            defer { EVP_PKEY_free(key) }
            return EVP_PKEY_get_id(key) == EVP_PKEY_ED25519 ? body(key) : nil
        }
    }

    static func publicBytes(_ key: OpaquePointer) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: BundleKey.byteCount)
        var count = bytes.count
        guard EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1, count == bytes.count else { return nil }
        return bytes
    }
}
