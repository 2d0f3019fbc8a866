import Bluetooth
import Support

/// Listens to the air until one unit is identified.
public struct UnitFinder: Sendable {
    /// Time for every unit to be heard before one is called the only one. Units advertise several times a second.
    static let listening = Duration.seconds(4)
    /// How long the first unit waits for a second one.
    static let settling = Duration.seconds(2)
    public static let timeout = Duration.seconds(15)

    private let central: any Central
    private let known: FamilyList

    public init(central: any Central, families: FamilyList) {
        self.central = central
        known = families
    }

    /// - Parameters:
    ///   - known: application addresses of units that this station has worked on.
    ///   - timeout: how long to wait for a unit.
    ///   - left: called once for each of the first unsupported units that are not of `families`.
    /// - Throws: ``UnitSelectionError`` if none or several match by then, or 2 s later if one was heard at the last moment;
    ///   ``LinkError``.
    public func find(
        _ selector: UnitSelector, families: Set<FamilyID>, known: Set<DeviceAddress>, within timeout: Duration = Self.timeout,
        leaving left: (DiscoveredUnit) -> Void = { _ in }
    ) async throws -> DiscoveredUnit {
        let start = central.clock.now
        let end = start.advanced(by: timeout)
        var gate = UnitMatcher(selector: selector, families: families, known: known)
        var decided: (unit: DeviceAddress, since: SessionClock.Instant)?
        var verdict: Result<DiscoveredUnit, UnitSelectionError> = .failure(.none)
        var strangers = UnsupportedUnits()
        try await watch(until: end.advanced(by: Self.settling), wanting: selector.names) { units, now in
            strangers.note(units.filter { !families.contains($0.family) }).forEach(left)
            let hasListened = start.duration(to: now) >= Self.listening
            do throws(UnitSelectionError) {
                let unit = try gate.decide(units)
                if decided?.unit != unit.address { decided = (unit.address, now) }
                let isSettled = decided.map { $0.since.duration(to: now) >= Self.settling } ?? false
                // Until then, the last error applies.
                guard gate.decidesAtFirstSight || (isSettled && hasListened) else { return false }
                verdict = .success(unit)
                return true
            } catch {
                verdict = .failure(error)
                decided = nil
                // Several near units stay several; waiting does not help.
                if case .several = error, hasListened { return true }
                return now >= end
            }
        }
        return try verdict.get()
    }

    /// Calls `look` with the units in reach after every sighting and at least twice a second, until it returns `true` or the
    /// deadline. A discovery that ends early, as when bluetoothd restarts, is started again; the radio may return after the
    /// deadline.
    /// - Parameter isWanted: units that are listed however many others are in reach.
    /// - Throws: ``LinkError`` or the radio's own error if it is missing at the start or does not return.
    public func watch(
        until deadline: SessionClock.Instant, wanting isWanted: @escaping @Sendable (DiscoveredUnit) -> Bool = { _ in false },
        _ look: ([DiscoveredUnit], SessionClock.Instant) -> Bool
    ) async throws {
        var results = ScanResults(of: known, wanting: isWanted)
        let clock = central.clock
        try await central.listen(until: deadline, every: .milliseconds(500)) { sighting in
            if let sighting { results.note(sighting, at: clock.now) }
            results.expire(at: clock.now)
            return look(results.units, clock.now)
        }
    }
}
