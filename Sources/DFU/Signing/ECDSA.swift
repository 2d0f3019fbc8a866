import CCrypto

/// ECDSA over P-256 with SHA-256 through libcrypto, in the byte order of Nordic's bootloaders: every 32-byte number
/// is least significant byte first.
enum ECDSA {
    static let signatureLength = 64
    static let coordinatesLength = 64

    /// DER of a SubjectPublicKeyInfo for an uncompressed P-256 point, up to the point's coordinates (RFC 5480).
    private static let publicKeyPrefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
        0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
    ]

    /// Runs `body` on the public key with the given coordinates.
    /// - Parameter coordinates: x‖y, each byte-reversed.
    /// - Returns: `nil` when they are no point of the curve.
    static func withPublicKey<Result>(_ coordinates: [UInt8], _ body: (OpaquePointer) -> Result?) -> Result? {
        guard coordinates.count == coordinatesLength else { return nil }
        let der = publicKeyPrefix + coordinates[..<32].reversed() + coordinates[32...].reversed()
        return der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            guard let key = d2i_PUBKEY(nil, &cursor, buffer.count) else { return discardErrors() }
            defer { EVP_PKEY_free(key) }
            return body(key)
        }
    }

    /// The coordinates x‖y of a key, each byte-reversed; `nil` when it is not a P-256 key.
    static func coordinates(of key: OpaquePointer) -> [UInt8]? {
        guard let der = derBytes({ i2d_PUBKEY(key, $0) }), der.count == publicKeyPrefix.count + coordinatesLength,
            Array(der[..<publicKeyPrefix.count]) == publicKeyPrefix
        else { return discardErrors() }
        let point = der[publicKeyPrefix.count...]
        return point.prefix(32).reversed() + point.suffix(32).reversed()
    }

    static func verify(_ signature: [UInt8], over message: [UInt8], with key: OpaquePointer) -> Bool {
        guard signature.count == signatureLength, let der = derSignature(signature), let context = EVP_MD_CTX_new()
        else { return false }
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { return false }
        return EVP_DigestVerify(context, der, der.count, message, message.count) == 1
    }

    /// - Returns: r‖s, each byte-reversed; `nil` when libcrypto refuses.
    static func sign(_ message: [UInt8], with key: OpaquePointer) -> [UInt8]? {
        guard let context = EVP_MD_CTX_new() else { return discardErrors() }
        defer { EVP_MD_CTX_free(context) }
        var length = 0
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
            EVP_DigestSign(context, nil, &length, message, message.count) == 1
        else { return discardErrors() }
        var der = [UInt8](repeating: 0, count: length)
        guard EVP_DigestSign(context, &der, &length, message, message.count) == 1 else { return discardErrors() }
        return reversedSignature(Array(der[..<length]))
    }

    private static func derSignature(_ signature: [UInt8]) -> [UInt8]? {
        guard let parsed = ECDSA_SIG_new() else { return discardErrors() }
        defer { ECDSA_SIG_free(parsed) }
        guard let r = BN_lebin2bn(Array(signature[..<32]), 32, nil) else { return discardErrors() }
        guard let s = BN_lebin2bn(Array(signature[32...]), 32, nil) else {
            BN_free(r)
            return discardErrors()
        }
        // On success the signature owns both numbers.
        guard ECDSA_SIG_set0(parsed, r, s) == 1 else {
            BN_free(r)
            BN_free(s)
            return discardErrors()
        }
        return derBytes { i2d_ECDSA_SIG(parsed, $0) }
    }

    private static func reversedSignature(_ der: [UInt8]) -> [UInt8]? {
        der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            guard let parsed = d2i_ECDSA_SIG(nil, &cursor, buffer.count) else { return discardErrors() }
            defer { ECDSA_SIG_free(parsed) }
            var r = [UInt8](repeating: 0, count: 32)
            var s = r
            guard BN_bn2lebinpad(ECDSA_SIG_get0_r(parsed), &r, 32) == 32,
                BN_bn2lebinpad(ECDSA_SIG_get0_s(parsed), &s, 32) == 32
            else { return discardErrors() }
            return r + s
        }
    }

    private static func derBytes(
        _ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
    ) -> [UInt8]? {
        let length = Int(encode(nil))
        guard length > 0 else { return discardErrors() }
        var bytes = [UInt8](repeating: 0, count: length)
        let written = bytes.withUnsafeMutableBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return Int(encode(&cursor))
        }
        return written == length ? bytes : discardErrors()
    }

    /// libcrypto keeps a queue of errors per thread; left there, they would be blamed on a later call.
    static func discardErrors<Result>() -> Result? {
        ERR_clear_error()
        return nil
    }
}
