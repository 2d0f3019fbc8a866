import Bluetooth
import Support

/// A job's view of a ``SharedCentral``: it keeps its place among the adapter's links while its unit reboots, until the job
/// ends.
public final class JobCentral: BondingCentral {
    private let shared: SharedCentral
    private let holder: ConnectGate.Holder

    init(_ shared: SharedCentral) {
        self.shared = shared
        holder = shared.enterJob()
    }

    deinit { end() }

    public var adapter: String { shared.name }
    public var clock: SessionClock { shared.clock }

    public func discover() async throws -> any Discovery { try await shared.discover() }

    public func connect(to address: DeviceAddress, security: LinkSecurity, deadline: SessionClock.Instant) async throws -> any Connection {
        try await shared.connect(to: address, security: security, deadline: deadline, for: holder)
    }

    public func forgetBond(with address: DeviceAddress, deadline: SessionClock.Instant) async throws -> Bool {
        try await shared.forgetBond(with: address, deadline: deadline)
    }

    func end() { shared.leaveJob(holder) }
}
