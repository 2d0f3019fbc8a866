import Bluetooth
import Support
import Synchronization
import TestSupport

@testable import DFU

/// A small model of a Nordic bootloader, written from the facts and not from the code under test. The parameters are
/// its faults.
final class ModelBootloader: Sendable {
    struct Faults: Sendable {
        /// Ordinals of packets that vanish or arrive changed, counted over the bootloader's life from 0.
        var dropped: Set<Int> = []
        var changed: Set<Int> = []
        /// The link dies when this packet is sent.
        var linkDiesAt: Int?
        /// While a page is erased this many packets find room.
        var buffers = 1000
        /// The n-th answer is not sent.
        var mutedAnswers: Set<Int> = []
        var executeResult: [UInt8]?
        /// Says this instead of its first answer.
        var garbage: [UInt8]?
        var staysConnected = false
        /// So many answers to something else follow a SELECT.
        var strayAnswers = 0
    }

    struct Kept: Sendable {
        var command: [UInt8] = []
        var commandSize = 0
        var hasCommand = false
        var image: [UInt8] = []
        var executed = 0
        var objectSize = 0
        var kind: UInt8 = 1
        var interval = 0
        var toReceipt = 0
        var erasedAt = Duration.zero
        var buffered = 0
        var packets = 0
        var answers = 0
        var isActivated = false
        var creates = 0
        var aborts = 0
    }

    let kept = Mutex(Kept())
    let faults: Mutex<Faults>
    let imageSize: Int
    let clock: SessionClock

    init(imageSize: Int, clock: SessionClock, faults: Faults = Faults()) {
        self.imageSize = imageSize
        self.clock = clock
        self.faults = Mutex(faults)
    }

    /// Progress of the image is not kept in flash, an accepted init packet is.
    func cutPower() {
        kept.withLock { kept in
            kept.image = []
            kept.executed = 0
            if !kept.hasCommand { kept.command = [] }
            kept.hasCommand = false
        }
    }

    /// The answer to a request; `nil` when a fault swallows it.
    func request(_ bytes: [UInt8]) -> [UInt8]? {
        let plan = faults.withLock { $0 }
        let now = clock.now.offset
        return kept.withLock { kept in
            kept.buffered = 0
            defer { kept.answers += 1 }
            let answer = [0x60, bytes[0]] + Self.result(of: bytes, &kept, plan, imageSize, now)
            if plan.mutedAnswers.contains(kept.answers) { return nil }
            return kept.answers == 0 ? plan.garbage ?? answer : answer
        }
    }

    private static func result(
        of bytes: [UInt8], _ kept: inout Kept, _ plan: Faults, _ imageSize: Int, _ now: Duration
    ) -> [UInt8] {
        switch bytes[0] {
        case 2:
            kept.interval = Int(bytes[1]) | Int(bytes[2]) << 8
            kept.toReceipt = kept.interval
            return [1]
        case 6:
            kept.kind = bytes[1]
            return [1] + little(UInt32(bytes[1] == 1 ? 512 : 4096)) + state(kept)
        case 3: return [1] + state(kept)
        case 1: return create(bytes, &kept, imageSize, now)
        case 4: return execute(&kept, plan, imageSize)
        case 0x0C:
            kept.aborts += 1
            return [1]
        default: return [2]
        }
    }

    private static func create(
        _ bytes: [UInt8], _ kept: inout Kept, _ imageSize: Int, _ now: Duration
    ) -> [UInt8] {
        let size = bytes[2...5].reversed().reduce(0) { $0 << 8 | Int($1) }
        kept.kind = bytes[1]
        kept.toReceipt = kept.interval
        kept.creates += 1
        if bytes[1] == 1 {
            (kept.command, kept.commandSize, kept.hasCommand) = ([], size, false)
            (kept.image, kept.executed) = ([], 0)
            return [1]
        }
        if size == 0 || (size % 4096 != 0 && kept.executed + size != imageSize) { return [3] }
        if size > 4096 { return [4] }
        guard kept.hasCommand, kept.executed + size <= imageSize else { return [8] }
        kept.image = Array(kept.image.prefix(kept.executed))
        kept.objectSize = size
        kept.erasedAt = now + .milliseconds(85)
        return [1]
    }

    private static func execute(_ kept: inout Kept, _ plan: Faults, _ imageSize: Int) -> [UInt8] {
        if kept.kind == 1 {
            guard kept.command.count == kept.commandSize, !kept.command.isEmpty else { return [8] }
            if let result = plan.executeResult { return result }
            kept.hasCommand = true
            return [1]
        }
        guard kept.image.count == kept.executed + kept.objectSize, kept.objectSize > 0 else { return [8] }
        kept.executed = kept.image.count
        kept.objectSize = 0
        kept.isActivated = kept.executed == imageSize
        return [1]
    }

    private static func state(_ kept: Kept) -> [UInt8] {
        let bytes = kept.kind == 1 ? kept.command : kept.image
        return little(UInt32(bytes.count)) + little(referenceCRC(bytes))
    }

    /// The receipt that a packet brings about, if any.
    func packet(_ packet: [UInt8]) -> [UInt8]? {
        let plan = faults.withLock { $0 }
        let now = clock.now.offset
        return kept.withLock { kept in
            defer { kept.packets += 1 }
            if now < kept.erasedAt {
                kept.buffered += 1
                if kept.buffered > plan.buffers { return nil }
            }
            if plan.dropped.contains(kept.packets) { return nil }
            var packet = packet
            if plan.changed.contains(kept.packets) { packet[0] ^= 0xFF }
            if kept.kind == 1 {
                kept.command += packet
            } else if kept.image.count + packet.count <= kept.executed + kept.objectSize {
                kept.image += packet
            }
            kept.toReceipt -= 1
            guard kept.interval > 0, kept.toReceipt == 0 else { return nil }
            kept.toReceipt = kept.interval
            return [0x60, 3, 1] + Self.state(kept)
        }
    }
}

/// One link to a model bootloader.
final class ModelLink: Connection {
    let address: DeviceAddress
    let payloadSize: Int
    func offers(_ characteristic: AttributeID) -> Bool { false }
    let unit: ModelBootloader
    let inbox = Inbox<[UInt8]>()
    let isGone = Mutex(false)
    let openChannels = Mutex(0)

    init?(to unit: ModelBootloader, payloadSize: Int = 244) {
        guard let address = DeviceAddress("C0:00:00:00:00:01") else { return nil }
        self.address = address
        self.payloadSize = payloadSize
        self.unit = unit
    }

    func die() {
        isGone.withLock { $0 = true }
        inbox.finish(throwing: LinkError.disconnected("model"))
    }

    func write(_ value: [UInt8], to characteristic: AttributeID, deadline: SessionClock.Instant) async throws {
        if isGone.withLock({ $0 }) { throw LinkError.disconnected("model") }
        if let answer = unit.request(value) { inbox.deliver(answer) }
        if value.first == 6 {
            for _ in 0..<unit.faults.withLock({ $0.strayAnswers }) { inbox.deliver([0x60, 0x0C, 1]) }
        }
        let resets = unit.kept.withLock { $0.isActivated } && !unit.faults.withLock { $0.staysConnected }
        if resets { die() }
    }

    func openChannel(
        to characteristic: AttributeID, deadline: SessionClock.Instant
    ) async throws -> any WriteChannel {
        openChannels.withLock { $0 += 1 }
        return ModelChannel(link: self)
    }

    func subscribe(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> Inbox<[UInt8]> {
        inbox
    }

    func disconnect() async { die() }

    func waitUntilGone(deadline: SessionClock.Instant) async throws {
        if isGone.withLock({ $0 }) { return }
        throw LinkError.timedOut("the link to end")
    }
}

private struct ModelChannel: WriteChannel {
    let link: ModelLink

    func send(_ packet: [UInt8], deadline: SessionClock.Instant) async throws {
        try Task.checkCancellation()
        let count = link.unit.kept.withLock { $0.packets }
        if link.unit.faults.withLock({ $0.linkDiesAt }) == count { link.die() }
        if link.isGone.withLock({ $0 }) { throw LinkError.disconnected("model") }
        if let receipt = link.unit.packet(packet) { link.inbox.deliver(receipt) }
    }

    func close() async { link.openChannels.withLock { $0 -= 1 } }
}
