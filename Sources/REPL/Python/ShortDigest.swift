import Cryptography
import Support

/// SHA-256 is the one checksum that the Monocle's Python has (`hashlib.sha256`).
extension SHA256 {
    /// The first four bytes as 8 hexadecimal digits: what guards one answer against damage on the way.
    package static func check(of bytes: some Collection<UInt8>) -> String { HexText.encode(of(bytes).prefix(4)) }

    /// The first bytes as a number, the first one the most significant: four of them guard one piece of data. No text, since
    /// MicroPython keeps each string of up to 10 characters that stands in code, until it restarts (micropython, `parse.c`).
    package static func number(of bytes: some Collection<UInt8>, byteCount: Int = 4) -> UInt64 {
        of(bytes).prefix(byteCount).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
