import Bluetooth
import Support

/// What happens during a transfer.
public enum DFUEvent: Sendable, Hashable {
    /// So many bytes of the image are proved to be on the unit.
    case progress(byteCount: Int, of: Int)
    case notice(TransferNotice)
}

/// Sends images to a unit that is in its bootloader, over a connection that the caller owns.
public struct DFUSession: Sendable {
    /// The service a bootloader advertises.
    public static let service = AttributeID("fe59")
    public static let controlPoint = AttributeID("8ec90001-f315-4f60-9fb8-838830daea50")
    public static let packet = AttributeID("8ec90002-f315-4f60-9fb8-838830daea50")

    /// For enabling notifications and opening the packet channel.
    private static let setupTimeout = Duration.seconds(10)
    /// For a control-point write to be acknowledged; packets queued before it go out first.
    private static let writeTimeout = Duration.seconds(30)
    /// For one packet to find room in the link's queue.
    private static let packetTimeout = Duration.seconds(10)

    /// For the unit to be told to restart.
    private static let abortTimeout = Duration.seconds(2)

    /// How often the unit is told to save its progress, which costs 0.2 s and two erases of its settings each time: a transfer at
    /// full speed is over before.
    private static let saveInterval = Duration.seconds(12)

    private let connection: any Connection
    private let clock: SessionClock
    private let saveInterval: Duration

    /// - Parameter lostLinks: how many links were lost so far in transfers of the same run: each makes the unit save more often, at
    ///   last after every object.
    public init(connection: any Connection, clock: SessionClock, lostLinks: Int = 0) {
        self.connection = connection
        self.clock = clock
        saveInterval = Self.saveInterval(after: lostLinks)
    }

    static func saveInterval(after lostLinks: Int) -> Duration { saveInterval / (1 << (2 * max(0, min(lostLinks, 4)))) }

    /// Transfers one image and waits until the unit resets into it, going on from the progress that the unit kept.
    ///
    /// A link that drops after the last EXECUTE counts as done; asking the unit for its version then proves it.
    /// After an error or a cancellation the unit keeps its init packet and the progress that was saved; the rest goes with the link.
    /// - Throws: ``DFUError``, ``LinkError`` or `CancellationError`.
    @discardableResult
    public func transfer(
        _ image: FirmwareImage, report: @escaping @Sendable (DFUEvent) -> Void = { _ in }
    ) async throws -> TransferSummary {
        let answers = try await connection.subscribe(
            to: Self.controlPoint, deadline: clock.deadline(in: Self.setupTimeout))
        let channel = try await connection.openChannel(
            to: Self.packet, deadline: clock.deadline(in: Self.setupTimeout))
        do {
            let performer = Performer(image: image, answers: answers, channel: channel, report: report)
            let summary = try await run(performer)
            await channel.close()
            return summary
        } catch {
            if case DFUError.transfer(.objectLost(.data, _, _)) = error { await restartUnit() }
            await channel.close()
            throw error
        }
    }

    /// A bootloader that takes no packet any more has lost its buffers to packets that it refused; only a restart gives them back,
    /// and it keeps the init packet (nRF5 SDK, `nrf_dfu_ble.c`).
    private func restartUnit() async {
        try? await connection.write(
            ControlPointRequest.abort.bytes, to: Self.controlPoint, deadline: clock.deadline(in: Self.abortTimeout))
    }

    private struct Performer {
        let image: FirmwareImage
        let answers: Inbox<[UInt8]>
        let channel: any WriteChannel
        let report: @Sendable (DFUEvent) -> Void
    }

    private enum Step {
        case next(TransferWait, until: SessionClock.Instant)
        case done(TransferSummary)
    }

    private func run(_ performer: Performer) async throws -> TransferSummary {
        let image = performer.image
        var machine = TransferMachine(initPacket: image.initPacket.bytes, image: image.bytes, saveInterval: saveInterval)
        var event = TransferEvent.linkReady(payloadSize: connection.payloadSize)
        var wait = TransferWait.pause
        var deadline = clock.now
        while true {
            let time = clock.now
            let actions = machine.handle(event, at: time.offset)
            do {
                if !actions.isEmpty {
                    switch try await perform(actions, since: time, performer) {
                    case .done(let summary): return summary
                    case .next(let nextWait, let until): (wait, deadline) = (nextWait, until)
                    }
                } else if clock.now >= deadline {
                    // Notifications that are not for us must not keep a wait alive.
                    event = .timedOut(wait)
                    continue
                }
                event = try await next(wait, before: deadline, performer)
            } catch LinkError.disconnected {
                event = .disconnected
            }
        }
    }

    /// Performs a step's actions. Every step ends with a wait, with success or with an error.
    private func perform(
        _ actions: [TransferAction], since time: SessionClock.Instant, _ performer: Performer
    ) async throws -> Step {
        for action in actions {
            switch action {
            case .writeControl(let bytes):
                try await connection.write(
                    bytes, to: Self.controlPoint, deadline: clock.deadline(in: Self.writeTimeout))
            case .sendPackets(let kind, let packets): try await send(packets, of: kind, performer)
            case .wait(.pause, let duration): return .next(.pause, until: time.advanced(by: duration))
            case .wait(let wait, let duration): return .next(wait, until: clock.deadline(in: duration))
            case .progress(let byteCount):
                performer.report(.progress(byteCount: byteCount, of: performer.image.bytes.count))
            case .notice(let notice): performer.report(.notice(notice))
            case .done(let summary): return .done(summary)
            case .fail(let error): throw error
            }
        }
        throw LinkError.timedOut("the bootloader")
    }

    private func send(_ packets: [Range<Int>], of kind: ObjectKind, _ performer: Performer) async throws {
        let source = kind == .command ? performer.image.initPacket.bytes : performer.image.bytes
        for packet in packets {
            try await performer.channel.send(Array(source[packet]), deadline: clock.deadline(in: Self.packetTimeout))
        }
    }

    private func next(
        _ wait: TransferWait, before deadline: SessionClock.Instant, _ performer: Performer
    ) async throws -> TransferEvent {
        switch wait {
        case .answer, .receipt:
            guard let bytes = try await performer.answers.next(before: deadline, on: clock) else {
                return .timedOut(wait)
            }
            return .notification(bytes)
        case .pause:
            try await clock.sleep(until: deadline, tolerance: nil)
            return .timedOut(wait)
        case .disconnection:
            do {
                try await connection.waitUntilGone(deadline: deadline)
                return .disconnected
            } catch LinkError.timedOut {
                return .timedOut(wait)
            }
        }
    }
}
