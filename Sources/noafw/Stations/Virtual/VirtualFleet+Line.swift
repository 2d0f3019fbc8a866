import Bluetooth
import Provisioning
import Support
import VirtualDevices

extension VirtualFleet {
    /// How long nothing lies at a line's place: more than a line waits for the absence of the last unit.
    private static let pause = Duration.seconds(12)

    /// Puts the units before the adapter one after another, while `body` runs.
    /// - Parameters:
    ///   - drain: ended once the last unit was taken away.
    ///   - missed: gets a unit that cannot be put there.
    ///   - body: gets what takes the unit away that lies there.
    func inTurn<Value: Sendable>(
        endingWith drain: Drain, missed: @escaping @Sendable (FleetUnit, any Error) -> Void,
        _ body: @escaping @Sendable (@escaping @Sendable () -> Void) async throws -> Value
    ) async throws -> Value {
        let taken = Inbox<Void>()
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                try await putUnits(taken, missed)
                drain.end()
                return nil
            }
            group.addTask { try await body { taken.deliver(()) } }
            defer { group.cancelAll() }
            while let value = try await group.next() {
                if let value { return value }
            }
            throw CancellationError()
        }
    }

    private func putUnits(_ taken: Inbox<Void>, _ missed: (FleetUnit, any Error) -> Void) async throws {
        let clock = bench.air.time.clock
        for name in names {
            let played: VirtualBench.PlayedUnit
            do {
                played = try bench.open(name)
            } catch {
                missed(FleetUnit(id: name.description, address: try? bench.expectedAddress(of: name), family: name.family), error)
                continue
            }
            try await play(played) { _ = try await taken.next(before: clock.deadline(in: .forever), on: clock) }
            try await clock.sleep(until: clock.deadline(in: Self.pause))
        }
    }
}
