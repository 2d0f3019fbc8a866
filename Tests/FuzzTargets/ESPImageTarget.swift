import ESPImage

extension FuzzTarget {
    static let espImage = FuzzTarget("esp-image", seeds: { [Samples.espImage] }) { input in
        let image = try ESPImage(input)
        try BrokenPromise.check(image.bytes == input, "the image is not what was given")
        try BrokenPromise.check(image.segments.allSatisfy { $0.range.upperBound < input.count }, "a segment ends behind the image")
        try BrokenPromise.check(image.descriptor.range.upperBound <= image.segments[0].range.upperBound, "a descriptor without its segment")
        try image.check(for: ESPTarget(chip: .esp32s3, projectName: "sample", slotByteCount: 1 << 20))
    }
}

extension Samples {
    /// One segment with a descriptor, and no digest.
    static let espImage: [UInt8] = {
        func text(_ value: String, _ count: Int) -> [UInt8] {
            Array(value.utf8) + [UInt8](repeating: 0, count: count - value.utf8.count)
        }
        let texts = text("1.0", 32) + text("sample", 32) + text("12:00:00", 16) + text("Jan  1 2026", 16) + text("v6.1", 32)
        let descriptor = [0x32, 0x54, 0xCD, 0xAB] + [UInt8](repeating: 0, count: 12) + texts + [UInt8](repeating: 0, count: 112)
        let header = [0xE9, 1, 2, 0x2F] + [0, 0, 0x37, 0x40] + [0xEE, 0, 0, 0, 9, 0] + [UInt8](repeating: 0, count: 10)
        let segment: [UInt8] = [0x20, 0, 0, 0x3C, 0, 1, 0, 0]
        let body = header + segment + descriptor
        return body + [UInt8](repeating: 0, count: 15 - body.count % 16) + [descriptor.reduce(0xEF, ^)]
    }()
}
