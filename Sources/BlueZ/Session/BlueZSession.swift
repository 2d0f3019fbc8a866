import Bluetooth
import Support
import Synchronization

/// One connection to the bus with its mirror, discovery and links. It lasts until the bus goes away; bluetoothd may come and go
/// meanwhile. Its state changes on the bus thread, in the order of the messages. Each change wakes the waiters.
final class BlueZSession: Sendable {
    /// D-Bus stops trying to start bluetoothd after 25 s.
    private static let loadTimeout = Duration.seconds(30)

    private struct Watcher: Sendable {
        var test: @Sendable (SessionState) -> Bool
        var bell: Inbox<Void>
    }

    private struct Guarded: Sendable {
        var session: SessionState
        var watchers: [Int: Watcher] = [:]
    }

    let bus: BusThread
    let clock: SessionClock
    private let guarded: Mutex<Guarded>

    init(
        address: BusAddress, clock: SessionClock, traffic: BusTraffic = BusTraffic(), ports: AdapterPorts = AdapterPorts(),
        silence: SilenceLimits = SilenceLimits()
    ) {
        self.clock = clock
        guarded = Mutex(Guarded(session: SessionState(ports: ports, silence: silence)))
        bus = BusThread(traffic: traffic)
        bus.start(
            address: address.text,
            listener: BusThread.Listener(
                isWanted: { [weak self] path, isChange in self?.read { $0.isWorthReading(path, isChange: isChange) } ?? false },
                signal: { [weak self] in self?.receive($0) },
                call: { [weak self] call in
                    guard let self else { return "org.freedesktop.DBus.Error.UnknownObject" }
                    return answer(call)
                },
                rest: { [weak self] in self?.tendDiscovery() },
                gone: { [weak self] in self?.lose($0) }))
        greet()
    }

    deinit { bus.stop() }

    var traffic: BusTraffic { bus.traffic }

    var isOver: Bool { read { if case .gone = $0.phase { true } else { false } } }

    func read<Value>(_ body: (SessionState) throws -> Value) rethrows -> Value {
        try guarded.withLock { try body($0.session) }
    }

    /// Changes the state and wakes nobody.
    func tend<Value>(_ body: (inout SessionState) -> Value) -> Value {
        guarded.withLock { body(&$0.session) }
    }

    /// Changes the state and wakes the waiters.
    @discardableResult
    func change<Value>(_ body: (inout SessionState) -> Value) -> Value {
        let (value, bells) = guarded.withLock { guarded in
            let listeners = guarded.session.listeners.count
            let value = body(&guarded.session)
            let session = guarded.session
            traffic.count(.discovery, session.listeners.count - listeners)
            let ripe = guarded.watchers.filter { $0.value.test(session) }
            for key in ripe.keys { guarded.watchers[key] = nil }
            return (value, ripe.values.map(\.bell))
        }
        bells.forEach { $0.deliver(()) }
        return value
    }

    /// Changes the state and performs the consequences.
    func apply(_ body: (inout SessionState) -> [SessionState.Consequence]) { change(body).forEach { $0() } }

    /// Waits until `test` returns a value.
    /// - Throws: what `test` throws, ``LinkError/timedOut(_:)`` at the deadline, or `CancellationError`.
    func wait<Value: Sendable>(
        for what: String, before deadline: SessionClock.Instant,
        until test: @escaping @Sendable (SessionState) throws -> Value?
    ) async throws -> Value {
        while true {
            let bell = Inbox<Void>(capacity: 4)
            let (value, key) = try guarded.withLock { guarded -> (Value?, Int) in
                if let value = try test(guarded.session) { return (value, 0) }
                let key = guarded.session.newNumber()
                guarded.watchers[key] = Watcher(
                    test: { state in
                        do { return try test(state) != nil } catch { return true }
                    }, bell: bell)
                return (nil, key)
            }
            if let value { return value }
            defer { guarded.withLock { $0.watchers[key] = nil } }
            guard try await bell.next(before: deadline, on: clock) != nil else { throw LinkError.timedOut(what) }
        }
    }

    // MARK: The start

    private func greet() {
        bus.send(.bus("Hello")) { [weak self] in self?.check($0) }
        for rule in SignalRules.standing { bus.send(.bus("AddMatch", .string(rule))) { [weak self] in self?.check($0) } }
        load()
    }

    private func check(_ answer: Result<BusMessage, BlueZError>) {
        if case .failure(let error) = answer { lose(error) }
    }

    /// Asks bluetoothd for its objects. D-Bus may start it.
    func load() {
        change { if case .gone = $0.phase {} else { $0.phase = .loading } }
        bus.send(Self.objectsRequest, expiry: .now.advanced(by: Self.loadTimeout)) { [weak self] in self?.loaded($0) }
    }

    /// Asks bluetoothd for its objects again.
    func refresh(before deadline: SessionClock.Instant) async throws {
        _ = try await call(Self.objectsRequest, before: deadline) { [weak self] in self?.loaded($0) }
    }

    private static let objectsRequest: BusRequest = {
        var request = BusRequest.bluez(BusName.objectManager, "GetManagedObjects", at: "/")
        request.startsService = true
        return request
    }()

    private func loaded(_ answer: Result<BusMessage, BlueZError>) {
        apply { state in
            if case .gone = state.phase { return [] }
            switch answer {
            case .failure(let error): state.phase = .noDaemon(error)
            case .success(let message):
                if let objects = message.body.first?.asDictionary {
                    state.owner = message.sender
                    state.phase = .ready
                    return state.consequences(of: state.mirror.load(objects), at: clock.now)
                }
                state.phase = .noDaemon(.unintelligible("GetManagedObjects"))
            }
            return []
        }
    }

    private func lose(_ error: BlueZError) {
        apply { state in
            if case .gone = state.phase { return [] }
            state.phase = .gone(error)
            return state.loseEverything(error)
        }
    }

    func close() async {
        let links = change { state in
            state.listeners.values.forEach { $0.sightings.finish(throwing: Link.closedHere) }
            return Array(state.links.values)
        }
        for link in links { await disconnect(link) }
        bus.stop()
    }

    // MARK: Messages

    private func receive(_ message: BusMessage) {
        if message.sender == BusName.bus { return ownerChanged(message) }
        apply { state in
            // Anybody on the bus may send this process a signal.
            guard message.sender == state.owner else { return [] }
            if message.isSignOfLife { state.watchdog.heard(at: clock.now) }
            return state.consequences(of: message.changes(&state.mirror), at: clock.now)
        }
    }

    private func ownerChanged(_ message: BusMessage) {
        guard message.member == "NameOwnerChanged", message.body.count == 3, message.body[0].asText == BusName.bluez,
            let owner = message.body[2].asText, owner != read(\.owner)
        else { return }
        apply { state in
            defer { state.owner = nil }
            if owner.isEmpty { state.phase = .noDaemon(.daemonStopped) }
            return state.owner == nil ? [] : state.loseEverything(.daemonStopped)
        }
        if !owner.isEmpty { load() }
    }

    private func answer(_ call: BusMessage) -> String? {
        read { state in
            guard call.sender == state.owner else { return "org.freedesktop.DBus.Error.AccessDenied" }
            return PairingAgent.answer(call, pairing: state.pairing)
        }
    }
}

/// One match rule for all of bluetoothd's properties, because a bus limits the rules (512 a connection).
enum SignalRules {
    static let standing = [
        "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='org.bluez'",
        "type='signal',sender='org.bluez',interface='org.freedesktop.DBus.ObjectManager'",
        "type='signal',sender='org.bluez',interface='\(BusName.properties)',member='PropertiesChanged',path_namespace='/org/bluez'",
    ]
}

extension BusMessage {
    /// A device was found or changed. The end of a discovery withdraws all signal strengths: no sign.
    var isSignOfLife: Bool {
        switch member {
        case "InterfacesAdded": body.count == 2 && body[1].asDictionary?[BusName.device] != nil
        case "PropertiesChanged": body.count == 3 && body[0].asText == BusName.device && body[1].asDictionary?.isEmpty == false
        default: false
        }
    }

    func changes(_ mirror: inout ObjectMirror) -> [ObjectMirror.Change] {
        switch (interface, member) {
        case (BusName.objectManager, "InterfacesAdded"):
            guard body.count == 2, let path = body[0].asText, let interfaces = body[1].asDictionary else { return [] }
            return mirror.add(path, interfaces)
        case (BusName.objectManager, "InterfacesRemoved"):
            guard body.count == 2, let path = body[0].asText, let interfaces = body[1].asTexts else { return [] }
            return mirror.remove(path, interfaces)
        case (BusName.properties, "PropertiesChanged"):
            guard body.count == 3, let interface = body[0].asText, let properties = body[1].asDictionary else { return [] }
            return mirror.change(path, interface, properties, invalidated: body[2].asTexts ?? [])
        default: return []
        }
    }
}
