import Bluetooth
import Support

/// An adapter that is on, and shares its address with none.
public struct UsableAdapter: Sendable, Hashable {
    /// The kernel's name of the moment, such as `hci0`.
    public var kernelName: String
    public var address: DeviceAddress
    /// Such as `1-1.4`; `nil` for an adapter that is not on USB.
    public var usbPort: String?

    /// What finds it again after its number has changed.
    public var selector: AdapterSelector { .address(address) }

    /// The machine's usable adapters: those that are named, or all of them in the order of their names.
    /// - Throws: ``BlueZError``, which tells why there is none, or why a named one cannot be used; `CancellationError`.
    public static func all(
        named selectors: [AdapterSelector] = [], bus address: BusAddress = .system, clock: SessionClock = .continuous,
        before deadline: SessionClock.Instant
    ) async throws -> [UsableAdapter] {
        try await all(named: selectors, bus: address, clock: clock, ports: AdapterPorts(), before: deadline)
    }

    static func all(
        named selectors: [AdapterSelector] = [], bus address: BusAddress, clock: SessionClock, ports: AdapterPorts,
        before deadline: SessionClock.Instant
    ) async throws -> [UsableAdapter] {
        let session = BlueZSession(address: address, clock: clock, counter: ResourceCounter(), ports: ports)
        defer { session.bus.stop() }
        try await session.awaitObjects(before: deadline)
        let end = min(deadline, clock.deadline(in: BlueZCentral.Timeouts().first))
        var found: [AdapterObject] = []
        for selector in selectors { found.append(try await session.usableAdapter(selector, before: end, isRecovering: false)) }
        if selectors.isEmpty {
            // The wait for the first one; the others are there with it.
            _ = try await session.usableAdapter(nil, before: end, isRecovering: false)
            found = session.read { AdapterChoice($0.mirror.adapters.values).usable }
        }
        return found.map { UsableAdapter(kernelName: $0.kernelName, address: $0.address, usbPort: $0.port) }
    }
}
