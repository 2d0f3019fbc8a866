#if canImport(Glibc)
import Glibc
#endif

/// Sound from glasses: signed 8-bit samples, mono (Monocle: 8 kHz).
public struct Sound: Sendable, Hashable {
    public var samples: [Int8]
    public var rate: Int

    init(samples: [Int8], rate: Int = 8000) { (self.samples, self.rate) = (samples, max(1, rate)) }

    /// - Parameter bytes: two's complement samples from the air.
    init(bytes: [UInt8], rate: Int = 8000) {
        self.init(samples: bytes.map { Int8(bitPattern: $0) }, rate: rate)
    }

    public var seconds: Double { Double(samples.count) / Double(rate) }

    /// Root mean square relative to full scale in dBFS: 0 the loudest square wave, −45 about one step; `nil` for silence.
    public var level: Double? {
        let sum = samples.reduce(0.0) { $0 + Double($1) * Double($1) }
        return Self.decibels((sum / Double(max(1, samples.count))).squareRoot())
    }

    /// The loudest sample relative to full scale in dBFS; `nil` for silence.
    var peak: Double? { Self.decibels(samples.map { abs(Double($0)) }.max() ?? 0) }

    private static func decibels(_ value: Double) -> Double? { value > 0 ? 20 * log10(value / 128) : nil }
}
