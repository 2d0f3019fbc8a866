/// The microphone behind its ring of 32,768 samples at 16 kHz, which starts anew without a word when it is not read in time
/// (microphone.c). It runs on through a break and a reset of Lua.
struct FrameMicrophone {
    private(set) var isRunning = false
    private var source = VirtualSound.silence
    private var samples: [Int16] = []
    private var rate = 8000
    private var bytesPerSample = 1
    private var start = Duration.zero
    /// When it was stopped, or stops by itself.
    private var end: Duration?
    /// In samples.
    private var taken = 0
    /// It stops at the end of a buffer, and until then the driver takes no other order.
    private var busyUntil = Duration.zero

    private static let fullRate = 16_000
    private static let ringSize = 32_768
    private static let bufferSize = 128
    private static let stopTime = Duration.milliseconds(50)

    func isBusy(at now: Duration) -> Bool { now < busyUntil }

    /// - Parameters:
    ///   - rate: Hz, 8000 or 16000.
    ///   - depth: bits of a sample, 8 or 16, signed.
    ///   - limit: when it stops by itself, in firmware before `start`.
    mutating func start(_ sound: VirtualSound, rate: Int, depth: Int, limit: Duration?, now: Duration) {
        self = FrameMicrophone()
        source = sound
        if case .sound(let sound) = sound { samples = sound.resampled(to: rate) }
        self.rate = rate
        bytesPerSample = depth == 16 ? 2 : 1
        start = now
        end = limit.map { now + $0 }
        isRunning = limit == nil
    }

    mutating func stop(now: Duration) {
        guard isRunning else { return end = min(end ?? now, now) }
        isRunning = false
        end = now
        busyUntil = now + Self.stopTime
    }

    /// - Parameters:
    ///   - count: bytes at most.
    ///   - isEndless: nothing yet is told from the end.
    /// - Returns: `nil` when it has stopped and everything is read.
    mutating func read(_ count: Int, now: Duration, isEndless: Bool) -> [UInt8]? {
        guard isRunning || end != nil else { return nil }
        let buffer = Self.bufferSize * rate / Self.fullRate
        let heard = Int((min(now, end ?? now) - start) / .microseconds(1)) * rate / 1_000_000 / buffer * buffer
        var available = heard - taken
        let ring = Self.ringSize * rate / Self.fullRate
        if available >= ring {
            available %= ring
            taken = heard - available
        }
        guard available > 0 else { return isRunning && isEndless ? [] : nil }
        let number = min(available, count / bytesPerSample)
        defer { taken += number }
        return (taken..<taken + number).flatMap(sample)
    }

    private func sample(_ index: Int) -> [UInt8] {
        switch source {
        case .raw(let bytes):
            return (index * bytesPerSample..<(index + 1) * bytesPerSample).map { $0 < bytes.count ? bytes[$0] : 0 }
        case .sound, .silence:
            let word = UInt16(bitPattern: index < samples.count ? samples[index] : 0)
            let high = UInt8(truncatingIfNeeded: word >> 8)
            return bytesPerSample == 2 ? [UInt8(truncatingIfNeeded: word), high] : [high]
        }
    }
}
