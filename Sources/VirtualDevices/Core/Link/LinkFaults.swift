/// What a ``FaultPlan`` has done so far: its counts, and what it draws from its seed.
struct LinkFaults {
    let plan: FaultPlan
    var generator: SeededGenerator
    /// Packets that have reached the unit, over its whole run.
    private(set) var packetCount = 0
    /// Words that were written to the unit's flash, over its whole run.
    private(set) var flashWordCount = 0
    private var notificationCount = 0
    private var dataNotificationCount = 0

    init(_ plan: FaultPlan) {
        self.plan = plan
        generator = SeededGenerator(seed: plan.seed)
    }

    /// One more packet reaches the unit; tells what its coming cuts.
    mutating func countPacket() -> FaultPlan.Cut? {
        packetCount += 1
        return plan.cuts[packetCount]
    }

    /// The unit begins to write so many words to its flash.
    /// - Returns: how many of them are written before its power is cut; `nil` when it is not.
    mutating func countFlashWords(_ count: Int) -> Int? {
        let first = flashWordCount + 1
        flashWordCount += count
        guard let cut = plan.flashCuts.filter({ $0 >= first && $0 < first + count }).min() else { return nil }
        flashWordCount = cut
        return cut - first
    }

    /// The packet counted last, a write without response, as the air leaves it: `nil` when lost.
    mutating func transmitCommand(_ value: [UInt8]) -> [UInt8]? {
        plan.lostPackets.contains(packetCount) ? nil : transmit(value)
    }

    /// How late the packet counted last is.
    mutating func drawDelay() -> Duration? {
        chance(plan.delay) ? .milliseconds(Int.random(in: 20...400, using: &generator)) : nil
    }

    /// A notification as the air leaves it: `nil` when lost.
    mutating func transmitNotification(_ value: [UInt8], isData: Bool) -> [UInt8]? {
        notificationCount += 1
        if isData { dataNotificationCount += 1 }
        let isLost = plan.lostNotifications.contains(notificationCount)
            || isData && plan.lostDataNotifications.contains(dataNotificationCount)
        return isLost ? nil : transmit(value)
    }

    private mutating func transmit(_ value: [UInt8]) -> [UInt8]? {
        if chance(plan.loss) { return nil }
        guard !value.isEmpty, chance(plan.corruption) else { return value }
        var damaged = value
        damaged[Int.random(in: 0..<value.count, using: &generator)] ^= UInt8(1 << Int.random(in: 0..<8, using: &generator))
        return damaged
    }

    private mutating func chance(_ probability: Double) -> Bool {
        probability > 0 && Double.random(in: 0..<1, using: &generator) < probability
    }
}
