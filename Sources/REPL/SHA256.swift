import CCrypto

/// SHA-256, the one checksum that the Monocle's Python has (`hashlib.sha256`).
package enum SHA256 {
    package static let byteCount = 32

    package static func of(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let input = Array(bytes)
        var digest = [UInt8](repeating: 0, count: byteCount)
        var length: UInt32 = 0
        guard EVP_Digest(input, input.count, &digest, &length, EVP_sha256(), nil) == 1 else { return [] }
        return digest
    }

    /// The first four bytes as 8 hexadecimal digits: what guards one answer against damage on the way.
    package static func check(of bytes: some Collection<UInt8>) -> String {
        HexText.encode(of(bytes).prefix(4))
    }

    /// The first four bytes as a number, the first one the most significant: what guards one piece of data. No text, since
    /// MicroPython keeps each string of up to 10 characters that stands in code, until it restarts (micropython, `parse.c`).
    package static func number(of bytes: some Collection<UInt8>) -> UInt32 {
        of(bytes).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }
}
