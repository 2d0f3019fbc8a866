import Bluetooth
import Support
import TestSupport
import VirtualDevices

@testable import DFU

/// A transfer machine on one side, the virtual bootloader on the other, a link that takes time and loses things between them.
/// Time is a number: whatever happens next happens at once.
struct TransferRig {
    struct Air {
        var mtu = 247
        /// For each packet, in the order in which they are written; a request takes as long.
        var packetTime = Duration.milliseconds(1.25)
        /// From the unit to the host.
        var notificationTime = Duration.milliseconds(11)
        /// Packets of the image, counted from 0 over all links.
        var lostPackets: Set<Int> = []
        var doubledPackets: Set<Int> = []
        /// Of 1, of packets in both directions.
        var loss = 0.0
        var duplicates = 0.0
        /// Notifications are held up for a while: so many of 1.
        var stalls = 0.0
        /// Link losses and power cuts, of 1 for each packet or notification.
        var linkLosses = 0.0
        var powerCuts = 0.0
        /// The notifications, counted from 0 over all links, that come late or never.
        var late: [Int: Duration] = [:]
        var lost: Set<Int> = []
        /// The link is lost after so many packets and notifications, counted over all links.
        var cutAt: Int?
        /// Notifications with this operation, the nth over all links counted from 1, come so late.
        var heldBack: [HeldBack] = []
        /// The unit saves its progress after every object.
        var savesAlways = false
    }

    struct HeldBack {
        var operation: UInt8
        var number: Int
        var delay: Duration
    }

    struct Outcome {
        var isUpdated: Bool
        var seconds: Double
        /// The unit runs something else.
        var isWrong = false
        var byteCount = 0
        var losses = 0
        var links = 0
        var failures: [DFUError] = []
    }

    private struct Item {
        var arrival: Duration
        var bytes: [UInt8]
        var isRequest: Bool
    }

    private let initPacket: [UInt8]
    private let image: [UInt8]
    let air: Air
    private var numbers: SeededNumbers
    private var bootloader: SecureBootloader
    private var now = Duration.zero
    private var line: [Item] = []
    private var lineFree = Duration.zero
    private var inbox: [(time: Duration, bytes: [UInt8])] = []
    private var lastDelivery = Duration.zero
    private var notificationCount = 0
    private var operationCounts: [UInt8: Int] = [:]
    private var mishapCount = 0
    private var packetCount = 0
    private var isLinked = false
    private var linkEnds: Duration?
    private var outcome = Outcome(isUpdated: false, seconds: 0)

    init(_ image: FirmwareImage, signedBy key: SigningKey, air: Air, flashSpeed: Double = 1, seed: UInt64 = 1) {
        self.init(
            initPacket: image.initPacket.bytes, image: image.bytes, trusting: key.publicCoordinates, air: air, flashSpeed: flashSpeed,
            seed: seed)
    }

    /// - Parameter coordinates: of the unit's key: x‖y, each byte-reversed.
    init(
        initPacket: [UInt8], image: [UInt8], trusting coordinates: [UInt8], air: Air = Air(), flashSpeed: Double = 1, seed: UInt64 = 1
    ) {
        self.initPacket = initPacket
        self.image = image
        self.air = air
        numbers = SeededNumbers(seed: seed)
        var configuration = BootloaderConfiguration(trustedKeys: [coordinates[..<32].reversed() + coordinates[32...].reversed()])
        configuration.pageEraseTime = configuration.pageEraseTime * (1 / flashSpeed)
        configuration.wordWriteTime = configuration.wordWriteTime * (1 / flashSpeed)
        bootloader = SecureBootloader(configuration: configuration, nonvolatile: BootloaderStorage(), now: .zero)
    }

    /// Transfers over one link after the other, as a run does, until the unit has the image.
    mutating func run(links limit: Int = 40) -> Outcome {
        while outcome.links < limit {
            outcome.links += 1
            if let error = transfer(lostLinks: outcome.links - 1) {
                outcome.failures.append(error)
                guard error.isPassing else { break }
            }
            outcome.seconds = now / .seconds(1)
            endLink()
            pass(until: now + .seconds(2))
            if bootloader.hasLeft { break }
        }
        outcome.isWrong = bootloader.hasLeft && bootloader.storage.application != image
        outcome.isUpdated = bootloader.hasLeft && bootloader.storage.application == image
        return outcome
    }

    /// - Returns: the error that it ended with.
    private mutating func transfer(lostLinks: Int) -> DFUError? {
        bootloader.connected(now: now)
        bootloader.setControlPointNotifications(true)
        (isLinked, linkEnds) = (true, nil)
        inbox.removeAll()
        lineFree = now
        var machine = TransferMachine(
            initPacket: initPacket, image: image,
            saveInterval: air.savesAlways ? .zero : DFUSession.saveInterval(after: lostLinks))
        let payload = SecureBootloader.negotiatedMTU(requested: air.mtu) - 3
        var event = TransferEvent.linkReady(payloadSize: payload)
        var (wait, deadline) = (TransferWait.pause, now)
        defer { note(machine.summary) }
        while true {
            let start = now
            for action in machine.handle(event, at: start) {
                switch action {
                case .writeControl(let bytes): write(bytes)
                case .sendPackets(let kind, let packets): send(kind, packets)
                case .wait(.pause, let duration): (wait, deadline) = (.pause, max(now, start + duration))
                case .wait(let next, let duration): (wait, deadline) = (next, now + duration)
                case .progress, .notice: break
                case .done: return nil
                case .fail(let error):
                    if case .transfer(.objectLost(.data, _, _)) = error { write([0x0C]) }
                    return error
                }
            }
            event = next(wait, deadline)
        }
    }

    private mutating func note(_ summary: TransferSummary) {
        outcome.byteCount += summary.byteCount
        outcome.losses += summary.losses
    }

    // MARK: - Host

    private mutating func send(_ kind: ObjectKind, _ packets: [Range<Int>]) {
        let bytes = kind == .command ? initPacket : image
        for packet in packets.map({ Array(bytes[$0]) }) {
            let copies = isLost(kind) || chance(air.loss) ? 0 : isDoubled || chance(air.duplicates) ? 2 : 1
            lineFree = max(lineFree, now) + air.packetTime
            for _ in 0..<copies { line.append(Item(arrival: lineFree, bytes: packet, isRequest: false)) }
            mishap()
        }
    }

    private mutating func isLost(_ kind: ObjectKind) -> Bool {
        if kind == .data { packetCount += 1 }
        return kind == .data && air.lostPackets.contains(packetCount - 1)
    }

    private var isDoubled: Bool { air.doubledPackets.contains(packetCount - 1) }

    /// Returns when the unit has acknowledged it.
    private mutating func write(_ bytes: [UInt8]) {
        guard isLinked else { return }
        lineFree = max(lineFree, now) + max(air.packetTime, .milliseconds(1))
        line.append(Item(arrival: lineFree, bytes: bytes, isRequest: true))
        pass(until: lineFree)
    }

    private mutating func next(_ wait: TransferWait, _ deadline: Duration) -> TransferEvent {
        while true {
            let unit = [line.first?.arrival, bootloader.nextDeadline].compactMap { $0 }.min() ?? .seconds(1 << 40)
            let limit = min(unit, deadline)
            if let end = linkEnds, end <= limit, wait != .pause {
                now = max(now, end)
                return .disconnected
            }
            if wait != .pause, wait != .disconnection, let message = inbox.first, message.time <= limit {
                now = max(now, message.time)
                return .notification(inbox.removeFirst().bytes)
            }
            guard unit <= deadline else {
                now = max(now, deadline)
                return .timedOut(wait)
            }
            pass(until: unit)
        }
    }

    // MARK: - Link and unit

    private mutating func pass(until time: Duration) {
        while let item = line.first, item.arrival <= time {
            line.removeFirst()
            if item.isRequest {
                _ = bootloader.writeControlPoint(item.bytes, now: item.arrival)
            } else {
                bootloader.writePacket(item.bytes, now: item.arrival)
            }
            collect()
        }
        bootloader.advance(to: time)
        collect()
        now = max(now, time)
    }

    private mutating func collect() {
        for effect in bootloader.takeEffects() {
            switch effect.event {
            case .notify(let bytes): notify(bytes, at: effect.time)
            case .storageChanged: break
            case .disconnected, .startedApplication, .restarted:
                linkEnds = linkEnds ?? effect.time + air.notificationTime
                isLinked = false
                line.removeAll()
            }
        }
    }

    private mutating func notify(_ bytes: [UInt8], at time: Duration) {
        defer { notificationCount += 1 }
        if air.lost.contains(notificationCount) || chance(air.loss) { return }
        var delivery = max(lastDelivery, time + air.notificationTime)
        if let delay = air.late[notificationCount] { delivery += delay }
        operationCounts[bytes[1], default: 0] += 1
        for held in air.heldBack where held.operation == bytes[1] && held.number == operationCounts[bytes[1]] { delivery += held.delay }
        if chance(air.stalls) { delivery += .milliseconds(Int.random(in: 300...2000, using: &numbers)) }
        lastDelivery = delivery
        inbox.append((delivery, bytes))
        if chance(air.duplicates) { inbox.append((delivery, bytes)) }
        mishap()
    }

    private mutating func mishap() {
        guard isLinked else { return }
        mishapCount += 1
        if air.cutAt == mishapCount { return endLink() }
        if chance(air.powerCuts) {
            endLink()
            bootloader = SecureBootloader(configuration: bootloader.configuration, nonvolatile: bootloader.storage, now: now)
        } else if chance(air.linkLosses) {
            endLink()
        }
    }

    private mutating func endLink() {
        linkEnds = linkEnds ?? now
        isLinked = false
        line.removeAll()
        bootloader.disconnected(now: now)
    }

    private mutating func chance(_ probability: Double) -> Bool {
        probability > 0 && Double.random(in: 0..<1, using: &numbers) < probability
    }
}

extension DFUError {
    /// What another link may mend.
    fileprivate var isPassing: Bool {
        switch self {
        case .transfer(.objectLost), .transfer(.noAnswer), .transfer(.linkLost): true
        default: diagnosis.code == "DFU-0B0C"
        }
    }
}
