import Provisioning
import ScriptBundle
import Support
import Synchronization
import TestSupport
import Testing
import VirtualDevices
import VirtualFaults

@testable import REPL

/// A short file on a unit whose Python was just restarted, as `noafw dev` writes it.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct ShortFileTests {
    private static let bytes = Array("print('all of it')\r\n\u{3}\u{4}\\'\n".utf8) + SeededNumbers.bytes(1200, seed: 5)
    private static let old = Array("old".utf8)

    /// - Parameter losing: the number of a packet after the restart; `nil` loses none.
    /// - Returns: the commands after the restart, the packets, and the error.
    private func write(
        _ bytes: [UInt8] = Self.bytes, to name: String = "lib/words.py", on bench: Bench, payload: Int = 244, losing: Int? = nil
    ) async throws -> (commands: [String], packetCount: Int, error: UnitFileError?) {
        let (wire, path) = (Wire(), try UnitPath(name))
        let count = Mutex<Int?>(nil)
        return try await bench.play { central, unit in
            var central = central
            central.requestedMTU = payload + 3
            let connection = try await central.connect(to: unit.address, deadline: central.clock.deadline(in: .seconds(20)))
            let listening = ListeningConnection(connection: connection, wire: wire) { packet in
                let number = count.withLock { count in
                    count = count.map { $0 + 1 }
                    return count
                }
                return number != nil && number == losing ? [] : [packet]
            }
            let repl = try await PythonREPL.attach(to: listening, clock: central.clock, within: .seconds(30))
            let files = PythonFiles(repl: repl)
            if try await files.find(try UnitPath("lib")) == nil {
                try await files.makeFolders(try UnitPath("lib"))
                try await files.write(Self.old, to: try UnitPath("lib/words.py")) { _ in }
            }
            #expect(try await repl.start(within: .seconds(5)))
            try await repl.recover(within: .seconds(5))
            let before = wire.commands.count
            count.withLock { $0 = 0 }
            var error: UnitFileError?
            do {
                try await files.write(bytes, to: path) { _ in }
            } catch let failure as UnitFileError { error = failure }
            let packetCount = count.withLock { $0 } ?? 0
            await repl.close()
            await connection.disconnect()
            return (Array(wire.commands.dropFirst(before)), packetCount, error)
        }
    }

    @Test func itTakesNoHelper() async throws {
        let bench = Bench()
        defer { bench.remove() }
        let traffic = try await write(on: bench)
        #expect(traffic.error == nil && !traffic.commands.contains { $0.contains("_ns") }, "\(traffic)")
        #expect(traffic.commands.count <= 8 && traffic.packetCount <= 14, "\(traffic)")
        #expect(try UnitFilesTests.held(bench) == ["lib/words.py": Self.bytes])
    }

    @Test(arguments: [0, 1, 4096, 4097]) func anyLength(count: Int) async throws {
        let bench = Bench()
        defer { bench.remove() }
        let bytes = SeededNumbers.bytes(count, seed: 3)
        let traffic = try await write(bytes, on: bench)
        #expect(traffic.commands.contains { $0.contains("class _ns") } == (count > 4096))
        #expect(try UnitFilesTests.held(bench) == ["lib/words.py": bytes])
    }

    /// Whatever packet is lost, the file is the new one, and nothing lies beside it.
    @Test(arguments: TestRange.of(
        (1...14).map { (244, $0) } + (1...140).map { (20, $0) },
        quick: [(244, 1), (244, 4), (244, 9), (20, 2), (20, 5), (20, 90), (20, 103)]))
    func aLostPacketIsRepaired(payload: Int, number: Int) async throws {
        let bench = Bench()
        defer { bench.remove() }
        let traffic = try await write(on: bench, payload: payload, losing: number)
        #expect(traffic.error == nil, "\(traffic)")
        let held = try UnitFilesTests.held(bench)
        #expect(held["lib/words.py"] == Self.bytes)
        #expect(held.keys.allSatisfy { $0 == "lib/words.py" || $0.hasSuffix(".noafw") }, "\(held.keys)")
    }

    /// Whatever ends it in between: the file is the old one or the new one, and the next run finishes.
    @Test(arguments: TestRange.seeds(200, quick: [1, 2, 3, 4, 5, 6])) func aCutTearsNothing(seed: UInt64) async throws {
        var bench = Bench()
        defer { bench.remove() }
        try await write(Self.old, on: bench).error.map { throw $0 }
        var generator = SeededNumbers(seed: seed)
        // The prompt takes 10 packets, the folder's list and the restart 25.
        bench.faults.cuts[Int.random(in: 30...60, using: &generator)] = Bool.random(using: &generator) ? .power : .link
        _ = try? await write(on: bench)
        let held = try UnitFilesTests.held(bench)["lib/words.py"]
        #expect(held == Self.old || held == Self.bytes)
        bench.faults = FaultPlan()
        try await write(on: bench).error.map { throw $0 }
        #expect(try UnitFilesTests.held(bench) == ["lib/words.py": Self.bytes])
    }

    @Test func whatTheUnitRefusesIsTold() async throws {
        let bench = Bench()
        defer { bench.remove() }
        #expect(try await write(to: "none/words.py", on: bench).error == .missing(":none/words.py"))
        #expect(try await write(to: "lib/words.py/x", on: bench).error != nil)
        #expect(try UnitFilesTests.held(bench) == ["lib/words.py": Self.old])
    }
}
