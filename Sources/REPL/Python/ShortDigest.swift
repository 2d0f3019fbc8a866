import Cryptography
import Support

/// SHA-256 is the only checksum in the Monocle's Python (`hashlib.sha256`).
extension SHA256 {
    /// The first four bytes as 8 hexadecimal digits: protects one answer against damage in transit.
    package static func check(of bytes: some Collection<UInt8>) -> String { HexText.encode(of(bytes).prefix(4)) }

    /// The first bytes as a big-endian number; four of them protect one piece of data. Not text, because MicroPython keeps each
    /// string of up to 10 characters in code until it restarts (micropython, `parse.c`).
    package static func number(of bytes: some Collection<UInt8>, byteCount: Int = 4) -> UInt64 {
        of(bytes).prefix(byteCount).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
