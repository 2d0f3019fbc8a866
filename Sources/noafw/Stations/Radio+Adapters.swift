import BlueZ
import Bluetooth
import Provisioning
import Support

extension Radio {
    /// One adapter of several that a command works with.
    struct Adapter: Sendable {
        let fleet: FleetAdapter
        /// Stays when the kernel's name changes.
        let address: String
    }

    private static let surveyTimeout = Duration.seconds(12)
    private static let countTimeout = Duration.seconds(5)

    /// Runs `body` with adapters and gives them back whatever happens.
    /// - Parameter names: as `--adapter` takes them; none takes the first one that is on.
    /// - Throws: ``BlueZError``, ``CommandError/sameAdapter(_:_:)``.
    static func with<Value: Sendable>(
        adapters names: [String], notice: @escaping @Sendable (String) -> Void, _ body: ([Adapter]) async throws -> Value
    ) async throws -> Value {
        let clock = SessionClock.continuous
        let usable = try await UsableAdapter.all(clock: clock, before: clock.deadline(in: surveyTimeout))
        let chosen = try choose(names, among: usable)
        let centrals = chosen.map { BlueZCentral(adapter: $0.selector, notice: notice) }
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

    private static func choose(_ names: [String], among usable: [UsableAdapter]) throws -> [UsableAdapter] {
        guard !names.isEmpty else {
            guard let first = usable.first else { throw BlueZError.noAdapter(nil) }
            return [first]
        }
        var chosen: [UsableAdapter] = []
        for name in names {
            guard let selector = AdapterSelector(name), let adapter = usable.first(where: { $0.isMeant(by: selector) }) else {
                throw BlueZError.noAdapter(PrintableText.ascii(name))
            }
            if let index = chosen.firstIndex(of: adapter) { throw CommandError.sameAdapter(names[index], name) }
            chosen.append(adapter)
        }
        return chosen
    }

    private static func foreignLinks(of central: BlueZCentral) async -> Int {
        let links: [StaleConnection]? = try? await central.foreignConnections(before: central.clock.deadline(in: countTimeout))
        return links?.count ?? 0
    }
}

extension UsableAdapter {
    fileprivate func isMeant(by selector: AdapterSelector) -> Bool {
        switch selector {
        case .kernelName(let name): kernelName == name
        case .address(let wanted): address == wanted
        case .usbPort(let port): usbPort == port
        }
    }
}
