/// WAV files, made here so that reader and writer share no code.
package enum WaveBytes {
    /// - Parameter samples: with more than one channel, interleaved.
    package static func file(
        _ samples: [Int16], rate: Int, channels: Int = 1, format: Int = 1, bits: Int = 16, extra: [UInt8] = []
    ) -> [UInt8] {
        let data = samples.flatMap { word(Int(UInt16(bitPattern: $0)), 2) }
        let description = word(format, 2) + word(channels, 2) + word(rate, 4) + word(rate * channels * 2, 4)
            + word(channels * 2, 2) + word(bits, 2)
        let body = Array("WAVE".utf8) + chunk("fmt ", description) + extra + chunk("data", data)
        return chunk("RIFF", body)
    }

    /// What a unit that records at this rate and 8 bits takes for these bytes.
    package static func eightBit(_ bytes: [UInt8], rate: Int = 8000) -> [UInt8] {
        file(bytes.map { Int16(bitPattern: UInt16($0) << 8) }, rate: rate)
    }

    package static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        Array(name.utf8) + word(body.count, 4) + body + (body.count.isMultiple(of: 2) ? [] : [0])
    }

    private static func word(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}
