/// A stand-in for the Monocle's FPGA image: form, size, share of zeros and compressibility of a real bitstream.
enum FPGAStandIn {
    static let hardware = "monocle"
    static let version = "v26.326.0800"
    static let fileName = "monocle-development-v26.326.0800.bin"
    /// The image fills the flash up to the commit marker.
    static let byteCount = 444_430
    static let notice = "noafw development image, not for hardware"

    /// A real one with all of its memory blocks has as many.
    private static let frameCount = 1224
    private static let sparseFrameCount = 24
    /// Within the first frame's data, so that the CRC covers them; in the file they stand at 0x60 and 0x80.
    private static let textPlaces = (version: 28, notice: 60)

    static func image() -> [UInt8] { padded(GowinFrames.bitstream(of: fuses(frameCount: frameCount))) }

    /// The same size, but erased flash for the most part: a bench's writer sends little more than the noise.
    static func sparseImage() -> [UInt8] { padded(GowinFrames.bitstream(of: fuses(frameCount: sparseFrameCount))) }

    private static func padded(_ bitstream: [UInt8]) -> [UInt8] {
        bitstream + [UInt8](repeating: 0xFF, count: byteCount - bitstream.count)
    }

    private static func fuses(frameCount: Int) -> [UInt8] {
        var noise = Noise(seed: 0x4D4F_4E4F_4650_4741)
        let count = frameCount * GowinFrames.dataByteCount
        var fuses: [UInt8] = []
        fuses.reserveCapacity(count + 4096)
        while fuses.count < count {
            for _ in 0..<noise.number(in: 1...48) { fuses.append(fuse(&noise)) }
            fuses += [UInt8](repeating: 0, count: runLength(&noise))
        }
        fuses.removeLast(fuses.count - count)
        fuses.place(.text(version), at: textPlaces.version)
        fuses.place(.text(notice), at: textPlaces.notice)
        return fuses
    }

    /// Configuration bits are sparse: most used bytes have only a few of them set.
    private static func fuse(_ noise: inout Noise) -> UInt8 {
        let dense = noise.byte()
        return noise.number(in: 0...3) == 0 ? dense : dense & noise.byte()
    }

    /// Mostly gaps within a configuration frame, now and then an unused region.
    private static func runLength(_ noise: inout Noise) -> Int {
        switch noise.number(in: 0...99) {
        case 0..<60: noise.number(in: 2...16)
        case 60..<97: noise.number(in: 17...72)
        default: noise.number(in: 73...700)
        }
    }
}
