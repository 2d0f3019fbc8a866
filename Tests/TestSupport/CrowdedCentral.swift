import Bluetooth
import Support
import Synchronization

/// The air, and a bootloader that is nobody's.
package struct CrowdedCentral: Central {
    private let central: any Central
    private let stranger: Advertisement
    private let connects = Inbox<DeviceAddress>()

    package init(_ central: any Central, adding address: DeviceAddress) {
        self.central = central
        stranger = Advertisement(address: address, name: "DfuTarg", services: [], rssi: -40)
    }

    package var clock: SessionClock { central.clock }

    /// Whether anybody wanted a link to the stranger.
    package var wasAsked: Bool { connects.poll() != nil }

    package func connect(
        to address: DeviceAddress, security: LinkSecurity, deadline: SessionClock.Instant
    ) async throws -> any Connection {
        if address == stranger.address { connects.deliver(address) }
        return try await central.connect(to: address, security: security, deadline: deadline)
    }

    package func discover() async throws -> any Discovery {
        CrowdedDiscovery(discovery: try await central.discover(), stranger: stranger, clock: clock)
    }
}

/// Has the stranger advertise every 100 ms.
private final class CrowdedDiscovery: Discovery {
    let discovery: any Discovery
    let stranger: Advertisement
    let clock: SessionClock
    private let last = Mutex<SessionClock.Instant?>(nil)

    init(discovery: any Discovery, stranger: Advertisement, clock: SessionClock) {
        self.discovery = discovery
        self.stranger = stranger
        self.clock = clock
    }

    var sightings: Inbox<Advertisement> {
        let now = clock.now
        let isDue = last.withLock { last in
            defer { if last.map({ $0.duration(to: now) >= .milliseconds(100) }) ?? true { last = now } }
            return last.map { $0.duration(to: now) >= .milliseconds(100) } ?? true
        }
        if isDue { discovery.sightings.deliver(stranger) }
        return discovery.sightings
    }

    func stop() async { await discovery.stop() }
}
