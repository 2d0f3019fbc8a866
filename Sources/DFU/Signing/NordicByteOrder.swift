/// Nordic's bootloaders take every 32-byte number with its least significant byte first.
enum NordicByteOrder {
    /// Two numbers of 32 bytes, each reversed.
    static func swapped(_ numbers: [UInt8]) -> [UInt8] { numbers.prefix(32).reversed() + numbers.dropFirst(32).reversed() }
}
