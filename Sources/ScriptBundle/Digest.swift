import CCrypto

/// SHA-256 of what comes in pieces.
final class SHA256Stream {
    private let context: OpaquePointer?
    private var isGood: Bool

    init() {
        context = EVP_MD_CTX_new()
        isGood = EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1
    }

    deinit { EVP_MD_CTX_free(context) }

    func update(_ bytes: some Collection<UInt8>) {
        let result = bytes.withContiguousStorageIfAvailable { EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
        isGood = isGood && result == 1
    }

    /// - Returns: 32 bytes; none when libcrypto failed.
    func finish() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        guard isGood, EVP_DigestFinal_ex(context, &digest, &length) == 1 else { return [] }
        return digest
    }
}
