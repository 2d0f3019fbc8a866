/// One channel of 16-bit samples.
struct Sound: Equatable {
    var samples: [Int16]
    /// Hz.
    var rate: Int

    static let silence = Sound(samples: [], rate: 8000)

    /// Downsampling averages over each new sample's time; upsampling interpolates linearly.
    func resampled(to newRate: Int) -> [Int16] {
        guard newRate != rate, newRate > 0, rate > 0, !samples.isEmpty else { return samples }
        let step = Double(rate) / Double(newRate)
        return (0..<max(1, samples.count * newRate / rate)).map { index in
            let start = Double(index) * step
            let first = min(Int(start), samples.count - 1)
            let last = min(max(first + 1, Int(start + step)), samples.count)
            if step >= 1 {
                let sum = samples[first..<last].reduce(0) { $0 + Int($1) }
                return Int16(clamping: sum / (last - first))
            }
            let next = min(first + 1, samples.count - 1)
            let part = start - Double(first)
            return Int16(clamping: Int((Double(samples[first]) * (1 - part) + Double(samples[next]) * part).rounded()))
        }
    }
}

/// Reads RIFF files: 16-bit PCM; several channels are mixed.
enum WaveFile {
    struct Unusable: Error, Equatable { let reason: String }

    static let rates = 4000...192_000
    static let maximumSeconds = 60
    private static let maximumChannels = 8
    /// `WAVE_FORMAT_EXTENSIBLE`: the real format begins the sub-format.
    private static let extensible = 0xFFFE

    static func read(_ bytes: [UInt8]) throws(Unusable) -> Sound {
        guard bytes.count >= 12, bytes.starts(with: Array("RIFF".utf8)), Array(bytes[8..<12]) == Array("WAVE".utf8) else {
            throw Unusable(reason: "it is no WAV file")
        }
        var format: (channels: Int, rate: Int)?
        var start = 12
        while start + 8 <= bytes.count {
            let name = String(decoding: bytes[start..<start + 4], as: UTF8.self)
            let body = start + 8
            // A writer to a pipe leaves a length past the end.
            let end = min(bytes.count, body + number(bytes, at: start + 4, count: 4))
            if name == "fmt " {
                format = try readFormat(bytes[body..<end])
            } else if name == "data", let format {
                return try mix(bytes[body..<end], channels: format.channels, rate: format.rate)
            }
            start = end + (end - body) % 2
        }
        throw Unusable(reason: format == nil ? "it does not say what its samples are" : "it holds no samples")
    }

    private static func readFormat(_ chunk: ArraySlice<UInt8>) throws(Unusable) -> (channels: Int, rate: Int) {
        let bytes = Array(chunk)
        guard bytes.count >= 16 else { throw Unusable(reason: "its description of the samples is cut off") }
        var kind = number(bytes, at: 0, count: 2)
        if kind == extensible, bytes.count >= 26 { kind = number(bytes, at: 24, count: 2) }
        let channels = number(bytes, at: 2, count: 2)
        let rate = number(bytes, at: 4, count: 4)
        guard kind == 1, number(bytes, at: 14, count: 2) == 16 else { throw Unusable(reason: "its samples are not 16-bit PCM") }
        guard (1...maximumChannels).contains(channels) else { throw Unusable(reason: "it has \(channels) channels") }
        guard rates.contains(rate) else { throw Unusable(reason: "its rate is \(rate) Hz") }
        return (channels, rate)
    }

    private static func mix(_ data: ArraySlice<UInt8>, channels: Int, rate: Int) throws(Unusable) -> Sound {
        let count = data.count / (2 * channels)
        guard count <= maximumSeconds * rate else { throw Unusable(reason: "it is longer than \(maximumSeconds) s") }
        let bytes = Array(data)
        let samples = (0..<count).map { index in
            let sum = (0..<channels).reduce(0) { sum, channel in
                sum + Int(Int16(littleEndian: bytes[(2 * (index * channels + channel))...]))
            }
            return Int16(clamping: sum / channels)
        }
        return Sound(samples: samples, rate: rate)
    }

    /// The caller has checked the bounds.
    private static func number(_ bytes: [UInt8], at start: Int, count: Int) -> Int { Int(littleEndian: bytes[start..<start + count]) }
}

/// One recording: samples become readable at their time.
struct VirtualRecording {
    private var left: ArraySlice<UInt8>
    private let start: Duration
    private let bytesPerSample: Int
    private let rate: Int
    private var taken = 0

    private static let maximumMilliseconds = 60_000

    /// - Parameters:
    ///   - bytesPerSample: 1 (signed 8-bit) or 2 (signed 16-bit, little-endian).
    ///   - rate: Hz.
    init(of sound: Sound, milliseconds: Int, bytesPerSample: Int, rate: Int, start: Duration) {
        (self.start, self.bytesPerSample, self.rate) = (start, bytesPerSample, rate)
        let count = min(max(0, milliseconds), Self.maximumMilliseconds) * rate / 1000 * bytesPerSample
        let bytes = sound.resampled(to: rate).prefix(count / bytesPerSample).flatMap { $0.littleEndianBytes.suffix(bytesPerSample) }
        left = (bytes + [UInt8](repeating: 0, count: count - bytes.count))[...]
    }

    mutating func read(samples: Int, now: Duration) -> [UInt8] {
        let heard = Int((now - start) / .microseconds(1)) * rate / 1_000_000
        let count = max(0, min(samples, heard - taken)) * bytesPerSample
        let piece = Array(left.prefix(count))
        left = left.dropFirst(piece.count)
        taken += piece.count / bytesPerSample
        return piece
    }
}
