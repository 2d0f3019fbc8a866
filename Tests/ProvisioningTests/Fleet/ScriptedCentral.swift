import Bluetooth
import Support
import Synchronization
import VirtualDevices

/// A central whose connects and discoveries end when the test says so.
final class ScriptedCentral: BondingCentral {
    struct Figures: Equatable {
        var dials = 0
        /// At one time.
        var mostDials = 0
        var dialing = 0
        var discoveries = 0
        var stops = 0
        var forgotten: [DeviceAddress] = []
    }

    let clock: SessionClock
    /// Called by each connect; throws what the adapter refuses with.
    private let dial: @Sendable (DeviceAddress) async throws -> Void
    private let state = Mutex(Figures())
    private let running = Mutex<Inbox<Advertisement>?>(nil)
    /// What the next discoveries fail with.
    let discoveryFault = Mutex<LinkError?>(nil)
    /// How long the next discoveries take to come up, whoever cancels them.
    let discoveryPause = Mutex(Duration.zero)

    init(clock: SessionClock, dial: @escaping @Sendable (DeviceAddress) async throws -> Void = { _ in }) {
        self.clock = clock
        self.dial = dial
    }

    var figures: Figures { state.withLock { $0 } }
    /// The inbox of the discovery that runs.
    var air: Inbox<Advertisement>? { running.withLock { $0 } }

    func connect(to address: DeviceAddress, security: LinkSecurity, deadline: SessionClock.Instant) async throws -> any Connection {
        state.withLock { ($0.dials, $0.dialing, $0.mostDials) = ($0.dials + 1, $0.dialing + 1, max($0.mostDials, $0.dialing + 1)) }
        defer { state.withLock { $0.dialing -= 1 } }
        let dial = dial
        try await withDeadline(deadline, on: clock, timeout: LinkError.timedOut("the connection")) { try await dial(address) }
        return ScriptedConnection(address: address, clock: clock)
    }

    func discover() async throws -> any Discovery {
        if let fault = discoveryFault.withLock({ $0 }) { throw fault }
        state.withLock { $0.discoveries += 1 }
        let pause = discoveryPause.withLock(\.self)
        if pause > .zero { try await clock.task { [clock] in try await clock.sleep(until: clock.deadline(in: pause)) }.value }
        let inbox = Inbox<Advertisement>()
        running.withLock { $0 = inbox }
        return ScriptedDiscovery(sightings: inbox) { [self] in state.withLock { $0.stops += 1 } }
    }

    func forgetBond(with address: DeviceAddress, deadline: SessionClock.Instant) async throws -> Bool {
        state.withLock { $0.forgotten.append(address) }
        return true
    }
}

private struct ScriptedDiscovery: Discovery {
    let sightings: Inbox<Advertisement>
    let whenStopped: @Sendable () -> Void

    func stop() async { whenStopped() }
}

/// A link that ends when somebody ends it.
final class ScriptedConnection: Connection {
    let address: DeviceAddress
    let payloadSize = 244
    func offers(_ characteristic: AttributeID) -> Bool { false }
    private let clock: SessionClock
    private let gone = Inbox<Void>()

    init(address: DeviceAddress, clock: SessionClock) { (self.address, self.clock) = (address, clock) }

    func write(_ value: [UInt8], to characteristic: AttributeID, deadline: SessionClock.Instant) async throws {
        // The unit's end of the link.
        if value == [0] { gone.finish(throwing: LinkError.disconnected("the unit left")) }
    }

    func openChannel(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> any WriteChannel {
        throw LinkError.characteristicMissing(characteristic)
    }

    func subscribe(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> Inbox<[UInt8]> { Inbox() }
    func disconnect() async { gone.finish(throwing: LinkError.disconnected("closed")) }

    func waitUntilGone(deadline: SessionClock.Instant) async throws {
        do { _ = try await gone.next(before: deadline, on: clock) } catch is LinkError { return }
        throw LinkError.timedOut("the link to end")
    }
}

extension DeviceAddress {
    /// Made up; bootloaders lie ten apart.
    static func number(_ number: Int) -> DeviceAddress {
        DeviceAddress(octets: [0xC0, 0, UInt8(number >> 16 & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF), 0]) ?? fallback
    }

    private static let fallback = DeviceAddress("C0:00:00:00:00:00")!
}
