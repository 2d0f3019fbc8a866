import Bluetooth
import Provisioning
import Support
import VirtualDevices

/// A line's place with one virtual adapter, before which virtual units are put one after another.
struct VirtualLine: Sendable {
    /// So long nothing lies there: more than a line waits for the absence of the last unit.
    private static let pause = Duration.seconds(12)

    let addresses: Set<DeviceAddress>
    private let names: [VirtualUnitName]
    private let bench: VirtualBench

    /// Opens no folder.
    /// - Throws: ``CommandError``.
    init(
        _ names: [VirtualUnitName], speed: VirtualSpeed, stateFolder: String, search: AssetSearch,
        notice: @escaping @Sendable (String) -> Void
    ) throws {
        let bench = VirtualBench(speed: speed, stateFolder: stateFolder, search: search, notice: notice)
        addresses = Set(try bench.distinctAddresses(of: names))
        (self.names, self.bench) = (names, bench)
    }

    /// Runs `body` in the bench's time, once.
    /// - Parameters:
    ///   - drain: ended once the last unit was taken away.
    ///   - missed: told of a unit that cannot be put there.
    ///   - body: gets a central, and what takes the unit away that lies there.
    func run<Value: Sendable>(
        endingWith drain: Drain, missed: @escaping @Sendable (FleetUnit, any Error) -> Void,
        _ body: @escaping @Sendable (any Central, @escaping @Sendable () -> Void) async throws -> Value
    ) async throws -> Value {
        let taken = Inbox<Void>()
        return try await bench.air.time.run {
            try await withThrowingTaskGroup(of: Value?.self) { group in
                group.addTask {
                    try await putUnits(taken, missed)
                    drain.end()
                    return nil
                }
                group.addTask { try await body(bench.central()) { taken.deliver(()) } }
                defer { group.cancelAll() }
                while let value = try await group.next() {
                    if let value { return value }
                }
                throw CancellationError()
            }
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
            try await withVirtualUnit(played.unit) { _ = try await taken.next(before: clock.deadline(in: .forever), on: clock) }
            withExtendedLifetime(played.lock) {}
            try await clock.sleep(until: clock.deadline(in: Self.pause))
        }
    }
}
