import Bluetooth
import Provisioning
import Support
import Synchronization
import TestSupport
import Testing
import VirtualDevices

@testable import noafw

/// The line's course at its adapter, in simulated time.
@Suite struct LineCourseTests {
    private struct Endless: Error {}

    /// A line, and what a test does to it.
    private final class Line: Sendable {
        let air: PlayedAir
        let drain = Drain()
        let serials: SerialDesk?
        let worked = Mutex<[(unit: DeviceAddress, serial: String?)]>([])
        private let turns = Mutex(0)

        init(air: PlayedAir, serials: SerialDesk?) { (self.air, self.serials) = (air, serials) }

        /// How often it was called.
        func turn() -> Int {
            turns.withLock { turns in
                turns += 1
                return turns
            }
        }

        func scan(_ serial: String) { _ = serials?.take(Array("\(serial)\r".utf8)) }
    }

    /// - Parameters:
    ///   - bound: the address that the ledger has for any serial number.
    ///   - watch: is told what an operator sees.
    private func run(
        asksSerials: Bool = false, bound: DeviceAddress? = nil, rebinds: Bool = false, error: Diagnosis? = nil,
        _ watch: @escaping @Sendable (LineEvent, Line) -> Void
    ) async throws -> (FleetReport<UnitReport>, [(unit: DeviceAddress, serial: String?)]) {
        let folder = try TemporaryFolder()
        let time = VirtualTime.simulated()
        let clock = time.clock
        let line = Line(air: PlayedAir(clock), serials: asksSerials ? SerialDesk(pattern: nil) : nil)
        var records = RecordInputs()
        records.rebindsSerial = rebinds
        let request = LineRequest(
            units: FleetSelection(units: .inReach), threshold: -65, repeatsPassed: false, serials: line.serials,
            inputs: AssetInputs(search: AssetSearch(given: nil, environment: [:], currentDirectory: folder.path, executable: nil)),
            options: JobOptions(), limits: RolloutLimits(canary: nil, stopAfter: 2, seed: 0), records: records, stateFolder: folder.path,
            drain: line.drain)
        let course = LineRun(
            central: line.air, rules: .init(families: ["monocle"]), request: request, boundAddress: { _ in bound?.description },
            work: { unit, serial in
                line.worked.withLock { $0.append((unit.address, serial)) }
                return try Sample.flashed(error: error)
            }, line: { watch($0, line) }, events: { _ in })
        let report = try await time.run {
            try await withDeadline(clock.deadline(in: .seconds(600)), on: clock, timeout: Endless()) { try await course.run() }
        }
        return (report, line.worked.withLock { $0 })
    }

    @Test func aStoppedRolloutEndsTheLine() async throws {
        let (report, worked) = try await run(error: FleetSample.failed) { event, line in
            switch event {
            case .waiting: line.air.show(.monocle(line.turn()))
            case .ended:
                line.air.show()
                if line.worked.withLock({ $0.count }) == 3 { line.drain.end() }
            default: break
            }
        }
        #expect(worked.map(\.unit) == [FleetSample.address(1), FleetSample.address(2)] && report.entries.count == 2)
        #expect(report.stop?.code == "FLT-0010" && !report.passed)
    }

    /// It lies there, and nobody has scanned its number.
    @Test func aDrainedLineWorksOnNoUnitThatWaitsForItsNumber() async throws {
        let (report, worked) = try await run(asksSerials: true) { event, line in
            guard case .asking = event else { return }
            line.air.show(.monocle(1))
            guard line.turn() == 2 else { return }
            line.drain.end()
            line.scan("SN1")
        }
        #expect(worked.isEmpty && report.entries.isEmpty)
    }

    @Test(arguments: [true, false]) func theNumberOfAnotherUnitIsRefused(rebinds: Bool) async throws {
        let refusals = Notices()
        let (_, worked) = try await run(asksSerials: true, bound: FleetSample.address(9), rebinds: rebinds) { event, line in
            switch event {
            case .asking:
                line.air.show(.monocle(1))
                if line.turn() == 1 { line.scan("SN1") } else { line.drain.end() }
            case .scanned(.refused(let refusal)): refusals.add(refusal.diagnosis.code)
            case .ended: line.drain.end()
            default: break
            }
        }
        #expect(worked.compactMap(\.serial) == (rebinds ? ["SN1"] : []))
        #expect(refusals.all == (rebinds ? [] : ["NOA-0056"]))
    }
}
