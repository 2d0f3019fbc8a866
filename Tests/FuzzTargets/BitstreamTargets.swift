import FPGA

extension FuzzTarget {
    static let bitstream = FuzzTarget("bitstream", seeds: { [Samples.bitstream] }) { input in
        let image = try FPGAImage(input)
        try BrokenPromise.check(image.bytes.count == FPGALimits.imageByteCount, "the image does not fill the flash")
        try BrokenPromise.check(image.bytes.starts(with: input), "the image is not what was given")
    }
}

extension Samples {
    /// One frame of zeros for a GW1N-9C.
    static let bitstream: [UInt8] = {
        let filler = [UInt8](repeating: 0xFF, count: 22)
        let commands: [UInt8] = [0x06, 0, 0, 0, 0x11, 0x00, 0x48, 0x1B, 0x10, 0, 0, 0, 0, 0xD4, 0, 0, 0x51, 0] + filler.prefix(6)
            + [0x0B, 0, 0, 0, 0xD2, 0, 0xFF, 0xFF, 0, 0, 0, 0, 0x12, 0, 0, 0, 0x3B, 0x80, 0, 1]
        let frame = [UInt8](repeating: 0, count: 355) + [0x37, 0x37] + filler.prefix(6)
        let end = filler.prefix(18) + [0x34, 0x73, 0x0A, 0, 0, 0, 0, 0, 0, 0, 0x08, 0, 0, 0]
        return filler + [0xA5, 0xC3] + commands + frame + end
    }()
}
