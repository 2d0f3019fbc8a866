/// The microphone with its ring of 32,768 samples at 16 kHz, which silently starts over when it is not read in time
/// (microphone.c). It keeps running through a break and a reset of Lua. Firmware before `start` stops it when a ring of 80,000
/// samples is full.
struct FrameMicrophone {
    private(set) var isRunning = false
    private var samples: [Int16] = []
    private var rate = 8000
    private var depth = 8
    private var start = Duration.zero
    /// When it was stopped, or stops by itself.
    private var end: Duration?
    private var isEarly = false
    /// In samples.
    private var taken = 0
    /// It stops at the end of a buffer; until then the driver accepts no other command.
    private var busyUntil = Duration.zero

    private static let fullRate = 16_000
    private static let ringSize = 32_768
    private static let bufferSize = 128
    private static let stopTime = Duration.milliseconds(50)
    private static let earlyRingSize = 80_000
    private static let earlyBufferSize = 100
    /// The ring less one buffer.
    private static let earlyCapacity = earlyRingSize - earlyBufferSize

    func isBusy(at now: Duration) -> Bool { now < busyUntil }

    /// - Parameters:
    ///   - rate: Hz.
    ///   - depth: bits a sample, 4, 8 or 16, signed.
    ///   - limit: when it stops by itself, in firmware before `start`.
    mutating func start(_ sound: Sound, rate: Int, depth: Int, limit: Duration?, now: Duration) {
        self = FrameMicrophone()
        samples = sound.resampled(to: rate)
        (self.rate, self.depth) = (rate, depth)
        isEarly = limit != nil
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

    /// - Parameter isEndless: an empty read does not mean the end.
    /// - Returns: `nil` when it has stopped and everything is read.
    mutating func read(_ count: Int, now: Duration, isEndless: Bool) -> [UInt8]? {
        guard isRunning || end != nil else { return nil }
        let available = isEarly ? earlyCount(now: now) : ringCount(now: now)
        guard available > 0 else { return isRunning && isEndless ? [] : nil }
        let number = min(available, count * 8 / depth)
        defer { taken += number }
        guard depth == 4 else { return (taken..<taken + number).flatMap(sample) }
        return stride(from: taken, to: taken + number, by: 2).map { sample($0)[0] & 0xF0 | sample($0 + 1)[0] >> 4 }
    }

    /// In samples, whole buffers only.
    private func heard(until time: Duration, by buffer: Int) -> Int {
        Int((min(time, end ?? time) - start) / .microseconds(1)) * rate / 1_000_000 / buffer * buffer
    }

    private mutating func ringCount(now: Duration) -> Int {
        let heard = self.heard(until: now, by: Self.bufferSize * rate / Self.fullRate)
        let ring = Self.ringSize * rate / Self.fullRate
        if heard - taken >= ring { taken = heard - (heard - taken) % ring }
        return heard - taken
    }

    /// Early firmware averages one, two or four samples of the ring.
    private mutating func earlyCount(now: Duration) -> Int {
        let window = rate > 10_000 ? 1 : rate > 5000 ? 2 : 4
        let heard = self.heard(until: now, by: Self.earlyBufferSize / window)
        let last = taken + Self.earlyCapacity / window
        guard heard > last else { return heard - taken }
        end = start + .microseconds(last * 1_000_000 / rate + 1)
        return last - taken
    }

    private func sample(_ index: Int) -> [UInt8] {
        let bytes = (index < samples.count ? samples[index] : 0).littleEndianBytes
        guard depth == 16 else { return [bytes[1]] }
        return isEarly ? bytes.reversed() : bytes
    }
}
