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
    /// - Throws: ``CommandError``, ``UnitFolderError`` for a folder that holds no unit.
    init(
        _ names: [VirtualUnitName], speed: VirtualSpeed, stateFolder: String, search: AssetSearch, notice: @escaping @Sendable (String) -> Void
    ) throws {
        let bench = VirtualBench(speed: speed, stateFolder: stateFolder, search: search, notice: notice)
        addresses = Set(try names.map { try bench.address(of: $0) })
        (self.names, self.bench) = (names, bench)
    }

    /// Runs `body` in the bench's time, once.
    /// - Parameters:
    ///   - drain: ended once the last unit was taken away.
    ///   - body: gets a central, and what takes the unit away that lies there.
    func run<Value: Sendable>(
        endingWith drain: Drain, _ body: @escaping @Sendable (any Central, @escaping @Sendable () -> Void) async throws -> Value
    ) async throws -> Value {
        let taken = Inbox<Void>()
        return try await bench.air.time.run {
            try await withThrowingTaskGroup(of: Value?.self) { group in
                group.addTask {
                    try await putUnits(taken)
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

    private func putUnits(_ taken: Inbox<Void>) async throws {
        let clock = bench.air.time.clock
        for name in names {
            let played = try bench.open(name)
            try await withVirtualUnit(played.unit) { _ = try await taken.next(before: clock.deadline(in: .forever), on: clock) }
            withExtendedLifetime(played.lock) {}
            try await clock.sleep(until: clock.deadline(in: Self.pause))
        }
    }
}
