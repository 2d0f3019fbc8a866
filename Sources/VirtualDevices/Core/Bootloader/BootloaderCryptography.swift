import Cryptography
import Support

/// The bootloader's own arithmetic, in its own byte order: each number of a signature is little-endian.
enum BootloaderCryptography {
    /// Whether `signature` (r then s, 32 bytes each, **little-endian** as Nordic writes them) signs `message` under
    /// `key` (x then y, big-endian), by ECDSA over P-256 with SHA-256.
    static func verifies(signature: [UInt8], of message: [UInt8], key: [UInt8]) -> Bool {
        guard signature.count == 64, let key = P256.PublicKey(point: key) else { return false }
        return key.verifies(signature[..<32].reversed() + signature[32...].reversed(), over: message)
    }

    /// Whether `key` is a point of the curve.
    static func isUsable(key: [UInt8]) -> Bool { P256.PublicKey(point: key) != nil }

    /// Continued from `previous` (0 to start).
    static func crc32(_ bytes: [UInt8], continuing previous: UInt32 = 0) -> UInt32 {
        var crc = CRC32(continuing: previous)
        crc.update(bytes[...])
        return crc.value
    }
}
