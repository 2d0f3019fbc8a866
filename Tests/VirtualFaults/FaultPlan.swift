import VirtualDevices

/// Faults of the air and of the power, drawn from a seed so that a run can be repeated.
package struct FaultPlan: UnitFaults {
    /// A link that breaks: both sides notice after the supervision timeout. Power that is lost comes back two seconds later.
    package typealias Cut = UserInput.Cut

    /// What happens when so many packets have been delivered to the unit.
    package var cuts: [Int: Cut] = [:]
    /// Probability 0…1 that a write without response or a notification is lost, has a bit flipped, or is late.
    package var loss = 0.0
    package var corruption = 0.0
    package var delay = 0.0
    /// That a connection event is missed, and those of up to 1.9 s after it.
    package var silence = 0.0
    /// Numbers of connection events from which on neither side hears the other for 1.9 s.
    package var silentEvents: Set<Int> = []
    /// Counted from the last notification of the app's service.
    package var silentEventAfterData: Int?
    package var seed: UInt64 = 1
    /// Numbers of packets on the data characteristic whose interrupt meets an allocation: the unit hears nothing more until its
    /// power is cut.
    package var deafAtDataPackets: Set<Int> = []
    /// Numbers of packets on the data characteristic that the unit acknowledges and its program never gets.
    package var droppedDataPackets: Set<Int> = []
    /// Numbers of packets on the data characteristic whose callback crashes the unit.
    package var crashesAtDataPackets: Set<Int> = []
    /// Numbers of break signals that the unit does not notice.
    package var swallowedBreaks: Set<Int> = []
    /// Numbers of notifications on the data characteristic that the host never gets.
    package var lostDataNotifications: Set<Int> = []
    /// Words of the unit's flash at which its power is cut: the one with this number is not written any more.
    package var flashCuts: Set<Int> = []
    /// The same of the flash that its bootloader writes.
    package var firmwareCuts: Set<Int> = []
    /// Packets to the unit that are lost if they are writes without response, counted as for ``cuts``.
    package var lostPackets: Set<Int> = []
    /// Notifications that are lost.
    package var lostNotifications: Set<Int> = []
    /// Such packets and notifications in which a bit is wrong.
    package var damagedPackets: Set<Int> = []
    package var damagedNotifications: Set<Int> = []
    /// Hears each packet to the unit and each notification.
    package var ear: (@Sendable (String) -> Void)?

    private var (eventCount, eventsAfterData) = (0, 0)
    private var notificationCount = 0
    private var dataNotificationCount = 0

    package init() {}

    package func receive(_ packet: HostPacket, number: Int) { ear?("> \(packet)") }

    package func cut(packet: Int) -> Cut? { cuts[packet] }

    package func cut(words: Range<Int>) -> Int? { flashCuts.filter(words.contains).min() }

    package func cut(firmwareWords words: Range<Int>) -> Int? { firmwareCuts.filter(words.contains).min() }

    package func dataPacket(_ number: Int) -> DataPacketFault? {
        if crashesAtDataPackets.contains(number) { return .crash }
        if droppedDataPackets.contains(number) { return .loss }
        return deafAtDataPackets.contains(number) ? .deafness : nil
    }

    package func swallowsBreak(_ number: Int) -> Bool { swallowedBreaks.contains(number) }

    package mutating func transmitCommand(_ value: [UInt8], packet: Int, using generator: inout SeededGenerator) -> [UInt8]? {
        lostPackets.contains(packet) ? nil : transmit(value, isDamaged: damagedPackets.contains(packet), &generator)
    }

    package mutating func drawDelay(using generator: inout SeededGenerator) -> Duration? {
        Self.chance(delay, &generator) ? .milliseconds(Int.random(in: 20...400, using: &generator)) : nil
    }

    package mutating func drawSilence(using generator: inout SeededGenerator) -> Duration? {
        eventCount += 1
        eventsAfterData += 1
        let isAfterData = silentEventAfterData == eventsAfterData && dataNotificationCount > 0
        if isAfterData || silentEvents.contains(eventCount) { return .milliseconds(1900) }
        return Self.chance(silence, &generator) ? .milliseconds(Int.random(in: 20...1900, using: &generator)) : nil
    }

    package mutating func transmitNotification(_ value: [UInt8], isData: Bool, using generator: inout SeededGenerator) -> [UInt8]? {
        notificationCount += 1
        ear?("< \(value)")
        if isData { (dataNotificationCount, eventsAfterData) = (dataNotificationCount + 1, 0) }
        let isLost = lostNotifications.contains(notificationCount) || isData && lostDataNotifications.contains(dataNotificationCount)
        return isLost ? nil : transmit(value, isDamaged: damagedNotifications.contains(notificationCount), &generator)
    }

    private func transmit(_ value: [UInt8], isDamaged: Bool, _ generator: inout SeededGenerator) -> [UInt8]? {
        if Self.chance(loss, &generator) { return nil }
        guard !value.isEmpty, isDamaged || Self.chance(corruption, &generator) else { return value }
        var damaged = value
        damaged[Int.random(in: 0..<value.count, using: &generator)] ^= UInt8(1 << Int.random(in: 0..<8, using: &generator))
        return damaged
    }

    private static func chance(_ probability: Double, _ generator: inout SeededGenerator) -> Bool {
        probability > 0 && Double.random(in: 0..<1, using: &generator) < probability
    }
}
