import Bluetooth
import Support

/// A stay at a unit's prompt for its owner. The unit's program is interrupted, and started again afterwards.
public struct UnitVisit: Sendable {
    private let locator: UnitLocator
    private let leavesProgram: Bool
    private let notice: @Sendable (String) -> Void

    /// - Parameter leavesProgram: the unit stays as `run`'s body leaves it.
    /// - Throws: ``ProvisioningError/noConsole(_:instead:)`` for a family whose units are never written to.
    public init(
        family: Family, central: any Central, address: DeviceAddress, leavesProgram: Bool = false,
        notice: @escaping @Sendable (String) -> Void
    ) throws {
        locator = try UnitLocator(central: central, family: family, address: address)
        (self.leavesProgram, self.notice) = (leavesProgram, notice)
    }

    /// - Parameters:
    ///   - progress: grows with what `body` achieves; the more it grows, the more lost links it outlives.
    ///   - isRepeatable: `body` runs again, from its beginning, when the link or an answer was lost.
    /// - Throws: the error that no remedy was left for; `CancellationError`.
    public func run<Value: Sendable>(
        progress: () -> Int = { 0 }, isRepeatable: Bool = true, _ body: (any ProgramConsole) async throws -> Value
    ) async throws -> Value {
        let lease = UnitLease(locator)
        var value: Value?
        let failure = try await lease.attempt(
            RetryPolicy(mayRestartUnit: false), progress: progress, recovering: { notice(Recovery(remedy: $0, reason: $1).words) }
        ) {
            try await lease.reach()
            let console = try await lease.program()
            do {
                value = try await body(console)
            } catch where !isRepeatable && !(error is CancellationError) {
                throw Ending(error: error)
            }
            if leavesProgram { lease.restoreGuard.started() } else { try await console.startProgram() }
        }
        if let failure { throw (failure as? Ending)?.error ?? failure }
        guard let value else { throw CancellationError() }
        return value
    }
}

/// An error that no remedy is for.
private struct Ending: Error {
    let error: any Error
}

extension UnitLease {
    /// Makes sure that the unit's application is there to be asked.
    func reach() async throws {
        switch try await hasLink ? .application : locator.find() {
        case .application: break
        case .bootloader: throw ProvisioningError.inBootloader
        case nil: throw absence()
        }
    }
}
