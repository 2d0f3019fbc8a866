import Bluetooth

/// Listens to the air until one unit is made out.
public struct UnitFinder: Sendable {
    /// So long everybody has the time to be heard before one is called the only one. Units advertise several times a second.
    static let listening = Duration.seconds(4)
    /// So long a lone first comer waits for a second.
    static let settling = Duration.seconds(2)
    static let patience = Duration.seconds(15)

    private let central: any Central

    public init(central: any Central) { self.central = central }

    /// - Parameters:
    ///   - known: application addresses of units this station has worked on.
    /// - Throws: ``ChoiceError`` when after 15 s none or several can be meant; ``LinkError``.
    public func find(
        _ wish: UnitWish, families: Set<DeviceFamily>, known: Set<DeviceAddress>
    ) async throws -> SightedUnit {
        let clock = central.clock
        let start = clock.now
        let end = start.advanced(by: Self.patience)
        var gate = IdentityGate(wish: wish, families: families, known: known)
        var decided: (unit: DeviceAddress, since: SessionClock.Instant)?
        var verdict: Result<SightedUnit, ChoiceError> = .failure(.none)
        try await watch(until: end) { units, now in
            verdict = Result { () throws(ChoiceError) in try gate.decide(units) }
            guard case .success(let unit) = verdict else {
                decided = nil
                // Several near ones stay several; there is nothing to wait for.
                if case .failure(.several) = verdict { return start.duration(to: now) >= Self.listening }
                return false
            }
            if gate.decidesAtFirstSight { return true }
            if decided?.unit != unit.address { decided = (unit.address, now) }
            let settled = decided.map { $0.since.duration(to: now) >= Self.settling } ?? false
            return settled && start.duration(to: now) >= Self.listening
        }
        return try verdict.get()
    }

    /// Who is in reach: calls `look` after every sighting and at least twice a second, until it returns `true` or the deadline.
    public func watch(
        until deadline: SessionClock.Instant, _ look: ([SightedUnit], SessionClock.Instant) -> Bool
    ) async throws {
        let clock = central.clock
        let discovery = try await central.discover()
        do {
            var census = UnitCensus()
            while clock.now < deadline {
                let pause = min(deadline, clock.deadline(in: .milliseconds(500)))
                if let sighting = try await discovery.sightings.next(before: pause, on: clock) {
                    census.note(sighting, at: clock.now)
                }
                census.expire(at: clock.now)
                if look(census.units, clock.now) { break }
            }
        } catch {
            await discovery.stop()
            throw error
        }
        await discovery.stop()
    }
}
