import Bluetooth
import Support

/// What a unit is, by its own word and by its link.
public struct UnitAnswer: Sendable {
    public enum Bond: String, Sendable, Codable, CaseIterable {
        /// There was none before.
        case made
        case kept
    }

    public var mode: UnitMode
    /// Without versions where the unit was not asked: in its bootloader it tells none.
    public var identity: UnitIdentity
    /// `nil` for a unit that makes none, or was not asked.
    public var bond: Bond?
    /// What had to be done to the unit on the way, in order.
    public var recoveries: [Recovery] = []

    public init(mode: UnitMode, identity: UnitIdentity, bond: Bond? = nil) {
        (self.mode, self.identity, self.bond) = (mode, identity, bond)
    }
}

/// Asks one unit what it is, and starts its program again.
public struct IdentifyJob: Sendable {
    private let locator: UnitLocator

    /// - Parameter address: the application's.
    /// - Throws: ``ProvisioningError/noConsole(_:)`` for a family whose units are never written to.
    public init(family: Family, central: any Central, address: DeviceAddress) throws {
        locator = try UnitLocator(central: central, family: family, address: address)
    }

    /// - Throws: what the unit or the link did wrong, once no remedy is left; `CancellationError`.
    public func run(report: @escaping @Sendable (RunEvent) -> Void) async throws -> UnitAnswer {
        let unit = FleetUnit(id: "\(locator.address)", address: locator.address, family: locator.family)
        let tell: @Sendable (RunEvent.Content) -> Void = { report(RunEvent(unit: unit, time: locator.clock.now, content: $0)) }
        let lease = UnitLease(locator)
        var answer = UnitAnswer(mode: .application, identity: UnitIdentity(address: locator.address, name: locator.family.rawValue))
        var recoveries: [Recovery] = []
        let failure = try await lease.attempt(RetryPolicy(mayRestartUnit: false), recovering: { remedy, reason in
            let recovery = Recovery(remedy: remedy, reason: reason)
            recoveries.append(recovery)
            tell(.recovery(recovery))
        }) {
            guard let mode = try await lease.hasLink ? .application : locator.find() else { throw lease.absence() }
            answer.mode = mode
            guard mode == .application else { return }
            answer.identity = try await lease.identity()
            answer.bond = locator.rules.bondProof == nil ? nil : lease.connection.map { $0.isNewlyBonded ? .made : .kept }
            try await (lease.console() as? any ProgramConsole)?.startProgram()
        }
        answer.recoveries = recoveries
        if let failure { throw failure }
        return answer
    }
}
