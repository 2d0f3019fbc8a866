/// Spaces the packets of an object by what the bootloader's flash queue takes: an erase and fifteen packets, which drain once the page is
/// erased (nRF5 SDK, `nrf_fstorage_sd.c`: 16 entries). A packet that finds no room is dropped silently.
///
/// A loss makes all pauses longer, clean objects make them shorter again; if that led to the next loss, later than before.
public struct Pacing: Sendable, Hashable, CustomStringConvertible {
    /// In percent of the usual times.
    private static let scales = [100, 150, 225, 340, 510, 760]
    private static let firstProbation = 2
    private static let longestProbation = 32
    /// A loss within so many objects is blamed on the last speed-up.
    private static let suspicion = 3

    /// Packets that find room while the page is erased: one less than the queue has, and fewer after losses.
    var window: Int { Self.largestWindow - 2 * level }
    private static let largestWindow = 14
    /// The flash takes more of them while they come, once it has erased: half as many as the air brings.
    static let drainedMeanwhile = 3
    /// Packets that go at once after that.
    static let burst = 8
    /// An erase takes 85 ms, a word 41 µs (nRF52832); with a little on top.
    private static let eraseTime = Duration.milliseconds(90)
    private static let wordTime = Duration.microseconds(50)
    /// A settings page and its backup: two erases, 448 words.
    private static let settingsTime = Duration.milliseconds(188)
    private static let restTime = Duration.milliseconds(100)

    /// 0 is the fastest.
    private(set) var level = 0
    /// A packet behind the window arrived at this level. Until then only one is risked: a hole costs the object.
    private(set) var isProven = false
    private var cleanObjects = 0
    private var probation = firstProbation
    private var objectsSinceFaster: Int?
    /// An object of many packets tries the queue often, and loses one on the air often.
    var packetsPerObject = usualPackets
    private var lossesInARow = 0
    /// Clean objects came before them.
    private var isTrusted = false
    /// In packets of 244 bytes.
    static let usualPackets = 17

    /// In percent, by the time that the unit took to write its settings.
    private var flashScale = 100

    private var scale: Int { Self.scales[level] * flashScale / 100 }

    /// - Parameter time: less than usual when the unit had nothing to write.
    mutating func measure(settingsTime time: Duration) { flashScale = min(max(100, Int(time / Self.settingsTime * 100)), 300) }

    var eraseTime: Duration { scaled(Self.eraseTime) }
    var settingsTime: Duration { scaled(Self.settingsTime) * 9 / 8 }
    var restTime: Duration { scaled(Self.restTime) }
    func drainTime(byteCount: Int) -> Duration { scaled(Self.wordTime) * ((byteCount + 3) / 4) }

    private func scaled(_ time: Duration) -> Duration { time * scale / 100 }

    /// So many clean objects show that a pace holds: a later loss was on the air.
    private static let trust = 4

    private var trustedCount: Int { max(1, Self.trust * Self.usualPackets / packetsPerObject) }

    /// Losses in a row that count as the air's, which takes a packet here and there, at any pace; the queue takes many, or has room at a
    /// slow pace.
    private func tolerance(lost packets: Int) -> Int {
        let isFew = packets <= packetsPerObject / 50
        return max(isTrusted ? 1 : 0, isFew && (isTrusted || level >= Self.safeLevel) ? packetsPerObject / 25 : 0)
    }

    private static let safeLevel = 2

    /// - Parameter packets: of the object, at most.
    mutating func noteLoss(of packets: Int = 1) {
        if cleanObjects >= trustedCount { isTrusted = true }
        cleanObjects = 0
        lossesInARow += 1
        guard lossesInARow > tolerance(lost: packets) else { return }
        if let objects = objectsSinceFaster, objects < Self.suspicion { probation = min(probation * 2, Self.longestProbation) }
        objectsSinceFaster = nil
        change(level: min(level + 1, Self.scales.count - 1))
    }

    private mutating func change(level new: Int) {
        (level, cleanObjects, isProven) = (new, 0, false)
        (lossesInARow, isTrusted) = (0, false)
    }

    mutating func notePassage() { isProven = true }

    mutating func noteCleanObject() {
        cleanObjects += 1
        (lossesInARow, isTrusted) = (0, false)
        objectsSinceFaster = objectsSinceFaster.map { $0 + 1 }
        guard level > 0, cleanObjects >= max(1, probation * Self.usualPackets / packetsPerObject) else { return }
        change(level: level - 1)
        objectsSinceFaster = 0
    }

    public var description: String { level == 0 ? "the usual pauses" : "pauses of \(scale) percent" }
}
