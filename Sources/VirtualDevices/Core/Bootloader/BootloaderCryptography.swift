import CCrypto

/// The bootloader's own arithmetic: digests through libcrypto, and the CRC of the control point.
enum BootloaderCryptography {
    /// SHA-256; empty when libcrypto fails, which equals no digest.
    static func sha256(_ input: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        guard EVP_Digest(input, input.count, &digest, &length, EVP_sha256(), nil) == 1 else { return [] }
        return Array(digest.prefix(Int(length)))
    }

    /// Whether `signature` (r then s, 32 bytes each, **little-endian** as Nordic writes them) signs `message` under
    /// `key` (x then y, big-endian), by ECDSA over P-256 with SHA-256.
    static func verifies(signature: [UInt8], of message: [UInt8], key: [UInt8]) -> Bool {
        guard signature.count == 64, key.count == 64, let publicKey = publicKey(key) else { return false }
        defer { EVP_PKEY_free(publicKey) }
        guard let der = derSignature(r: signature[..<32].reversed(), s: signature[32...].reversed()),
            let context = EVP_MD_CTX_new()
        else { return false }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, publicKey) == 1 else { return false }
        let verdict = EVP_DigestVerify(context, der, der.count, message, message.count)
        ERR_clear_error()
        return verdict == 1
    }

    /// Whether `key` is a point of the curve.
    static func isUsable(key: [UInt8]) -> Bool {
        guard let publicKey = publicKey(key) else { return false }
        EVP_PKEY_free(publicKey)
        return true
    }

    /// The CRC-32 of Ethernet and zip, continued from `previous` (0 to start).
    static func crc32(_ bytes: [UInt8], continuing previous: UInt32 = 0) -> UInt32 {
        let table = crcTable
        var crc = ~previous
        for byte in bytes { crc = table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ (crc >> 8) }
        return ~crc
    }

    private static let crcTable: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }

    private static func publicKey(_ key: [UInt8]) -> OpaquePointer? {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var publicKey: OpaquePointer?
        guard EVP_PKEY_paramgen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
            EVP_PKEY_paramgen(context, &publicKey) == 1, let publicKey
        else { return nil }
        let point: [UInt8] = [0x04] + key
        guard EVP_PKEY_set1_encoded_public_key(publicKey, point, point.count) == 1 else {
            ERR_clear_error()
            EVP_PKEY_free(publicKey)
            return nil
        }
        return publicKey
    }

    private static func derSignature(r: [UInt8], s: [UInt8]) -> [UInt8]? {
        guard let signature = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(signature) }
        guard let first = BN_bin2bn(r, Int32(r.count), nil) else { return nil }
        guard let second = BN_bin2bn(s, Int32(s.count), nil) else {
            BN_free(first)
            return nil
        }
        guard ECDSA_SIG_set0(signature, first, second) == 1 else {
            BN_free(first)
            BN_free(second)
            return nil
        }
        var encoded: UnsafeMutablePointer<UInt8>?
        let length = i2d_ECDSA_SIG(signature, &encoded)
        guard length > 0, let encoded else { return nil }
        defer { CRYPTO_free(encoded, nil, 0) }
        return Array(UnsafeBufferPointer(start: encoded, count: Int(length)))
    }
}
