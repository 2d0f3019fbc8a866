import Bluetooth
import MonocleFamily
import Provisioning
import REPL
import Support
import TestSupport
import Testing
import VirtualDevices

/// A unit that stays in hand after its verification serves who comes next over the same link.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct HeldLinkTests {
    private func hold(
        _ body: @escaping @Sendable (UnitLease, ListeningCentral, SessionClock) async throws -> Void
    ) async throws {
        let bench = try await DriftTests.provisioned()
        defer { bench.remove() }
        let assets = try Bench.assets()
        try await bench.play { central, unit in
            let listening = ListeningCentral(central: central, wire: Wire())
            let job = try VerifyJob(family: .monocle, central: listening, address: unit.address, assets: assets, isDeep: false)
            let (report, lease) = try await job.hold { _ in }
            #expect(report.passed, "\(report)")
            try await body(lease, listening, central.clock)
        }
    }

    @Test func theNextOneNeedsNoLinkOfItsOwn() async throws {
        try await hold { lease, _, clock in
            let console = try await lease.console() as? any PythonConsole
            let before = try #require(console).repl
            #expect(before.isInStep)
            let connection = try #require(await lease.handOver())
            #expect(!before.isInStep, "who had the link says nothing more over it")
            #expect(await lease.handOver() == nil)
            try await PythonREPL.visit(connection, clock: clock, within: .seconds(5)) { repl in
                #expect(try await repl.runText("print(1+1)", within: .seconds(5)) == "2")
                _ = try await repl.start(within: .seconds(5))
            }
            await connection.disconnect()
        }
    }

    /// What nobody took goes on with its program, and is found again.
    @Test func aUnitThatIsGivenUpGoesOn() async throws {
        try await hold { lease, central, clock in
            await lease.abandon()
            let wire = Wire()
            let assets = try Bench.assets()
            let again = try VerifyJob(
                family: .monocle, central: ListeningCentral(central: central.central, wire: wire), address: lease.address,
                assets: assets, isDeep: false)
            #expect(try await again.run { _ in }.passed)
        }
    }
}
