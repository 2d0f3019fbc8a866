import Foundation
import Ledger
import LedgerStore
import Support
import TestSupport
import Testing

@testable import noafw

/// A ledger in which another program has written: whatever it wrote, the other rows are read.
@Suite(.enabled(if: TestTools.python != nil || TestTools.mustAllBeThere, "Python is missing: run Tools/setup tests"))
struct SpoiledLedgerTests {
    private static let station = "line-1"
    private static let unit = "C0:00:00:00:00:01"

    private let folder: TemporaryFolder
    private let base: SQLiteLedger

    init() throws {
        folder = try TemporaryFolder()
        base = SQLiteLedger(folder: folder.path("ledger"))
    }

    private func start() -> RunRecord {
        var start = RunRecord(
            station: Self.station, unitAddress: Self.unit, family: "monocle", verb: "flash", toolVersion: "1", host: "bench")
        (start.fixture, start.adapter, start.operatorName, start.serial) = ("jig", "00:1A:7D:DA:71:13", "ada", "SN1")
        return start
    }

    /// Three that passed, of which the one in the middle is spoiled.
    private func spoiled(keepingOpen: Bool = false) async throws -> (runs: [RunRecord], names: [String]) {
        for number in 0..<3 {
            let run = try await base.open(start(), clock: LedgerClock())
            try await run.update { record in
                record.steps = [RunStep(name: "firmware", startMilliseconds: 0, milliseconds: 9300, bytes: 214_708)]
                (record.versionsBefore, record.digests) = (["firmware": "v1"], ["firmware": "ab12"])
                record.plan = #"{"steps":[]}"#
            }
            if !keepingOpen || number != 1 { try await run.close(.pass) }
        }
        let runs = try await base.runs()
        await base.close()
        let python = try TestTools.require(TestTools.python, "the Python of .venv")
        let script = TestTools.root.appendingPathComponent("Tests/Interop/spoil_ledger.py").path
        let made = try runProgram(python, [script, folder.path("ledger/ledger.sqlite"), "2", folder.path])
        try #require(made.status == 0, "\(made.output)")
        let names = try JSONDecoder().decode([String].self, from: Data(made.output.utf8))
        try #require(names.count > 100)
        return (runs, names)
    }

    private func noafw(_ name: String, _ arguments: [String]) async -> (status: Int32, output: String, diagnostics: String) {
        let harness = Harness()
        let context = harness.context(
            ["ledger"] + arguments, environment: ["NOAFW_STATE_DIR": folder.path("\(name)/state")], folder: folder.path)
        let status = await Noafw.execute(in: context)
        return (status, harness.output, harness.diagnostics)
    }

    private static let verbs = [
        ["list"], ["export", "--csv"], ["export", "--json"], ["export", "--json-lines"], ["export", "--junit"], ["report"],
    ]

    @Test func everyVerbReadsTheOtherRows() async throws {
        let (runs, names) = try await spoiled()
        var odd: Set<String> = []
        for (number, name) in names.enumerated() {
            let listed = await noafw(name, ["list"])
            let isOdd = listed.diagnostics.contains("LED-0027")
            if isOdd { odd.insert(String(name.split(separator: "-")[0])) }
            for verb in TestRange.of(Self.verbs, quick: [Self.verbs[number % Self.verbs.count]]) {
                let (status, output, diagnostics) = await noafw(name, verb)
                #expect(status == 0 && diagnostics.contains("LED-0027") == isOdd, "\(name) \(verb): \(diagnostics)")
                #expect(
                    !(output + diagnostics).unicodeScalars.contains {
                        $0 != "\n" && $0 != "\r" && $0 != "\u{FEFF}" && !PrintableText.isPrintable($0)
                    }, "\(name) \(verb)")
                guard verb != ["report"] else { continue }
                #expect([runs[0], runs[2]].allSatisfy { output.contains($0.id.shortText) }, "\(name) \(verb): \(output)")
            }
            let looks = [
                ["show", runs[0].id.shortText], ["report", "--html", folder.path("\(name)/report.html")], ["check"],
            ]
            for look in TestRange.of(looks, quick: [looks[number % looks.count]]) {
                let (status, output, diagnostics) = await noafw(name, look)
                switch look[0] {
                case "show": #expect(status == 0 && output.contains("\(runs[0].id)"), "\(name): \(diagnostics)")
                case "report": #expect(status == 0, "\(name): \(diagnostics)")
                default:
                    #expect(!isOdd || status == 65 && output.contains("row 2 ("), "\(name): \(output)")
                    #expect(status == 0 || status == 65 && diagnostics.contains("LED-0010"), "\(name): \(diagnostics)")
                }
            }
        }
        // What no table's rule of its own could see.
        #expect(
            odd.isSuperset(of: ["id", "outcome", "blame", "claim", "steps", "versions_before", "versions_after", "digests", "attempt_of"]),
            "\(odd)")
    }

    @Test func anOddRowIsNamedByItsColumn() async throws {
        _ = try await spoiled()
        for column in ["steps", "versions_before", "id", "outcome"] {
            let check = await noafw("\(column)-0", ["check"])
            #expect(check.output.contains("damaged: row 2 (\(column)) is not a record"), "\(check.output)")
        }
    }

    /// The next run of the station, its last pass, and what goes to the server.
    @Test(arguments: [false, true]) func aRunGoesOn(besideAnOpenOne isOpen: Bool) async throws {
        let (runs, names) = try await spoiled(keepingOpen: isOpen)
        for name in names {
            let ledger = SQLiteLedger(folder: folder.path("\(name)/state/ledger"))
            #expect(try await ledger.lastPass(of: Self.unit)?.id == runs[2].id, "\(name)")
            let run = try await ledger.open(start(), clock: LedgerClock())
            #expect(!run.notices.contains { if case .spooling = $0 { true } else { false } }, "\(name): \(run.notices)")
            #expect(try await run.close(.pass)?.outcome == .pass, "\(name)")
            let unsent = try await ledger.unsent(station: Self.station, limit: 200)
            #expect(
                [runs[0].id, runs[2].id, run.record.id].allSatisfy { id in unsent.contains { $0.id == id } }, "\(name): \(unsent.count)")
            #expect(try await ledger.unsentCount(station: Self.station) == unsent.count, "\(name)")
            let told = [ledger.unreadable].compactMap(\.self) + run.notices
            if name.hasPrefix("steps") { #expect(told.contains { $0.diagnosis.code == "LED-0027" }, "\(name)") }
        }
    }
}
