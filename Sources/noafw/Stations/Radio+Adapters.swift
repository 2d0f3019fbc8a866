import BlueZ
import Bluetooth
import Provisioning
import Support

extension Radio {
    /// One adapter of several that a command works with.
    struct Adapter: Sendable {
        let fleet: FleetAdapter
        /// Stays when the kernel's name changes; `nil` for a virtual one.
        let address: String?
    }

    private static let surveyTimeout = Duration.seconds(12)
    private static let countTimeout = Duration.seconds(5)

    /// Runs `body` with adapters and gives them back whatever happens.
    /// - Parameters:
    ///   - names: as `--adapter` takes them; none takes the first one that is on.
    ///   - silence: of their discoveries.
    /// - Throws: ``BlueZError``, ``CommandError/sameAdapter(_:_:)``.
    static func with<Value: Sendable>(
        adapters names: [String], silence: SilenceLimits = SilenceLimits(), notice: @escaping @Sendable (String) -> Void,
        _ body: ([Adapter]) async throws -> Value
    ) async throws -> Value {
        let clock = SessionClock.continuous
        let chosen = try await choose(names, clock)
        let centrals = chosen.map { BlueZCentral(adapter: $0.selector, silence: silence, notice: notice) }
        let adapters = zip(chosen, centrals).map { adapter, central in
            Adapter(
                fleet: FleetAdapter(name: adapter.kernelName, central: central, foreignLinks: { await foreignLinks(of: central) }),
                address: adapter.address.description)
        }
        do {
            let value = try await body(adapters)
            for central in centrals { await central.close() }
            return value
        } catch {
            for central in centrals { await central.close() }
            throw error
        }
    }

    private static func choose(_ names: [String], _ clock: SessionClock) async throws -> [AdapterObject] {
        let selectors = try names.map { name in
            guard let selector = AdapterSelector(name) else { throw BlueZError.noAdapter(PrintableText.ascii(name)) }
            return selector
        }
        let found = try await AdapterObject.usable(named: selectors, clock: clock, before: clock.deadline(in: surveyTimeout))
        guard !names.isEmpty else { return Array(found.prefix(1)) }
        for (index, adapter) in found.enumerated() {
            if let first = found[..<index].firstIndex(where: { $0.address == adapter.address }) {
                throw CommandError.sameAdapter(names[first], names[index])
            }
        }
        return found
    }

    private static func foreignLinks(of central: BlueZCentral) async -> Int {
        let links: [StaleConnection]? = try? await central.foreignConnections(before: central.clock.deadline(in: countTimeout))
        return links?.count ?? 0
    }
}
