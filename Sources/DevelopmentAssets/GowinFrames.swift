/// Wraps configuration data as the vendor's tools do (YosysHQ/apicula, `doc/commandstructure.md`), for an FPGA that does not exist:
/// JTAG's IDCODEs are odd, this one is even, so no device takes the image.
enum GowinFrames {
    /// Of one frame.
    static let dataByteCount = 355

    private static let standInID = Array("noaf".utf8)

    /// - Parameter data: a multiple of ``dataByteCount``.
    static func bitstream(of data: [UInt8]) -> [UInt8] {
        let frameCount = data.count / dataByteCount
        let filler = [UInt8](repeating: 0xFF, count: 6)
        var covered = commands(frameCount: frameCount)
        var bitstream = [UInt8](repeating: 0xFF, count: 22) + [0xA5, 0xC3] + covered
        // The CRC leaves the flash's address out.
        covered.removeSubrange(28..<36)
        for start in stride(from: 0, to: data.count, by: dataByteCount) {
            let frame = data[start..<start + dataByteCount]
            bitstream += frame + crc(covered + frame) + filler
            covered = filler
        }
        let end = [UInt8](repeating: 0xFF, count: 18)
        return bitstream + end + crc(filler + end) + [0x0A] + [UInt8](repeating: 0, count: 7) + end.prefix(8) + [0x08, 0, 0, 0] + end.prefix(10)
    }

    /// Check of the IDCODE, configuration, no compression, security, flash address, start, and the frames with their CRCs.
    private static func commands(frameCount: Int) -> [UInt8] {
        [0x06, 0, 0, 0] + standInID + [0x10, 0, 0, 0, 0, 0xD4, 0, 0] + [0x51, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
            + [0x0B, 0, 0, 0] + [0xD2, 0, 0xFF, 0xFF, 0, 0, 0, 0] + [0x12, 0, 0, 0]
            + [0x3B, 0x80, UInt8(frameCount >> 8), UInt8(frameCount & 0xFF)]
    }

    /// CRC-16/ARC, the lower byte first.
    private static func crc(_ bytes: [UInt8]) -> [UInt8] {
        var crc: UInt16 = 0
        for byte in bytes {
            crc ^= UInt16(byte)
            for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xA001 }
        }
        return [UInt8(crc & 0xFF), UInt8(crc >> 8)]
    }
}
