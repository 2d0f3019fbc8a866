import Bluetooth
import Support

extension BlueZSession {
    /// Waits for bluetoothd's objects.
    /// - Throws: ``BlueZError/daemonSilent`` at the deadline.
    func awaitObjects(before deadline: SessionClock.Instant) async throws {
        do {
            try await wait(for: "bluetoothd's objects", before: deadline) { state -> Void? in
                if case .loading = state.phase { nil } else { () }
            }
        } catch LinkError.timedOut {
            throw BlueZError.daemonSilent
        }
    }

    /// Selects an adapter and refreshes its devices, whose signals were not read before.
    func use(_ adapter: String, before deadline: SessionClock.Instant) async throws {
        let isChange = change { state in
            defer { state.adapterInUse = adapter }
            return state.adapterInUse.map { $0 != adapter } ?? false
        }
        if isChange { try await refresh(before: deadline) }
    }

    /// Waits for a powered adapter.
    /// - Parameters:
    ///   - wanted: `nil` for the first that is on.
    ///   - isRecovering: it worked before, so a missing bluetoothd is probably restarting.
    func usableAdapter(
        _ wanted: AdapterSelector?, before deadline: SessionClock.Instant, isRecovering: Bool
    ) async throws -> AdapterObject {
        if case .noDaemon = read(\.phase) { load() }
        do {
            return try await wait(for: "the adapter", before: deadline) { state in
                switch state.phase {
                case .loading: return nil
                case .noDaemon(.daemonNotRunning), .noDaemon(.daemonStopped), .noDaemon(.daemonSilent):
                    if isRecovering { return nil }
                    throw state.whatIsMissing(wanted)
                case .noDaemon(let error), .gone(let error): throw error
                case .ready:
                    guard case .chosen(let adapter) = AdapterChoice(state.mirror).find(wanted), adapter.isPowered else { return nil }
                    return adapter
                }
            }
        } catch LinkError.timedOut {
            // A copy: reading the system's files must not block the bus thread.
            throw read { $0 }.whatIsMissing(wanted)
        }
    }

    // MARK: Discovery

    func addListener(on adapter: String) -> (number: Int, sightings: Inbox<Advertisement>) {
        let sightings = Inbox<Advertisement>(overrun: LinkError.overrun)
        let (number, request) = change { state in
            let number = state.newNumber()
            state.listeners[number] = SessionState.Listener(sightings: sightings)
            return (number, state.discovery.addListener(on: adapter))
        }
        perform(request)
        return (number, sightings)
    }

    /// Does nothing if it is already removed.
    func removeListener(_ number: Int) {
        perform(change { state in
            // The discovery may have ended and removed its listeners.
            state.listeners.removeValue(forKey: number) == nil ? nil : state.discovery.removeListener()
        })
    }

    /// Waits until sightings can arrive.
    func awaitDiscovery(of number: Int, before deadline: SessionClock.Instant) async throws {
        try await wait(for: "discovery to start", before: deadline) { state in
            guard state.listeners[number] != nil else { throw state.discoveryError ?? BlueZError.daemonStopped }
            return state.discovery.runningOn != nil || state.discovery.pauses > 0 ? () : nil
        }
    }

    /// Stops the discovery for a connection attempt: weak adapters cannot do both.
    func pauseDiscovery(before deadline: SessionClock.Instant) async throws {
        perform(change { $0.discovery.pause() })
        try await wait(for: "discovery to pause", before: deadline) { $0.discovery.isIdle ? () : nil }
    }

    func resumeDiscovery() { perform(change { $0.discovery.resume() }) }

    /// Restarts a silent discovery, and ends one that does not recover. Called after each round of the bus thread.
    /// - Returns: when to call it again at the latest.
    func tendDiscovery() -> Duration? {
        let now = clock.now
        let (step, adapter, rest) = tend { state in
            let adapter = state.discovery.runningOn
            state.watchdog.observe(isRunning: adapter != nil, isWanted: state.discovery.listeners > 0, at: now)
            return (state.watchdog.check(at: now), adapter, state.watchdog.rest(from: now))
        }
        switch (step, adapter) {
        case (.renew, _): perform(change { $0.discovery.renew() })
        case (.giveUp, let adapter?):
            release(.bluez(BusName.adapter, "StopDiscovery", at: adapter))
            apply { $0.endDiscovery(BlueZError.radioHangs(AdapterObject.kernelName(of: adapter))) }
        default: break
        }
        return rest
    }

    private func perform(_ request: DiscoveryMachine.Request?) {
        switch request {
        case .start(let adapter):
            send("SetDiscoveryFilter", to: adapter, Self.filter) { session, answer in
                // Without its filter the discovery would differ.
                if case .failure = answer { return session.discoveryStarted(answer, on: adapter) }
                session.send("StartDiscovery", to: adapter) { $0.discoveryStarted($1, on: adapter) }
            }
        case .stop(let adapter):
            send("StopDiscovery", to: adapter) { session, _ in session.perform(session.change { $0.discovery.stopped() }) }
        case nil: break
        }
    }

    private func send(
        _ member: String, to adapter: String, _ arguments: [BusValue] = [],
        _ answer: @escaping @Sendable (BlueZSession, Result<BusMessage, BlueZError>) -> Void
    ) {
        var request = BusRequest.bluez(BusName.adapter, member, at: adapter)
        request.arguments = arguments
        bus.send(request, expiry: .now.advanced(by: .seconds(10))) { [weak self] in if let self { answer(self, $0) } }
    }

    /// Low energy only, and every advertisement, not only the first (BlueZ's org.bluez.Adapter.rst). With any filter bluetoothd reports
    /// each signal strength, without one only changes of 8 dB (src/adapter.c, src/device.c). No UUIDs: this process has one filter, which
    /// must pass units that advertise no service.
    private static let filter = [BusValue.dictionary(["Transport": .string("le"), "DuplicateData": .boolean(true)])]

    private func discoveryStarted(_ answer: Result<BusMessage, BlueZError>, on adapter: String) {
        switch answer {
        case .success: perform(change { $0.discovery.started(true) })
        case .failure(let error):
            // A discovery left over from this process would answer InProgress for ever.
            release(.bluez(BusName.adapter, "StopDiscovery", at: adapter))
            apply { state in
                _ = state.discovery.started(false)
                // Stopped but still in progress: bluetoothd has lost count (bluez/bluez#1554).
                let hangs = error == .inProgress && state.watchdog.isRenewing
                return state.endDiscovery(hangs ? .radioHangs(AdapterObject.kernelName(of: adapter)) : error)
            }
        }
    }
}

extension SessionState {
    fileprivate func whatIsMissing(_ wanted: AdapterSelector?) -> BlueZError {
        switch phase {
        case .loading: return .daemonSilent
        case .noDaemon(let error), .gone(let error): return error
        case .ready: break
        }
        switch AdapterChoice(mirror).find(wanted) {
        case .none:
            if case .kernelName(let name) = wanted, mirror.ports.kernelNames.contains(name) { return .adapterNotShown(name) }
            return .noAdapter(wanted?.description)
        case .shared(let adapters): return .shared(adapters)
        case .chosen(let adapter):
            switch RadioSwitch.state(of: adapter.kernelName) {
            case .hardBlocked: return .adapterHardBlocked(adapter.kernelName)
            case .softBlocked: return .adapterSoftBlocked(adapter.kernelName)
            case .open: return adapter.isPowered ? .notReady : .adapterOff(adapter.kernelName)
            }
        }
    }
}
