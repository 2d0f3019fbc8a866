import Assistant
import Foundation

/// A WAV file of 16-bit mono sound, the input of speech models.
enum WAVFile {
    static let rate = 16_000

    /// - Parameter sound: 8 kHz becomes 16 kHz; another rate stays.
    static func bytes(of sound: Sound) -> [UInt8] {
        let wide = sound.rate * 2 == rate ? Interpolation.doubled(sound.samples) : sound.samples.map { Int16($0) << 8 }
        return header(sampleCount: wide.count, rate: sound.rate * 2 == rate ? rate : sound.rate)
            + wide.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    }

    private static func header(sampleCount: Int, rate: Int) -> [UInt8] {
        let dataCount = UInt32(clamping: sampleCount * 2)
        return Array("RIFF".utf8) + little(36 + dataCount) + Array("WAVEfmt ".utf8) + little(UInt32(16))
            + little(UInt16(1)) + little(UInt16(1)) + little(UInt32(clamping: rate)) + little(UInt32(clamping: rate * 2))
            + little(UInt16(2)) + little(UInt16(16)) + Array("data".utf8) + little(dataCount)
    }

    private static func little(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian, Array.init)
    }
}

/// Doubles the samples. A windowed sinc (a half-band filter) makes those between, so that no image of the voice appears above 4 kHz, as
/// it would with repeated or linear samples.
enum Interpolation {
    /// Weights of the samples at distance ½, 1½, 2½… on both sides; their sum is ½.
    static let weights: [Double] = {
        let count = 16
        let raw = (0..<count).map { index -> Double in
            let distance = Double(index) + 0.5
            let phase = Double.pi * distance / Double(count)
            let blackman = 0.42 + 0.5 * cos(phase) + 0.08 * cos(2 * phase)
            return sin(Double.pi * distance) / (Double.pi * distance) * blackman
        }
        let sum = raw.reduce(0, +) * 2
        return raw.map { $0 / sum }
    }()

    static func doubled(_ samples: [Int8]) -> [Int16] {
        guard let last = samples.indices.last else { return [] }
        var result: [Int16] = []
        result.reserveCapacity(samples.count * 2)
        for index in samples.indices {
            var between = 0.0
            for (distance, weight) in weights.enumerated() {
                let (left, right) = (samples[max(0, index - distance)], samples[min(last, index + 1 + distance)])
                between += weight * (Double(left) + Double(right))
            }
            result.append(Int16(samples[index]) << 8)
            result.append(Int16(clamping: Int((between * 256).rounded())))
        }
        return result
    }
}

/// A `multipart/form-data` body (RFC 7578).
struct MultipartForm {
    /// 128 random bits, which no content holds by accident.
    let boundary = "noafw-" + (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
    private var content: [UInt8] = []

    var contentType: String { "multipart/form-data; boundary=\(boundary)" }
    var body: [UInt8] { content + Array("--\(boundary)--\r\n".utf8) }

    /// - Parameter name: from this program, without quotation marks.
    mutating func add(_ name: String, _ value: String) {
        content += Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
    }

    mutating func add(_ name: String, fileName: String, type: String, _ bytes: [UInt8]) {
        let disposition = "Content-Disposition: form-data; name=\"\(name)\"; filename=\"\(fileName)\""
        content += Array("--\(boundary)\r\n\(disposition)\r\nContent-Type: \(type)\r\n\r\n".utf8) + bytes + Array("\r\n".utf8)
    }
}
