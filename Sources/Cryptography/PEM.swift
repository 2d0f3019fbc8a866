import CCrypto

enum PEM {
    static func withPublicKey<Result>(_ text: [UInt8], _ body: (OpaquePointer) -> Result?) -> Result? {
        withKey(text, read: { PEM_read_bio_PUBKEY($0, nil, refusePassphrase, nil) }, body)
    }

    static func withPrivateKey<Result>(_ text: [UInt8], _ body: (OpaquePointer) -> Result?) -> Result? {
        withKey(text, read: { PEM_read_bio_PrivateKey($0, nil, refusePassphrase, nil) }, body)
    }

    /// libcrypto's own callback would ask for an encrypted key's passphrase on the terminal.
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

    /// What `write` writes.
    static func text(_ write: (OpaquePointer) -> Int32) -> String? {
        defer { ERR_clear_error() }
        guard let sink = BIO_new(BIO_s_mem()) else { return nil }
        defer { BIO_free(sink) }
        guard write(sink) == 1 else { return nil }
        var buffer = [UInt8](repeating: 0, count: KeyFile.sizeLimit)
        let count = BIO_read(sink, &buffer, Int32(buffer.count))
        return count > 0 ? String(decoding: buffer[..<Int(count)], as: UTF8.self) : nil
    }
}

/// What files of keys have in common.
public enum KeyFile {
    /// In bytes. A key file has a few hundred.
    public static let sizeLimit = 16 << 10
}

enum Signing {
    /// - Parameter digest: `nil` if the algorithm has its own.
    static func verifies(_ signature: [UInt8], over message: [UInt8], by key: OpaquePointer, digest: OpaquePointer?) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        return EVP_DigestVerifyInit(context, nil, digest, nil, key) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    /// - Returns: the signature in libcrypto's form; `nil` when libcrypto fails.
    static func sign(_ message: [UInt8], by key: OpaquePointer, digest: OpaquePointer?) -> [UInt8]? {
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        var count = 0
        guard EVP_DigestSignInit(context, nil, digest, nil, key) == 1, EVP_DigestSign(context, nil, &count, message, message.count) == 1
        else { return nil }
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSign(context, &signature, &count, message, message.count) == 1 else { return nil }
        return Array(signature[..<count])
    }

    /// A new key.
    /// - Parameter group: the elliptic curve.
    static func withNewKey<Result>(_ algorithm: String, group: String? = nil, _ body: (OpaquePointer) -> Result?) -> Result? {
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
}
