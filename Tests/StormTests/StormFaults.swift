import Bluetooth
import Cryptography
import Support
import Synchronization
import VirtualDevices
import VirtualFaults

/// A unit's faults in a storm, and an ear on its air.
struct StormFaults: UnitFaults {
    let seed: UInt64
    private let unit: Int
    /// Those that aim get their numbers when their moment comes.
    private var faults: [StormFault]
    private let air: VirtualAir
    private let log: StormLog
    private var plan = FaultPlan()
    private var notifications = 0
    private var moments: [StormMoment: Int] = [:]

    init(_ plan: StormPlan, unit: Int, air: VirtualAir, log: StormLog) {
        (seed, self.unit, self.air, self.log) = (plan.seed &+ UInt64(unit), unit, air, log)
        faults = plan.faults.filter { $0.unit == unit }
        for fault in faults where fault.moment == nil { add(fault) }
    }

    private mutating func aim(at moment: StormMoment, _ number: Int) {
        moments[moment, default: 0] += 1
        log.count(moment, unit)
        for index in faults.indices where faults[index].moment == moment && faults[index].turn == moments[moment] {
            faults[index].moment = nil
            faults[index].at += faults[index].kind == .lostNotification ? notifications + 1 : number
            add(faults[index])
        }
    }

    private mutating func add(_ fault: StormFault) {
        switch fault.kind {
        case .link: plan.cuts[fault.at] = .link
        case .power: plan.cuts[fault.at] = .power
        case .flashCut: plan.flashCuts.insert(fault.at)
        case .firmwareCut: plan.firmwareCuts.insert(fault.at)
        case .lostPacket: plan.lostPackets.insert(fault.at)
        case .lostNotification: plan.lostNotifications.insert(fault.at)
        case .damagedPacket: plan.damagedPackets.insert(fault.at)
        case .damagedNotification: plan.damagedNotifications.insert(fault.at)
        case .loss: plan.loss += fault.rate
        case .corruption: plan.corruption += fault.rate
        case .delay: plan.delay += fault.rate
        case .silence:
            plan.silence += fault.rate
            plan.silentEvents.insert(fault.at)
        case .deaf: plan.deafAtDataPackets.insert(fault.at)
        case .dropped: plan.droppedDataPackets.insert(fault.at)
        case .crash: plan.crashesAtDataPackets.insert(fault.at)
        case .swallowedBreak: plan.swallowedBreaks.insert(fault.at)
        case .dying, .cancel, .battery, .busy, .interrupt, .clock, .station, .locked, .catalogue, .claims, .uploads: break
        }
    }

    mutating func receive(_ packet: HostPacket, number: Int) {
        log.add(unit, air, packet)
        if let moment = StormMoment(packet) { aim(at: moment, number) }
        if faults.contains(where: { $0.kind == .cancel && $0.moment == nil && $0.at == number }) {
            log.reach(.cancel)
            log.cancel()
        }
    }

    func cut(packet: Int) -> UserInput.Cut? {
        let isDying = faults.contains { $0.kind == .dying && $0.moment == nil && $0.at <= packet }
        let cut = isDying ? .power : plan.cut(packet: packet)
        if let cut { log.reach(isDying ? .dying : cut == .link ? .link : .power) }
        return cut
    }

    mutating func transmitCommand(_ value: [UInt8], packet: Int, using generator: inout SeededGenerator) -> [UInt8]? {
        let sent = plan.transmitCommand(value, packet: packet, using: &generator)
        if sent != value {
            let isPlanned = plan.lostPackets.union(plan.damagedPackets).contains(packet)
            log.reach(sent != nil ? isPlanned ? .damagedPacket : .corruption : isPlanned ? .lostPacket : .loss)
        }
        return sent
    }

    mutating func drawDelay(using generator: inout SeededGenerator) -> Duration? {
        let delay = plan.drawDelay(using: &generator)
        if delay != nil { log.reach(.delay) }
        return delay
    }

    mutating func drawSilence(using generator: inout SeededGenerator) -> Duration? {
        let silence = plan.drawSilence(using: &generator)
        if silence != nil { log.reach(.silence) }
        return silence
    }

    mutating func transmitNotification(_ value: [UInt8], isData: Bool, using generator: inout SeededGenerator) -> [UInt8]? {
        notifications += 1
        let sent = plan.transmitNotification(value, isData: isData, using: &generator)
        log.add(unit, air, "<", value, isSent: sent != nil)
        if sent != value {
            let isPlanned = plan.lostNotifications.union(plan.damagedNotifications).contains(notifications)
            log.reach(sent != nil ? isPlanned ? .damagedNotification : .corruption : isPlanned ? .lostNotification : .loss)
        }
        return sent
    }

    func cut(words: Range<Int>) -> Int? {
        let cut = plan.cut(words: words)
        if cut != nil { log.reach(.flashCut) }
        return cut
    }

    func cut(firmwareWords words: Range<Int>) -> Int? {
        let cut = plan.cut(firmwareWords: words)
        if cut != nil { log.reach(.firmwareCut) }
        return cut
    }

    func dataPacket(_ number: Int) -> DataPacketFault? {
        let fault = plan.dataPacket(number)
        switch fault {
        case .crash: log.reach(.crash)
        case .loss: log.reach(.dropped)
        case .deafness: log.reach(.deaf)
        case nil: break
        }
        return fault
    }

    func swallowsBreak(_ number: Int) -> Bool {
        let isSwallowed = plan.swallowsBreak(number)
        if isSwallowed { log.reach(.swallowedBreak) }
        return isSwallowed
    }

    func end(isAtPrompt: Bool) { log.end(unit, isAtPrompt: isAtPrompt) }
}

/// What happened in a world, in order, on its clock.
final class StormLog: Sendable {
    private struct State {
        var lines: [String] = []
        var bytes = 0
        var reached: Set<StormFault.Kind> = []
        var units: [Int: Unit] = [:]
        var cancel: (@Sendable () -> Void)?
    }

    /// What the air and the unit itself tell of it.
    struct Unit {
        var moments: [StormMoment: Int] = [:]
        /// Of firmware, in bytes.
        var firmware = 0
        /// At last.
        var isAtPrompt = false
    }

    private let state = Mutex(State())

    func unit(_ number: Int) -> Unit { state.withLock { $0.units[number] ?? Unit() } }
    func count(_ moment: StormMoment, _ unit: Int) { state.withLock { $0.units[unit, default: Unit()].moments[moment, default: 0] += 1 } }

    func end(_ unit: Int, isAtPrompt: Bool) { state.withLock { $0.units[unit, default: Unit()].isAtPrompt = isAtPrompt } }

    /// Bytes to the units.
    var byteCount: Int { state.withLock(\.bytes) }
    var reached: Set<StormFault.Kind> { state.withLock(\.reached) }
    var lines: [String] { state.withLock(\.lines) }

    func note(_ line: String) { state.withLock { $0.lines.append(line) } }
    func reach(_ kind: StormFault.Kind) { state.withLock { _ = $0.reached.insert(kind) } }
    func whenCancelled(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.cancel = body } }
    /// On the world's own thread, so that it always meets the same moment.
    func cancel() { state.withLock(\.cancel)?() }

    func add(_ unit: Int, _ air: VirtualAir, _ packet: HostPacket) {
        switch packet {
        case .write(let characteristic, let value, let reply):
            state.withLock {
                $0.bytes += value.count
                if characteristic == StormMoment.firmware { $0.units[unit, default: Unit()].firmware += value.count }
            }
            add(unit, air, reply == nil ? ">" : ">?", value, isSent: true)
        case .subscribe(_, let isOn, _): add(unit, air, isOn ? "subscribe" : "unsubscribe", [], isSent: true)
        case .secure: add(unit, air, "secure", [], isSent: true)
        case .disconnect: add(unit, air, "disconnect", [], isSent: true)
        }
    }

    func add(_ unit: Int, _ air: VirtualAir, _ what: String, _ value: [UInt8], isSent: Bool) {
        note("\(air.time.clock.now.offset) \(unit) \(what)\(isSent ? "" : "!") \(HexText.encode(value))")
    }

    var digest: String { SHA256.text(of: Array(lines.joined(separator: "\n").utf8)) }
}
