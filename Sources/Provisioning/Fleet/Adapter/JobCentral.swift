import Bluetooth
import Support

/// A job's view of a ``SharedCentral``: its place among the adapter's links is kept while its unit reboots.
public final class JobCentral: BondingCentral {
    private let shared: SharedCentral

    init(_ shared: SharedCentral) { self.shared = shared }

    /// The adapter's name.
    public var adapter: String { shared.name }
    public var clock: SessionClock { shared.clock }

    public func discover() async throws -> any Discovery { try await shared.discover() }

    public func connect(to address: DeviceAddress, security: LinkSecurity, deadline: SessionClock.Instant) async throws -> any Connection {
        try await shared.connect(to: address, security: security, deadline: deadline)
    }

    public func forgetBond(with address: DeviceAddress, deadline: SessionClock.Instant) async throws -> Bool {
        try await shared.forgetBond(with: address, deadline: deadline)
    }
}
