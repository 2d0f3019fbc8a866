import CCrypto

/// Reads and writes keys in PEM form through libcrypto.
enum PEM {
    /// A key file of a few hundred bytes is usual; more than this is none.
    static let sizeLimit = 16 * 1024

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
        guard !text.isEmpty, text.count <= sizeLimit else { return nil }
        return text.withUnsafeBufferPointer { buffer in
            guard let source = BIO_new_mem_buf(buffer.baseAddress, Int32(buffer.count)) else {
                return ECDSA.discardErrors()
            }
            defer { BIO_free(source) }
            guard let key = read(source) else { return ECDSA.discardErrors() }
            defer { EVP_PKEY_free(key) }
            return body(key)
        }
    }

    /// A private key as `EC PRIVATE KEY` (SEC 1), the form `nrfutil keys generate` writes.
    static func privateKeyText(_ key: OpaquePointer) -> String? {
        text { PEM_write_bio_PrivateKey_traditional($0, key, nil, nil, 0, nil, nil) }
    }

    /// A public key as `PUBLIC KEY` (SubjectPublicKeyInfo).
    static func publicKeyText(_ key: OpaquePointer) -> String? {
        text { PEM_write_bio_PUBKEY($0, key) }
    }

    private static func text(_ write: (OpaquePointer) -> Int32) -> String? {
        guard let sink = BIO_new(BIO_s_mem()) else { return ECDSA.discardErrors() }
        defer { BIO_free(sink) }
        guard write(sink) == 1 else { return ECDSA.discardErrors() }
        var buffer = [UInt8](repeating: 0, count: sizeLimit)
        let count = BIO_read(sink, &buffer, Int32(buffer.count))
        guard count > 0 else { return ECDSA.discardErrors() }
        return String(decoding: buffer[..<Int(count)], as: UTF8.self)
    }
}
