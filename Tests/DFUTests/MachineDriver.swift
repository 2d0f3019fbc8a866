import TestSupport

@testable import DFU

/// Feeds a machine event by event.
struct MachineDriver {
    let command = Fixtures.image(141, seed: 2)
    let image: [UInt8]
    var machine: TransferMachine
    var now = Duration.zero
    /// From one event to the next.
    var roundTrip = Duration.milliseconds(10)

    init(imageSize: Int = 10_000) {
        image = Fixtures.image(imageSize)
        machine = TransferMachine(initPacket: command, image: image)
    }

    /// Pauses are over at once, the flash rests, and the packet that is risked first arrives.
    mutating func answer(_ bytes: [UInt8]) -> [TransferAction] { skippingPauses(handle(.notification(bytes))) }

    /// Time passes only in waits.
    mutating func handle(_ event: TransferEvent) -> [TransferAction] {
        now += roundTrip
        return machine.handle(event, at: now)
    }

    mutating func skippingPauses(_ actions: [TransferAction]) -> [TransferAction] {
        if case .executing(.rest) = machine.state {
            now += .milliseconds(100)
            return actions.dropLast(2) + skippingPauses(machine.handle(.notification([0x60, 4, 1]), at: now))
        }
        if case .asking(let object) = machine.state, object.sent < object.range.upperBound, machine.summary.losses == 0,
            object.packets == machine.pacing.window + 1
        {
            let crc = referenceCRC(image.prefix(object.sent))
            let answer = [0x60, 6, 1] + little(UInt32(4096)) + little(UInt32(object.sent)) + little(crc)
            return actions.dropLast(2) + skippingPauses(machine.handle(.notification(answer), at: now))
        }
        guard case .wait(.pause, let duration)? = actions.last else { return actions }
        now += duration
        return actions.dropLast() + skippingPauses(machine.handle(.timedOut(.pause), at: now))
    }

    mutating func done(_ operation: UInt8) -> [TransferAction] { answer([0x60, operation, 1]) }

    mutating func selected(_ limit: UInt32, _ offset: Int, _ crc: UInt32) -> [TransferAction] {
        answer([0x60, 6, 1] + little(limit) + little(UInt32(offset)) + little(crc))
    }

    /// SELECT's answer for the bytes that were sent.
    mutating func holds(_ offset: Int, of bytes: [UInt8]) -> [TransferAction] {
        selected(bytes.count == command.count ? 512 : 4096, offset, referenceCRC(bytes.prefix(offset)))
    }

    mutating func receipt(_ offset: Int, of bytes: [UInt8]) -> [TransferAction] {
        answer([0x60, 3, 1] + little(UInt32(offset)) + little(referenceCRC(bytes.prefix(offset))))
    }

    /// From the link's start to the answer of SELECT data, with an init packet on the unit.
    mutating func toImage(payloadSize: Int = 244, offset: Int, crc: UInt32? = nil) -> [TransferAction] {
        _ = handle(.linkReady(payloadSize: payloadSize))
        _ = done(2)
        _ = selected(512, command.count, referenceCRC(command))
        _ = done(4)
        return selected(4096, offset, crc ?? referenceCRC(image.prefix(offset)))
    }
}

func writes(_ actions: [TransferAction]) -> [[UInt8]] {
    actions.compactMap { if case .writeControl(let bytes) = $0 { bytes } else { nil } }
}

/// All that goes out, when it is in one piece.
func packets(_ actions: [TransferAction]) -> Range<Int>? {
    let ranges = Array(actions.compactMap { if case .sendPackets(_, let packets) = $0 { packets } else { nil } }.joined())
    guard let first = ranges.first, let last = ranges.last else { return nil }
    return zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound } ? first.lowerBound..<last.upperBound : nil
}

func notices(_ actions: [TransferAction]) -> [TransferNotice] {
    actions.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
}

func failure(_ actions: [TransferAction]) -> DFUError? {
    actions.lazy.compactMap { if case .fail(let error) = $0 { error } else { nil } }.first
}

func createData(_ size: Int) -> [UInt8] { [1, 2] + little(UInt32(size)) }
