import Foundation

/// What a virtual microphone can hear.
enum VirtualSound: Sendable, Hashable {
    case silence
    /// Bytes as the unit records them, whatever it asks for.
    case raw([UInt8])
    case sound(Sound)
}

/// One recording: its samples can be read once their time has come.
struct VirtualRecording: Sendable {
    private var left: ArraySlice<UInt8>
    private let start: Duration
    private let bytesPerSample: Int
    private let rate: Int
    private var taken = 0

    private static let maximumMilliseconds = 60_000

    /// - Parameters:
    ///   - bytesPerSample: 1 (signed 8-bit) or 2 (signed 16-bit, little-endian).
    ///   - rate: Hz.
    init(of source: VirtualSound, milliseconds: Int, bytesPerSample: Int, rate: Int, start: Duration) {
        self.start = start
        self.bytesPerSample = bytesPerSample
        self.rate = rate
        let count = min(max(0, milliseconds), Self.maximumMilliseconds) * rate / 1000 * bytesPerSample
        let bytes: [UInt8]
        switch source {
        case .silence: bytes = []
        case .raw(let raw): bytes = Array(raw.prefix(count))
        case .sound(let sound):
            bytes = Array(
                sound.resampled(to: rate).prefix(count / bytesPerSample).flatMap { sample -> [UInt8] in
                    let word = UInt16(bitPattern: sample)
                    let (low, high) = (UInt8(truncatingIfNeeded: word), UInt8(word >> 8))
                    return bytesPerSample == 2 ? [low, high] : [high]
                })
        }
        left = (bytes + [UInt8](repeating: 0, count: count - bytes.count))[...]
    }

    /// Whether every sample has been read.
    var isOver: Bool { left.isEmpty }

    mutating func read(bytes: Int, now: Duration) -> [UInt8] { read(samples: bytes / bytesPerSample, now: now) }

    mutating func read(samples: Int, now: Duration) -> [UInt8] {
        let heard = Int((now - start) / .microseconds(1)) * rate / 1_000_000
        let count = max(0, min(samples, heard - taken)) * bytesPerSample
        let piece = Array(left.prefix(count))
        left = left.dropFirst(piece.count)
        taken += piece.count / bytesPerSample
        return piece
    }
}
