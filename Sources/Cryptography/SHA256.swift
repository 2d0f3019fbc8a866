import CCrypto
import Support

/// SHA-256 (FIPS 180-4) through libcrypto. A digest is 32 bytes; when libcrypto fails it is empty and equals no digest.
public enum SHA256 {
    /// Of a digest.
    public static let byteCount = 32

    /// The digest of all bytes at once.
    public static func of(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let stream = SHA256Stream()
        stream.update(bytes)
        return stream.finish()
    }

    /// In lower-case hexadecimal.
    public static func text(of bytes: some Collection<UInt8>) -> String { HexText.encode(of(bytes)) }
}

/// SHA-256 of data that arrives in pieces.
public final class SHA256Stream {
    private let context: OpaquePointer?
    private var isGood: Bool

    /// Nothing taken yet.
    public init() {
        context = EVP_MD_CTX_new()
        isGood = EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Takes more bytes. After ``finish()`` it does nothing of use.
    public func update(_ bytes: some Collection<UInt8>) {
        if bytes.withContiguousStorageIfAvailable({ take(UnsafeRawBufferPointer($0)) }) == nil { Array(bytes).withUnsafeBytes(take) }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        isGood = isGood && EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
    }

    /// The digest of all bytes taken. To be called once.
    public func finish() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: SHA256.byteCount)
        var length: UInt32 = 0
        guard isGood, EVP_DigestFinal_ex(context, &digest, &length) == 1 else { return [] }
        return digest
    }
}
