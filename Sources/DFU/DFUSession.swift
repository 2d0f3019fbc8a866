import Bluetooth
import Support

/// What a transfer tells while it runs.
public enum DFUEvent: Sendable, Hashable {
    /// Verified on the unit.
    case progress(byteCount: Int, of: Int)
    /// Something worth a line, which ends nothing.
    case notice(TransferNotice)
}

/// Sends images to a unit that is in its bootloader, over a connection that the caller owns.
public struct DFUSession: Sendable {
    /// The service a bootloader advertises.
    public static let service = AttributeID("fe59")
    static let controlPoint = AttributeID("8ec90001-f315-4f60-9fb8-838830daea50")
    static let packet = AttributeID("8ec90002-f315-4f60-9fb8-838830daea50")

    private static let setupTimeout = Duration.seconds(10)
    /// Packets queued before a control-point write go out first.
    private static let writeTimeout = Duration.seconds(30)
    /// For one packet to find room in the link's queue.
    private static let packetTimeout = Duration.seconds(10)
    private static let abortTimeout = Duration.seconds(2)

    /// A save costs 0.2 s and two erases of the settings; a transfer at full speed is over before.
    private static let saveInterval = Duration.seconds(36)

    private let connection: any Connection
    private let clock: SessionClock
    private let saveInterval: Duration

    /// - Parameter lostLinks: in the same run: each makes the unit save more often, at last after every object.
    public init(connection: any Connection, clock: SessionClock, lostLinks: Int = 0) {
        (self.connection, self.clock) = (connection, clock)
        saveInterval = Self.saveInterval(after: lostLinks)
    }

    static func saveInterval(after lostLinks: Int) -> Duration { saveInterval / (1 << (2 * max(0, min(lostLinks, 4)))) }

    /// Continues from the progress that the unit kept, and waits until the unit resets into the image.
    ///
    /// A link that drops after the last EXECUTE counts as done; the unit's version then proves it.
    /// - Throws: ``DFUError``, ``LinkError`` or `CancellationError`. The unit keeps its init packet and the progress that was saved.
    @discardableResult
    public func transfer(
        _ image: FirmwareImage, report: @escaping @Sendable (DFUEvent) -> Void = { _ in }
    ) async throws -> TransferSummary {
        let answers = try await connection.subscribe(to: Self.controlPoint, deadline: clock.deadline(in: Self.setupTimeout))
        let channel = try await connection.openChannel(to: Self.packet, deadline: clock.deadline(in: Self.setupTimeout))
        do {
            let summary = try await run(Performer(image: image, answers: answers, channel: channel, report: report))
            await channel.close()
            return summary
        } catch {
            if case DFUError.transfer(.objectLost(.data, _, _)) = error { await restartUnit() }
            await channel.close()
            throw error
        }
    }

    /// A bootloader that takes no more packets has lost its buffers to packets that it refused; only a restart, which keeps the init
    /// packet, frees them (nRF5 SDK, `nrf_dfu_ble.c`).
    private func restartUnit() async {
        try? await connection.write(ControlPointRequest.abort.bytes, to: Self.controlPoint, deadline: clock.deadline(in: Self.abortTimeout))
    }

    private struct Performer {
        let image: FirmwareImage
        let answers: Inbox<[UInt8]>
        let channel: any WriteChannel
        let report: @Sendable (DFUEvent) -> Void
    }

    private func run(_ performer: Performer) async throws -> TransferSummary {
        let image = performer.image
        var machine = TransferMachine(initPacket: image.initPacket.bytes, image: image.bytes, saveInterval: saveInterval)
        var event = TransferEvent.linkReady(payloadSize: connection.payloadSize)
        var pending = (wait: TransferWait.pause, deadline: clock.now)
        while true {
            let time = clock.now
            let actions = machine.handle(event, at: time.offset)
            do {
                if !actions.isEmpty {
                    if let summary = try await perform(actions, since: time, performer, &pending) { return summary }
                } else if clock.now >= pending.deadline {
                    // Notifications that are not for us must not keep a wait alive.
                    event = .timedOut(pending.wait)
                    continue
                }
                event = try await next(pending.wait, before: pending.deadline, performer)
            } catch LinkError.disconnected {
                event = .disconnected
            }
        }
    }

    /// - Returns: `nil` for a step that ends with a wait.
    private func perform(
        _ actions: [TransferAction], since time: SessionClock.Instant, _ performer: Performer,
        _ pending: inout (wait: TransferWait, deadline: SessionClock.Instant)
    ) async throws -> TransferSummary? {
        for action in actions {
            switch action {
            case .writeControl(let bytes):
                try await connection.write(bytes, to: Self.controlPoint, deadline: clock.deadline(in: Self.writeTimeout))
            case .sendPackets(let kind, let packets):
                let source = kind == .command ? performer.image.initPacket.bytes : performer.image.bytes
                for packet in packets {
                    try await performer.channel.send(Array(source[packet]), deadline: clock.deadline(in: Self.packetTimeout))
                }
            case .wait(let wait, let duration):
                pending = (wait, wait == .pause ? time.advanced(by: duration) : clock.deadline(in: duration))
                return nil
            case .progress(let byteCount): performer.report(.progress(byteCount: byteCount, of: performer.image.bytes.count))
            case .notice(let notice): performer.report(.notice(notice))
            case .done(let summary): return summary
            case .fail(let error): throw error
            }
        }
        throw LinkError.timedOut("the bootloader")
    }

    private func next(_ wait: TransferWait, before deadline: SessionClock.Instant, _ performer: Performer) async throws -> TransferEvent {
        switch wait {
        case .answer, .receipt:
            return try await performer.answers.next(before: deadline, on: clock).map { .notification($0) } ?? .timedOut(wait)
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
