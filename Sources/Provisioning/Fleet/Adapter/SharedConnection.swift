import Bluetooth
import Support
import Synchronization

/// A link that reports its end once, whoever ends it.
final class SharedConnection: Connection {
    private struct State {
        var isGone = false
        var isEnding = false
        var waiters: [UInt64: Inbox<Void>] = [:]
        var count: UInt64 = 0
        var watch: Task<Void, any Error>?
    }

    private let base: any Connection
    private let clock: SessionClock
    private let whenGone: @Sendable () -> Void
    private let state = Mutex(State())

    /// - Parameter whenGone: called once.
    init(_ base: any Connection, clock: SessionClock, whenGone: @escaping @Sendable () -> Void) {
        self.base = base
        self.clock = clock
        self.whenGone = whenGone
    }

    /// Watches for the link's end from now on.
    func begin() {
        let (base, clock) = (base, clock)
        let watch = clock.task { [weak self] in
            while true {
                do {
                    try await base.waitUntilGone(deadline: clock.deadline(in: .seconds(3600)))
                    break
                } catch LinkError.timedOut {
                    continue
                } catch is CancellationError {
                    throw CancellationError()
                } catch {
                    break
                }
            }
            self?.end()
        }
        state.withLock { if !$0.isGone { $0.watch = watch } }
    }

    var address: DeviceAddress { base.address }
    var payloadSize: Int { base.payloadSize }
    var isNewlyBonded: Bool { base.isNewlyBonded }

    func offers(_ characteristic: AttributeID) -> Bool { base.offers(characteristic) }

    func write(_ value: [UInt8], to characteristic: AttributeID, deadline: SessionClock.Instant) async throws {
        try await base.write(value, to: characteristic, deadline: deadline)
    }

    func openChannel(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> any WriteChannel {
        try await base.openChannel(to: characteristic, deadline: deadline)
    }

    func subscribe(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> Inbox<[UInt8]> {
        try await base.subscribe(to: characteristic, deadline: deadline)
    }

    func disconnect() async {
        let (isFirst, watch) = state.withLock { state -> (Bool, Task<Void, any Error>?) in
            defer { state.isEnding = true }
            return (!state.isEnding, state.watch)
        }
        guard isFirst else {
            await clock.shielded(for: .seconds(10)) { [self] in try await waitUntilGone(deadline: clock.deadline(in: .forever)) }
            return
        }
        // Only one task at a time waits for the end of a link.
        watch?.cancel()
        _ = await watch?.result
        await base.disconnect()
        end()
    }

    func waitUntilGone(deadline: SessionClock.Instant) async throws {
        guard let (number, gone) = waiter() else { return }
        defer { state.withLock { $0.waiters[number] = nil } }
        do {
            _ = try await gone.next(before: deadline, on: clock)
        } catch is LinkError {
            return
        }
        throw LinkError.timedOut("the link to end")
    }

    private func waiter() -> (UInt64, Inbox<Void>)? {
        state.withLock { state in
            guard !state.isGone else { return nil }
            state.count += 1
            let gone = Inbox<Void>(capacity: 1)
            state.waiters[state.count] = gone
            return (state.count, gone)
        }
    }

    private func end() {
        let waiters = state.withLock { state -> [Inbox<Void>]? in
            guard !state.isGone else { return nil }
            state.isGone = true
            state.watch = nil
            return state.waiters.oldestFirst
        }
        guard let waiters else { return }
        for waiter in waiters { waiter.finish(throwing: LinkError.disconnected("the link has ended")) }
        whenGone()
    }
}
