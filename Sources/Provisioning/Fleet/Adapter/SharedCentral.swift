import Bluetooth
import Support

/// One adapter for many jobs: one connect at a time, links up to what the adapter takes, one discovery for all who listen.
public final class SharedCentral: BondingCentral {
    public let name: String
    private let base: any Central

    public var clock: SessionClock { base.clock }

    public init(_ adapter: FleetAdapter) {
        name = adapter.name
        base = adapter.central
    }

    public func discover() async throws -> any Discovery { try await base.discover() }

    public func connect(to address: DeviceAddress, security: LinkSecurity, deadline: SessionClock.Instant) async throws -> any Connection {
        try await base.connect(to: address, security: security, deadline: deadline)
    }

    public func forgetBond(with address: DeviceAddress, deadline: SessionClock.Instant) async throws -> Bool {
        guard let bonding = base as? any BondingCentral else { return false }
        return try await bonding.forgetBond(with: address, deadline: deadline)
    }
}
