/// A stand-in for the Monocle's FPGA image: size, share of zeros and compressibility of a real bitstream.
enum FPGAStandIn {
    static let version = "v26.320.0905"
    static let fileName = "monocle-development-v26.320.0905.bin"
    /// The image fills the flash up to the commit marker.
    static let byteCount = 444_430
    static let notice = "noafw development image, not for hardware"

    static func image() -> [UInt8] {
        var noise = Noise(seed: 0x4D4F_4E4F_4650_4741)
        var image: [UInt8] = []
        image.reserveCapacity(byteCount + 4096)
        while image.count < byteCount {
            for _ in 0..<noise.number(in: 1...48) { image.append(fuses(&noise)) }
            image += [UInt8](repeating: 0, count: runLength(&noise))
        }
        image.removeLast(image.count - byteCount)
        image.place(.text(version), at: 0x40)
        image.place(.text(notice), at: 0x60)
        return image
    }

    /// The same size, but erased flash for the most part: a bench's writer sends little more than the noise.
    static func sparseImage() -> [UInt8] {
        var image = [UInt8](repeating: 0xFF, count: byteCount)
        image.place(Array(Self.image()[..<8192]), at: 0)
        return image
    }

    /// Configuration bits are sparse: most used bytes have only a few of them set.
    private static func fuses(_ noise: inout Noise) -> UInt8 {
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
