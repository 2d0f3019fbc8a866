import CCrypto

/// Keys of libcrypto in PEM form.
enum PEM {
    static func withPublicKey<Result>(_ text: [UInt8], _ body: (OpaquePointer) -> Result?) -> Result? {
        withKey(text, read: { PEM_read_bio_PUBKEY($0, nil, refusePassphrase, nil) }, body)
    }

    static func withPrivateKey<Result>(_ text: [UInt8], _ body: (OpaquePointer) -> Result?) -> Result? {
        withKey(text, read: { PEM_read_bio_PrivateKey($0, nil, refusePassphrase, nil) }, body)
    }

    /// libcrypto's own callback would ask on the terminal for the passphrase of an encrypted key.
    private static let refusePassphrase: @convention(c) (
        UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?
    ) -> Int32 = { _, _, _, _ in -1 }

    private static func withKey<Result>(
        _ text: [UInt8], read: (OpaquePointer) -> OpaquePointer?, _ body: (OpaquePointer) -> Result?
    ) -> Result? {
        guard !text.isEmpty, text.count <= KeyFile.sizeLimit else { return nil }
        defer { ERR_clear_error() }
        return text.withUnsafeBufferPointer { buffer in
            guard let source = BIO_new_mem_buf(buffer.baseAddress, Int32(buffer.count)) else { return nil }
            defer { BIO_free(source) }
            guard let key = read(source) else { return nil }
            defer { EVP_PKEY_free(key) }
            return body(key)
        }
    }

    /// A private key as `EC PRIVATE KEY` (SEC 1), the form `nrfutil keys generate` writes.
    static func traditionalPrivateKey(_ key: OpaquePointer) -> String? {
        text { PEM_write_bio_PrivateKey_traditional($0, key, nil, nil, 0, nil, nil) }
    }

    /// A private key as `PRIVATE KEY` (PKCS #8), unencrypted.
    static func privateKey(_ key: OpaquePointer) -> String? {
        text { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) }
    }

    /// A public key as `PUBLIC KEY` (SubjectPublicKeyInfo).
    static func publicKey(_ key: OpaquePointer) -> String? { text { PEM_write_bio_PUBKEY($0, key) } }

    private static func text(_ write: (OpaquePointer) -> Int32) -> String? {
        defer { ERR_clear_error() }
        guard let sink = BIO_new(BIO_s_mem()) else { return nil }
        defer { BIO_free(sink) }
        guard write(sink) == 1 else { return nil }
        var buffer = [UInt8](repeating: 0, count: KeyFile.sizeLimit)
        let count = BIO_read(sink, &buffer, Int32(buffer.count))
        return count > 0 ? String(decoding: buffer[..<Int(count)], as: UTF8.self) : nil
    }
}

public enum KeyFile {
    /// In bytes. A key file has a few hundred; more than this is none.
    public static let sizeLimit = 16 << 10
}

/// A new key of libcrypto.
/// - Parameter group: of an elliptic curve.
func withNewKey<Result>(_ algorithm: String, group: String? = nil, _ body: (OpaquePointer) -> Result?) -> Result? {
    defer { ERR_clear_error() }
    guard let context = EVP_PKEY_CTX_new_from_name(nil, algorithm, nil) else { return nil }
    defer { EVP_PKEY_CTX_free(context) }
    guard EVP_PKEY_keygen_init(context) == 1 else { return nil }
    if let group, EVP_PKEY_CTX_set_group_name(context, group) != 1 { return nil }
    var key: OpaquePointer?
    guard EVP_PKEY_generate(context, &key) == 1, let key else { return nil }
    defer { EVP_PKEY_free(key) }
    return body(key)
}
