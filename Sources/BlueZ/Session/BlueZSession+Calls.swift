import Bluetooth
import Support

extension BlueZSession {
    /// How long the giving back of something may hold up its owner; the requests are sent in any case.
    static let cleanUpTimeout = Duration.seconds(3)

    /// Calls a method and waits for its answer.
    /// - Parameter link: ends the wait when it ends.
    /// - Throws: ``BlueZError``, ``LinkError/timedOut(_:)`` at the deadline, the link's end, or `CancellationError`.
    func call(
        _ request: BusRequest, before deadline: SessionClock.Instant, link: Link? = nil,
        intercept: (@Sendable (Result<BusMessage, BusFailure>) -> Void)? = nil
    ) async throws -> [BusValue] {
        let inbox = Inbox<Result<BusMessage, BusFailure>>(capacity: 1)
        let id = bus.send(request) { answer in
            intercept?(answer)
            inbox.deliver(answer)
        }
        let token = link?.whenEnded { inbox.finish(throwing: $0) }
        defer { if let token { link?.forget(token) } }
        do {
            guard let answer = try await inbox.next(before: deadline, on: clock) else {
                throw LinkError.timedOut("bluetoothd's answer to \(request.member)")
            }
            return try answer.get().body
        } catch let failure as BusFailure {
            throw BlueZError(failure)
        } catch {
            bus.abandon(id)
            throw error
        }
    }

    /// Sends a request that gives something back; nobody waits for its answer.
    func release(_ request: BusRequest) {
        bus.send(request, expiry: .now.advanced(by: Self.cleanUpTimeout)) { _ in }
    }

    /// Sends a request that gives something back and waits for its answer, which may be an error, even while the task is
    /// being cancelled.
    /// - Returns: whether it was carried out.
    @discardableResult
    func releaseAndWait(_ request: BusRequest) async -> Bool {
        await withCheckedContinuation { continuation in
            bus.send(request, expiry: .now.advanced(by: Self.cleanUpTimeout)) { answer in
                if case .success = answer { continuation.resume(returning: true) } else { continuation.resume(returning: false) }
            }
        }
    }

    // MARK: Discovery

    /// Adds a listener to this process's discovery, which runs while anybody listens.
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

    /// Harmless when it is removed already.
    func removeListener(_ number: Int) {
        perform(change { state in
            // The discovery may have ended by itself and taken its listeners along.
            state.listeners.removeValue(forKey: number) == nil ? nil : state.discovery.removeListener()
        })
    }

    /// Waits until sightings can arrive.
    func awaitDiscovery(of number: Int, before deadline: SessionClock.Instant) async throws {
        try await wait(for: "discovery to start", before: deadline) { state in
            guard state.listeners[number] != nil else { throw state.discoveryError ?? BlueZError.daemonStopped }
            return state.discovery.isRunning || state.discovery.pauses > 0 ? () : nil
        }
    }

    /// Stops the discovery for the length of a connection attempt: weak adapters cannot do both.
    func pauseDiscovery(before deadline: SessionClock.Instant) async throws {
        perform(change { $0.discovery.pause() })
        try await wait(for: "discovery to pause", before: deadline) { $0.discovery.isIdle ? () : nil }
    }

    func resumeDiscovery() { perform(change { $0.discovery.resume() }) }

    /// Starts a discovery anew that hears nothing, and ends one that does not recover. Runs on the bus thread, after each of its rounds.
    /// - Returns: when it has to be called again at the latest.
    func tendDiscovery() -> Duration? {
        let now = clock.now
        let (step, rest) = tend { state in
            state.watchdog.observe(isRunning: state.discovery.isRunning, isWanted: state.discovery.listeners > 0, at: now)
            return (state.watchdog.check(at: now), state.watchdog.rest(from: now))
        }
        switch step {
        case .renew: perform(change { $0.discovery.renew() })
        case .giveUp: giveUpDiscovery()
        case nil: break
        }
        return rest
    }

    private func giveUpDiscovery() {
        guard let adapter = read({ $0.discovery.runningOn }) else { return }
        release(.bluez(BusName.adapter, "StopDiscovery", at: adapter))
        apply { $0.endDiscovery(BlueZError.radioHangs(AdapterObject.kernelName(of: adapter))) }
    }

    private func perform(_ request: DiscoveryMachine.Request?) {
        switch request {
        case .start(let adapter):
            bus.send(.bluez(BusName.adapter, "SetDiscoveryFilter", at: adapter, Self.filter), expiry: Self.expiry) { [weak self] in
                self?.filterSet($0, on: adapter)
            }
        case .stop(let adapter):
            bus.send(.bluez(BusName.adapter, "StopDiscovery", at: adapter), expiry: Self.expiry) { [weak self] _ in
                guard let self else { return }
                perform(change { $0.discovery.stopped() })
            }
        case nil: break
        }
    }

    /// Low energy only, and every advertisement rather than the first (BlueZ's org.bluez.Adapter.rst); with any filter at
    /// all bluetoothd tells each signal strength, without one only changes of 8 dB (src/adapter.c, src/device.c).
    /// No UUIDs: the filter is one for the whole process, which looks for applications, bootloaders and addresses alike, and
    /// a unit in a mode that advertises no service must be seen too.
    private static let filter = BusValue.dictionary(["Transport": .string("le"), "DuplicateData": .boolean(true)])

    private static var expiry: ContinuousClock.Instant { .now.advanced(by: .seconds(10)) }

    private func filterSet(_ answer: Result<BusMessage, BusFailure>, on adapter: String) {
        // Without its filter a discovery would be another one: both radios, and every device's strength in steps of 8 dB.
        if case .failure = answer { return discoveryStarted(answer, on: adapter) }
        bus.send(.bluez(BusName.adapter, "StartDiscovery", at: adapter), expiry: Self.expiry) { [weak self] in
            self?.discoveryStarted($0, on: adapter)
        }
    }

    private func discoveryStarted(_ answer: Result<BusMessage, BusFailure>, on adapter: String) {
        switch answer {
        case .success: perform(change { $0.discovery.started(true) })
        case .failure(let failure):
            // A session that this process has left behind would answer InProgress for ever.
            release(.bluez(BusName.adapter, "StopDiscovery", at: adapter))
            apply { state in
                _ = state.discovery.started(false)
                let error = BlueZError(failure)
                // A discovery that was stopped and is still in progress: bluetoothd has lost count of it (bluez/bluez#1554).
                let hangs = error == .inProgress && state.watchdog.isRenewing
                return state.endDiscovery(hangs ? .radioHangs(AdapterObject.kernelName(of: adapter)) : error)
            }
        }
    }
}
