import Support

/// The bytes of an init packet or of an image, with the CRC of every prefix.
struct ObjectSource: Sendable, Hashable {
    private static let checkpointSpacing = 4096

    let bytes: [UInt8]
    private let checkpoints: [CRC32]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var crc = CRC32()
        var checkpoints = [crc]
        for start in stride(from: 0, to: bytes.count, by: Self.checkpointSpacing) {
            crc.update(bytes[start..<min(start + Self.checkpointSpacing, bytes.count)])
            checkpoints.append(crc)
        }
        self.checkpoints = checkpoints
    }

    var count: Int { bytes.count }

    /// The CRC of nothing need not be 0: it shares its memory with an address (nRF5 SDK, `nrf_dfu_types.h`).
    func matches(_ checksum: Checksum) -> Bool {
        guard let offset = Int(exactly: checksum.offset), offset <= count else { return false }
        if offset == 0 { return true }
        let index = offset / Self.checkpointSpacing
        var crc = checkpoints[index]
        crc.update(bytes[(index * Self.checkpointSpacing)..<offset])
        return crc.value == checksum.crc
    }
}
