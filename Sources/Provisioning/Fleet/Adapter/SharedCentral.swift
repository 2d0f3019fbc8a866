import Bluetooth
import Support
import Synchronization

/// One adapter for many jobs: one connect at a time, no more links than the adapter allows, one discovery for all listeners.
///
/// A connect waits for its turn and for a place among the links. Only the time in which it dials counts against its deadline,
/// because other units' slowness is not its unit's fault. When a full adapter refuses, it is asked again once there is room.
public final class SharedCentral: BondingCentral {
    private struct State {
        var gate = ConnectGate()
        var waiting: [ConnectGate.Ticket: Inbox<Void>] = [:]
        /// Jobs keep their place while they have no link.
        var jobs: Set<ConnectGate.Holder> = []
        var links: [UInt64: SharedConnection] = [:]
    }

    public let name: String
    private let base: any Central
    private let foreignLinks: @Sendable () async -> Int
    private let scan: SharedScan
    /// Called with the ceiling when it is lowered, and with the links that this station may have.
    private let lowered: @Sendable (_ ceiling: Int?, _ capacity: Int) -> Void
    private let state = Mutex(State())

    public var clock: SessionClock { base.clock }

    public convenience init(_ adapter: FleetAdapter) { self.init(adapter, lowered: { _, _ in }) }

    init(_ adapter: FleetAdapter, lowered: @escaping @Sendable (_ ceiling: Int?, _ capacity: Int) -> Void) {
        name = adapter.name
        base = adapter.central
        foreignLinks = adapter.foreignLinks
        scan = SharedScan(adapter.central)
        self.lowered = lowered
    }

    /// Simultaneous links, as far as known.
    public var ceiling: Int { state.withLock { $0.gate.ceiling.links } }

    public func discover() async throws -> any Discovery { try await scan.listen() }

    public func connect(to address: DeviceAddress, security: LinkSecurity, deadline: SessionClock.Instant) async throws -> any Connection {
        let holder = state.withLock { $0.gate.number() }
        return try await connect(to: address, security: security, deadline: deadline, for: holder)
    }

    public func forgetBond(with address: DeviceAddress, deadline: SessionClock.Instant) async throws -> Bool {
        guard let bonding = base as? any BondingCentral else { return false }
        return try await bonding.forgetBond(with: address, deadline: deadline)
    }

    func close() async {
        for link in state.withLock(\.links.oldestFirst) { await link.disconnect() }
    }
}

// MARK: - Jobs

extension SharedCentral {
    /// Gives a job its own place, taken with its first link.
    func enterJob() -> ConnectGate.Holder {
        state.withLock { state in
            let holder = state.gate.number()
            state.jobs.insert(holder)
            return holder
        }
    }

    func leaveJob(_ holder: ConnectGate.Holder) {
        change { state in
            state.jobs.remove(holder)
            state.gate.giveBack(holder)
        }
    }
}

// MARK: - Connecting

extension SharedCentral {
    func connect(
        to address: DeviceAddress, security: LinkSecurity, deadline: SessionClock.Instant, for holder: ConnectGate.Holder
    ) async throws -> any Connection {
        var budget = clock.now.duration(to: deadline)
        await askForOthers()
        let (ticket, wake) = state.withLock { state in
            let ticket = state.gate.enter(holder)
            let wake = Inbox<Void>(capacity: 64)
            state.waiting[ticket] = wake
            return (ticket, wake)
        }
        do {
            while true {
                try await turn(ticket, wake)
                let end = clock.deadline(in: budget)
                do {
                    return adopt(try await base.connect(to: address, security: security, deadline: end), ticket, holder)
                } catch let error as LinkError {
                    guard case .adapterFull = error, case .requeued(let isCharged) = refused(ticket, holder) else { throw error }
                    if isCharged { budget = clock.now.duration(to: end) - ConnectGate.pause }
                    if budget <= .zero { throw error }
                    await askForOthers()
                }
            }
        } catch {
            change { state in
                state.waiting[ticket] = nil
                state.gate.failed(ticket, keepsPlace: state.jobs.contains(holder))
            }
            // Others waiting for the end of a pause may have depended on this one's wake.
            for other in state.withLock(\.waiting.oldestFirst) { other.deliver(()) }
            throw error
        }
    }

    private func turn(_ ticket: ConnectGate.Ticket, _ wake: Inbox<Void>) async throws {
        while true {
            change { _ in }
            let (isMine, pause) = state.withLock { ($0.gate.dialing == ticket, $0.gate.pausedUntil) }
            try Task.checkCancellation()
            if isMine { return }
            _ = try await wake.next(before: pause ?? clock.deadline(in: .forever), on: clock)
        }
    }

    private func adopt(_ connection: any Connection, _ ticket: ConnectGate.Ticket, _ holder: ConnectGate.Holder) -> any Connection {
        let link = SharedConnection(connection, clock: clock) { [weak self] in
            self?.change { state in
                state.links[ticket] = nil
                state.gate.linkEnded(holder, keepsPlace: state.jobs.contains(holder))
            }
        }
        change { state in
            state.waiting[ticket] = nil
            state.gate.connected(ticket)
            state.links[ticket] = link
        }
        link.begin()
        return link
    }

    private func refused(_ ticket: ConnectGate.Ticket, _ holder: ConnectGate.Holder) -> ConnectGate.Refusal {
        let now = clock.now
        let (refusal, ceiling, capacity) = state.withLock { state in
            let before = state.gate.ceiling
            let refusal = state.gate.refused(ticket, keepsPlace: state.jobs.contains(holder), at: now)
            let after = state.gate.ceiling
            return (refusal, after == before ? nil : after.links, state.gate.capacity)
        }
        if let ceiling { lowered(ceiling, capacity) }
        return refusal
    }

    private func askForOthers() async {
        let count = max(0, await foreignLinks())
        let capacity = state.withLock { state -> Int? in
            guard state.gate.foreignLinks != count else { return nil }
            state.gate.foreignLinks = count
            return state.gate.capacity
        }
        if let capacity { lowered(nil, capacity) }
    }

    /// Changes the gate and wakes whoever may now dial.
    private func change(_ change: (inout State) -> Void) {
        let now = clock.now
        let next = state.withLock { state -> Inbox<Void>? in
            change(&state)
            return state.gate.advance(at: now).flatMap { state.waiting[$0] }
        }
        next?.deliver(())
    }
}
