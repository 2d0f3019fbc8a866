import Support

@testable import DFU

extension FuzzTarget {
    /// What a bootloader answers while it gets three objects. A piece with its upper bit is a notification as it is. One without says
    /// nothing (the wait is over), is the right answer to the last request after so many lost packets, or, of two bytes and more, the end
    /// of the link.
    static let controlPoint = FuzzTarget("control-point", seeds: { Samples.bootloaderAnswers }) { input in
        var play = TransferPlay()
        try play.take(.linkReady(payloadSize: 244))
        for (isRaw, bytes) in Samples.pieces(of: input) where !play.isOver {
            if isRaw {
                try play.take(.notification(bytes))
            } else if bytes.count > 1 {
                try play.take(.disconnected)
            } else if let lost = bytes.first {
                try play.take(.notification(play.answer(losing: Int(lost))))
            } else {
                try play.take(.timedOut(play.wait))
            }
        }
    }
}

/// A transfer before a bootloader that keeps what it gets.
private struct TransferPlay {
    private static let image = (0..<9000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    private static let packet = [UInt8](repeating: 7, count: 140)

    private var machine = TransferMachine(initPacket: packet, image: image, saveInterval: .seconds(1))
    private var time = Duration.zero
    private var request: [UInt8] = []
    /// The last object; the unit may have been asked since then.
    private var isExecuted = false
    private var received: [ObjectKind: Int] = [:]
    private var executed: [ObjectKind: Int] = [:]
    private(set) var wait = TransferWait.pause
    private(set) var isOver = false

    mutating func take(_ event: TransferEvent) throws {
        time += .milliseconds(30)
        let actions = machine.handle(event, at: time)
        for (index, action) in actions.enumerated() {
            switch action {
            case .writeControl(let bytes):
                request = bytes
                switch bytes.first.flatMap(ControlPointOperation.init(rawValue:)) {
                case .create: isExecuted = false
                case .execute: isExecuted = true
                default: break
                }
            case .sendPackets(let kind, let ranges):
                for range in ranges { try send(range, of: kind) }
            case .wait(let wait, let limit):
                try BrokenPromise.check(index == actions.count - 1, "a wait that is not the last action")
                try BrokenPromise.check(limit >= .zero && limit <= .seconds(120), "a wait of \(limit)")
                self.wait = wait
            case .progress(let count): try BrokenPromise.check((0...Self.image.count).contains(count), "\(count) bytes proved")
            case .notice: continue
            case .done:
                try BrokenPromise.check(isExecuted, "an end without EXECUTE")
                isOver = true
            case .fail: isOver = true
            }
        }
    }

    private mutating func send(_ range: Range<Int>, of kind: ObjectKind) throws {
        let whole = kind == .command ? Self.packet.count : Self.image.count
        let isSound = !range.isEmpty && range.count <= 244 && (0...whole).contains(range.lowerBound) && range.upperBound <= whole
        try BrokenPromise.check(isSound, "the packet \(range)")
        if range.lowerBound == received[kind, default: 0] { received[kind] = range.upperBound }
    }

    /// nRF5 SDK, Secure DFU's control point.
    mutating func answer(losing lost: Int) -> [UInt8] {
        func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
        let kind = request.count > 1 ? ObjectKind(rawValue: request[1]) ?? .data : .data
        func checksum(_ kind: ObjectKind) -> [UInt8] {
            let count = max(executed[kind, default: 0], received[kind, default: 0] - lost * 244)
            received[kind] = count
            return number(count) + number(Int(CRC32.of(Array((kind == .command ? Self.packet : Self.image)[..<count]))))
        }
        if wait == .receipt { return [0x60, 0x03, 0x01] + checksum(.data) }
        switch request.first.flatMap(ControlPointOperation.init(rawValue:)) {
        case .select: return [0x60, 0x06, 0x01] + number(kind == .command ? 512 : 4096) + checksum(kind)
        case .create: received[kind] = kind == .command ? 0 : executed[kind, default: 0]
        case .execute: executed = received
        default: break
        }
        return [0x60, request.first ?? 0, 0x01]
    }
}

extension Samples {
    static let bootloaderAnswers: [[UInt8]] = [
        [UInt8](repeating: 1, count: 60).flatMap { [$0, 0] },
        (0..<60).flatMap { [1, $0 % 7 == 5 ? 3 : 0] as [UInt8] },
        (0..<40).flatMap { $0 % 9 == 4 ? [0] : [1, 0] as [UInt8] } + [0x83, 0x60, 0x01, 0x08, 0x84, 0x60, 0x04, 0x0B, 0x07, 2, 1, 1],
    ]
}
