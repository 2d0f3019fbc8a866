import Bluetooth
import Support
import Synchronization

/// One virtual unit of any family, played on an air from its folder. Each family's folder contains its factory.
public final class VirtualUnit: Sendable {
    public let address: DeviceAddress
    package let events = Inbox<UnitEvent>(capacity: 1 << 16)
    private let folder: UnitFolder
    private let design: UnitDesign
    private let air: VirtualAir
    private let counts = Mutex((packets: 0, flashWords: 0, isAtPrompt: false))

    fileprivate var clock: SessionClock { air.time.clock }

    package var deliveredPackets: Int { counts.withLock { $0.packets } }

    /// It runs no program, and nothing else either.
    package var isAtPrompt: Bool { counts.withLock { $0.isAtPrompt } }

    /// By the unit's program.
    package var writtenFlashWords: Int { counts.withLock { $0.flashWords } }

    package init(folder: UnitFolder, design: UnitDesign, air: VirtualAir) throws {
        address = try folder.address(of: design.family)
        (self.folder, self.design, self.air) = (folder, design, air)
    }

    /// Where it answers over a network; `nil` for a unit that does not.
    public var url: String? { design.network?.url }

    /// Plays the unit until cancelled. Throws when the machine cannot play it (no interpreter, no disk).
    public func run() async throws {
        guard let network = design.network else { return try await play() }
        let opened = Inbox<Void>()
        let served = clock.task { [clock, events] in
            do {
                try await network.run(on: clock, opened: { opened.deliver(()) }, wake: { events.deliver(.network) })
            } catch is CancellationError {
            } catch {
                events.finish(throwing: error)
            }
            opened.deliver(())
        }
        // Cancelled or not: no other wait may stop time while the network does.
        _ = await clock.task { [clock] in try await opened.next(before: clock.deadline(in: .forever), on: clock) }.result
        let end: Result<Void, any Error>
        do { end = .success(try await play()) } catch { end = .failure(error) }
        // Sockets are closed in real time.
        await clock.paused {
            served.cancel()
            _ = await served.result
        }
        try end.get()
    }

    private func play() async throws {
        var simulator = try UnitSimulator(
            UnitPlatform(folder: folder, address: address, design: design, air: air, events: events))
        defer {
            simulator.platform.faults.end(isAtPrompt: simulator.isAtPrompt)
            simulator.losePower()
        }
        simulator.platform.powerOn()
        while true {
            let now = simulator.platform.now
            counts.withLock { $0 = (simulator.platform.packetCount, simulator.platform.flashWordCount, simulator.isAtPrompt) }
            let deadline = simulator.nextDeadline ?? now + .seconds(3600)
            if deadline > now, let event = try await events.next(before: .init(offset: deadline), on: air.time.clock) {
                try simulator.handle(event)
            } else {
                try simulator.advance()
            }
        }
    }

    public func stimulate(_ input: UserInput) { events.deliver(.input(input)) }
}

/// Runs `body` with a virtual unit on the air. A unit does not go away because its host is interrupted: it stays until `body` has ended,
/// cancelled or not.
public func withVirtualUnit<Value: Sendable>(
    _ unit: VirtualUnit, body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let failure = Inbox<Void>()
    // Only a task of its own is not reached by a cancellation; it is ended and awaited below.
    let played = unit.clock.task {
        do { try await unit.run() } catch {
            failure.finish(throwing: error)
            throw error
        }
    }
    let result = await bodyOrFailure(failure, unit.clock, body)
    played.cancel()
    _ = await played.result
    return try result.get()
}

private func bodyOrFailure<Value: Sendable>(
    _ failure: Inbox<Void>, _ clock: SessionClock, _ body: @escaping @Sendable () async throws -> Value
) async -> Result<Value, any Error> {
    do {
        return .success(
            try await withThrowingTaskGroup(of: Value?.self) { group in
                group.addTask {
                    do { _ = try await failure.next(before: clock.deadline(in: .forever), on: clock) } catch is CancellationError {}
                    return nil
                }
                group.addTask { try await body() }
                defer { group.cancelAll() }
                while let value = try await group.next() {
                    if let value { return value }
                }
                throw CancellationError()
            })
    } catch {
        return .failure(error)
    }
}
