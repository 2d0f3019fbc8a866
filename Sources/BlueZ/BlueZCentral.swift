import Bluetooth
import Support
import Synchronization

/// A central over bluetoothd's D-Bus interface. It opens the bus at its first use. When the bus, bluetoothd or the adapter disappears,
/// links and discoveries end with an error, and the next use waits for its return.
public final class BlueZCentral: BondingCentral, AdapterCentral {
    /// How long to wait for a missing adapter.
    struct Timeouts: Sendable {
        /// For bluetoothd's list of objects: many advertisers make the list long and bluetoothd slow.
        var list = Duration.seconds(10)
        /// At the first use: a bluetoothd that has just started shows its adapters a moment later.
        var first = Duration.seconds(1)
        /// Later: bluetoothd or the adapter restarts.
        var recovery = Duration.seconds(15)
        /// Before a silent discovery is restarted.
        var silence = SilenceLimits()
    }

    private static let readyPause = Duration.milliseconds(250)

    private struct State {
        var session: BlueZSession?
        var hasWorked = false
        /// The adapter that had the kernel's name at the first use; its number may change.
        var meant: DeviceAddress?
    }

    public let clock: SessionClock
    private let wanted: AdapterSelector?
    private let ports: AdapterPorts
    private let address: BusAddress
    private let timeouts: Timeouts
    let notice: @Sendable (String) -> Void
    /// What has gone over the bus and the sockets of this central.
    public let traffic = BusTraffic()
    private let state = Mutex(State())

    /// - Parameters:
    ///   - adapter: `nil` takes the first one that is on.
    ///   - notice: gets what the operator should know about a bond.
    public convenience init(
        adapter: AdapterSelector? = nil, bus: BusAddress = .system, clock: SessionClock = .continuous,
        silence: SilenceLimits = SilenceLimits(), notice: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.init(adapter: adapter, bus: bus, clock: clock, timeouts: Timeouts(silence: silence), notice: notice)
    }

    init(
        adapter: AdapterSelector?, bus: BusAddress, clock: SessionClock, timeouts: Timeouts, ports: AdapterPorts = AdapterPorts(),
        notice: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.notice = notice
        wanted = adapter
        self.ports = ports
        address = bus
        self.clock = clock
        self.timeouts = timeouts
    }

    deinit { state.withLock { $0.session?.bus.stop() } }

    public func discover() async throws -> any Discovery {
        let end = state.withLock { $0.hasWorked } ? clock.deadline(in: timeouts.recovery) : clock.now
        while true {
            do {
                return try await startDiscovery()
            } catch let error as BlueZError where error.recovery == .awaitAdapter && clock.now < end {
                // bluetoothd shows a switched-on adapter as on before it answers.
                try await clock.sleep(until: clock.deadline(in: Self.readyPause))
            }
        }
    }

    private func startDiscovery() async throws -> any Discovery {
        let (session, adapter) = try await station(before: nil)
        let (number, sightings) = session.addListener(on: adapter.path)
        do {
            try await session.awaitDiscovery(of: number, before: clock.deadline(in: .seconds(10)))
        } catch {
            session.removeListener(number)
            throw error
        }
        return BlueZDiscovery(session: session, number: number, sightings: sightings)
    }

    public func connect(
        to address: DeviceAddress, security: LinkSecurity, deadline: SessionClock.Instant
    ) async throws -> any Connection {
        let connector = Connector(central: self, address: address, deadline: deadline, security: security)
        return BlueZConnection(connector: connector, link: try await connector.connect(), clock: clock)
    }

    /// Does nothing for an unknown device.
    @discardableResult
    public func forgetBond(with address: DeviceAddress, deadline: SessionClock.Instant) async throws -> Bool {
        let (session, adapter) = try await station(before: deadline)
        let hadKey = session.read { $0.mirror.device(address, on: adapter.path)?.isPaired } == true
        try await session.removeDevice(address, on: adapter.path, before: deadline)
        return hadKey
    }

    @discardableResult
    public func forgetUnlessBonded(_ address: DeviceAddress, deadline: SessionClock.Instant) async throws -> Bool {
        let (session, adapter) = try await station(before: deadline)
        guard let device = session.read({ $0.mirror.device(address, on: adapter.path) }), device.mayBeForgotten else { return false }
        try await session.removeDevice(address, on: adapter.path, before: deadline)
        return true
    }

    public func linkCount(before deadline: SessionClock.Instant) async throws -> Int {
        let (session, adapter) = try await station(before: deadline)
        return session.read { $0.mirror.linkCount(on: adapter.path) }
    }

    /// The adapter in use.
    public func adapterAddress(before deadline: SessionClock.Instant) async throws -> DeviceAddress {
        try await station(before: deadline).1.address
    }

    /// Devices that another program, perhaps a dead one, keeps connected. They do not advertise.
    public func foreignConnections(before deadline: SessionClock.Instant) async throws -> [DeviceObject] {
        let (session, adapter) = try await station(before: deadline)
        return session.read { state in
            state.mirror.devices.values
                .filter { $0.adapterPath == adapter.path && $0.isConnected && state.links[$0.path] == nil }
                .sorted { $0.path < $1.path }
        }
    }

    /// Ends such a link, if there is one, and waits until it is gone.
    public func end(_ link: DeviceObject, before deadline: SessionClock.Instant) async throws {
        let (session, _) = try await station(before: deadline)
        do {
            _ = try await session.call(.bluez(BusName.device, "Disconnect", at: link.path), before: deadline)
        } catch BlueZError.notConnected, BlueZError.doesNotExist {
            return
        }
        try await session.wait(for: "a link of another program to end", before: deadline) { state in
            state.mirror.devices[link.path]?.isConnected == true ? nil : ()
        }
    }

    /// Ends every link and discovery and leaves the bus until the next use.
    public func close() async {
        let session = state.withLock { state in
            defer { state.session = nil }
            return state.session
        }
        await session?.close()
    }

    /// Waits for the session and a powered adapter.
    /// - Parameter deadline: limits this central's own timeouts.
    func station(before deadline: SessionClock.Instant?) async throws -> (BlueZSession, AdapterObject) {
        let (session, hasWorked, meant) = state.withLock { state -> (BlueZSession, Bool, DeviceAddress?) in
            if let session = state.session, !session.isOver { return (session, state.hasWorked, state.meant) }
            let session = BlueZSession(address: address, clock: clock, traffic: traffic, ports: ports, silence: timeouts.silence)
            state.session = session
            return (session, state.hasWorked, state.meant)
        }
        try await session.awaitObjects(before: earlier(of: deadline, in: timeouts.list))
        let adapter = try await session.usableAdapter(
            meant.map { .address($0) } ?? wanted,
            before: earlier(of: deadline, in: hasWorked ? timeouts.recovery : timeouts.first), isRecovering: hasWorked)
        state.withLock { state in
            state.hasWorked = true
            if case .kernelName = wanted { state.meant = adapter.address }
        }
        try await session.use(adapter.path, before: earlier(of: deadline, in: timeouts.list))
        return (session, adapter)
    }

    private func earlier(of deadline: SessionClock.Instant?, in timeout: Duration) -> SessionClock.Instant {
        let own = clock.deadline(in: timeout)
        return deadline.map { min($0, own) } ?? own
    }
}

struct BlueZDiscovery: Discovery {
    let session: BlueZSession
    let number: Int
    let sightings: Inbox<Advertisement>

    func stop() async { session.removeListener(number) }
}
