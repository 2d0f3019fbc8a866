import Foundation
import Ledger
import LedgerStore
import Support
import TestSupport
import Testing

@testable import noafw

/// `noafw ledger` over a ledger on the disk.
@Suite struct LedgerCommandTests {
    private let folder: TemporaryFolder
    private let ledger: SQLiteLedger
    /// 2026-11-18T22:26:40Z
    private static let start: Int64 = 1_795_040_800_000_000

    init() throws {
        folder = try TemporaryFolder()
        ledger = SQLiteLedger(folder: folder.path("state/ledger"))
    }

    /// - Parameter day: of the run's start, since the first one.
    @discardableResult
    private func run(
        _ unit: Int, day: Int64 = 0, station: String = "line-1", serial: String? = nil, verb: String = "flash", error: Diagnosis? = nil,
        retries: Int = 0,
        isOpen: Bool = false
    ) async throws -> RunRecord {
        var start = RunRecord(
            station: station, unitAddress: "C0:00:00:00:00:0\(unit)", family: "monocle", verb: verb, toolVersion: "1", host: "bench")
        start.serial = serial
        let time = UTCTime(microseconds: Self.start + day * 86_400_000_000)
        let run = try await ledger.open(start, clock: LedgerClock(now: { time }, monotonic: ManualTime(wakingUntil: .zero).clock))
        guard !isOpen else { return run.record }
        let closed = try await run.close(error.map { RunVerdict($0) } ?? .pass) { record in
            record.retries = retries
            record.versionsBefore = ["firmware": "v1"]
            record.digests = ["firmware": "ab12"]
            record.steps = [
                RunStep(
                    name: "firmware", startMilliseconds: 0, milliseconds: 9300, bytes: 214_708, outcome: error == nil ? .pass : .fail,
                    code: error?.code)
            ]
        }
        return try #require(closed)
    }

    private func noafw(_ arguments: String...) async -> (status: Int32, output: String, diagnostics: String) { await noafw(arguments) }

    /// Three days after the first run.
    private func noafw(_ arguments: [String]) async -> (status: Int32, output: String, diagnostics: String) {
        let harness = Harness()
        var context = harness.context(["ledger"] + arguments, environment: ["NOAFW_STATE_DIR": folder.path("state")], folder: folder.path)
        context.date = { Date(timeIntervalSince1970: Double(Self.start) / 1_000_000 + 3 * 86_400) }
        let status = await Noafw.execute(in: context)
        return (status, harness.output, harness.diagnostics)
    }

    // MARK: - list

    @Test func theNewestIsLast() async throws {
        let runs = [
            try await run(1), try await run(2, day: 1, serial: "SN2", error: RecordBench.unitFault, retries: 3),
            try await run(3, day: 2, isOpen: true)
        ]
        let (status, output, diagnostics) = await noafw("list")
        #expect(status == 0 && diagnostics.isEmpty)
        #expect(output == """
            started              run       station  unit               serial  verb   verdict  code       seconds  retries
            2026-11-18 22:26:40  \(runs[0].id.shortText)  line-1   C0:00:00:00:00:01  -       flash  PASS     -              0.0        -
            2026-11-19 22:26:40  \(runs[1].id.shortText)  line-1   C0:00:00:00:00:02  SN2     flash  FAIL     FPGA-0003      0.0        3
            2026-11-20 22:26:40  \(runs[2].id.shortText)  line-1   C0:00:00:00:00:03  -       flash  running  -                -        -

            """)
    }

    @Test func filtersNarrow() async throws {
        try await run(1, serial: "SN1")
        try await run(2, day: 1, station: "line-2", error: RecordBench.unitFault)
        try await run(3, day: 2, verb: "verify", error: RecordBench.radioFault)
        func units(_ option: String, _ value: String) async throws -> [Int] {
            let (status, output, diagnostics) = await noafw("list", "--json", option, value)
            try #require(status == 0, "\(diagnostics)")
            let runs = try #require(try ToolBench.json(output)["runs"] as? [[String: Any]])
            return runs.compactMap { ($0["unit_address"] as? String)?.last?.wholeNumberValue }
        }
        // The clock stands three days after the first run.
        let cases: [(String, String, [Int])] = [
            ("--unit", "c0:00:00:00:00:02", [2]), ("--unit", "SN1", [1]), ("--station", "line-2", [2]), ("--verb", "verify", [3]),
            ("--verdict", "fail", [2]), ("--code", "ble-0003", [3]), ("--limit", "2", [2, 3]), ("--since", "36h", [3]),
            ("--since", "2d", [2, 3]),
            ("--since", "2026-11-20", [3]), ("--since", "2026-11-19T22:26:40Z", [2, 3]), ("--since", "2026-11-19T22:27", [3]),
        ]
        for (option, value, expected) in cases { #expect(try await units(option, value) == expected, "\(option) \(value)") }
    }

    @Test(arguments: ["yesterday", "2026-02-30", "2026-11-22T25:00", "7", "-7d", "0d", "99999999d", "7w", ""])
    func aMomentHasItsForm(text: String) async { #expect(await noafw("list", "--since", text).status == 64) }

    @Test func nothingRecordedIsNoError() async throws {
        #expect(try ToolBench.json(await noafw("report", "--json").output)["runs"] as? Int == 0)
        for verb in ["list", "report"] {
            let (status, output, _) = await noafw(verb)
            #expect(status == 0 && output == "no recorded run matches\n", "\(verb)")
        }
        // A verdict is one of something.
        let check = await noafw("check", "--json")
        #expect(check.status == 66 && check.diagnostics.contains("error LED-0012: "), "\(check)")
        #expect(try ToolBench.json(check.output)["sound"] as? Bool == false)
        #expect(!FileManager.default.fileExists(atPath: folder.path("state")), "reading makes nothing")
    }

    /// What a unit says of itself never reaches a terminal as it is.
    @Test func textOfUnitsIsHarmless() async throws {
        try await run(1, serial: "\u{1B}[2J\u{202E}=1+1")
        let digits = try #require(try await ledger.runs().first?.id.shortText)
        for arguments in [["list"], ["show", digits]] {
            let (_, output, _) = await noafw(arguments)
            #expect(!output.contains("\u{1B}") && !output.contains("\u{202E}"))
        }
    }

    // MARK: - show

    @Test func aRunIsShownByAnyOfItsDigits() async throws {
        let run = try await run(1, serial: "SN1", error: RecordBench.unitFault)
        for digits in [run.id.shortText, "\(run.id)", String("\(run.id)".prefix(30)), run.id.shortText.uppercased()] {
            let (status, output, _) = await noafw("show", digits)
            #expect(status == 0)
            for text in ["run \(run.id)", "FAIL  FPGA-0003, fault: unit", "serial     SN1", "ab12", "firmware  0.0      9.3  214,708  23.1"]
            {
                #expect(output.contains(text), "\(text) in \(output)")
            }
        }
        let document = try ToolBench.json(await noafw("show", run.id.shortText, "--json").output)
        #expect((document["runs"] as? [[String: Any]])?.first?["id"] as? String == "\(run.id)")
    }

    @Test func aRunThatIsNotMadeOutIsTold() async throws {
        let runs = [try await run(1), try await run(2)]
        let shared = String("\(runs[0].id)".prefix(5))
        try #require("\(runs[1].id)".hasPrefix(shared))
        let several = await noafw("show", shared)
        #expect(several.status == 65 && several.diagnostics.contains("LED-0009") && several.diagnostics.contains("\(runs[1].id)"))
        #expect(await noafw("show", "ffffffff").status == 66)
        for digits in ["abc", "xyz1", "100%", "\(runs[0].id)0"] { #expect(await noafw("show", digits).status == 64, "\(digits)") }
    }

    // MARK: - export

    @Test(.enabled(if: TestTools.mayReadExports, "junitparser is missing: run Tools/setup tests"))
    func exportsAreReadByOthers() async throws {
        try await run(1, serial: "=1+1")
        try await run(2, day: 1, error: RecordBench.unitFault)
        try await run(3, day: 1, isOpen: true)
        let script = TestTools.root.appendingPathComponent("Tests/Interop/ledger_exports.py").path
        let python = try TestTools.require(TestTools.ledgerPython, "junitparser")
        for (option, kind) in [("--csv", "csv"), ("--junit", "junit")] {
            let file = folder.path("runs.\(kind)")
            let (status, output, _) = await noafw("export", option, "-o", file)
            #expect(status == 0 && output == "3 runs in \(file)\n")
            #expect(
                await noafw("export", option).output == String(decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self))
            let read = try runProgram(python, [script, kind, file])
            #expect(read.status == 0, "\(read.output)")
            let rows = try #require(try JSONSerialization.jsonObject(with: Data(read.output.utf8)) as? [Any])
            switch kind {
            case "csv": #expect(rows.count == 4 && (rows[1] as? [String])?.contains("'=1+1") == true)
            default: #expect(rows.compactMap { ($0 as? [String: Any])?["failures"] as? Int } == [0, 1])
            }
        }
    }

    @Test func jsonHoldsEverything() async throws {
        try await run(1)
        let document = try ToolBench.json(await noafw("export", "--json").output)
        #expect(document["schema"] as? String == "noafw.ledger/1" && (document["runs"] as? [Any])?.count == 1)
        let lines = await noafw("export", "--json-lines").output.split(separator: "\n")
        #expect(try lines.map { try JSONDecoder().decode(RunRecord.self, from: Data($0.utf8)) } == (try await ledger.runs()))
    }

    @Test func anExportHasOneForm() async throws {
        for arguments in [["--csv", "--json"], ["--json", "--excel"]] { #expect(await noafw(["export"] + arguments).status == 64) }
        #expect(await noafw("export").status == 64)
        #expect(await noafw("export", "--csv", "-o", folder.path("none/x.csv")).status == 74)
    }

    // MARK: - report

    /// A repetition never improves it, and other faults stand beside it.
    @Test func theFirstPassYieldCountsFirstRuns() async throws {
        try await run(1)
        try await run(2, error: RecordBench.unitFault)
        try await run(2, day: 1)
        try await run(3, day: 1, error: RecordBench.radioFault)
        let all = await noafw("report").output
        #expect(all.contains("first-pass yield  50.0 %  n = 2, 95 % interval 9.5–90.5 %"), "\(all)")
        #expect(all.contains("yield of all      66.7 %  n = 3") && all.contains("not counted       by fault of: 1 radio"))
        // Unit 2 was run before.
        let late = await noafw("report", "--since", "2026-11-19").output
        #expect(late.contains("first-pass yield  –  n = 0"), "\(late)")
    }

    @Test func thePageIsOneFile() async throws {
        try await run(1, serial: "<script>alert(1)</script>")
        let file = folder.path("report.html")
        #expect(await noafw("report", "--html", file).status == 0)
        let page = String(decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self)
        #expect(page.hasPrefix("<!DOCTYPE html>") && page.contains("default-src &apos;none&apos;"))
        for text in ["<script", "http://", "https://", "url(", "javascript:"] { #expect(!page.contains(text), "\(text)") }
    }

    // MARK: - check

    @Test func aSoundLedgerIsSound() async throws {
        try await run(1)
        let (status, output, _) = await noafw("check")
        #expect(status == 0 && output == "1 run, 0 not ended\nthe ledger is sound\n")
    }

    @Test func aBrokenFileIsToldUntilItIsAcknowledged() async throws {
        try await run(1)
        await ledger.close()
        try folder.write("this is no database", to: "state/ledger/ledger.sqlite")
        let next = SQLiteLedger(folder: folder.path("state/ledger"))
        let start = RunRecord(
            station: "line-1", unitAddress: "C0:00:00:00:00:01", family: "monocle", verb: "flash", toolVersion: "1", host: "bench")
        try await next.open(start, clock: LedgerClock()).close(.pass)
        let check = await noafw("check")
        #expect(check.status == 65 && check.diagnostics.contains("LED-0010") && check.output.contains("--acknowledge"))
        #expect(await noafw("list").diagnostics.contains("LED-0024"))
        #expect(await noafw("check", "--acknowledge").status == 0)
        #expect(await noafw("list").diagnostics.isEmpty)
    }

    @Test func aDamagedFileIsNoCrash() async throws {
        try folder.write("this is no database", to: "state/ledger/ledger.sqlite")
        for verb in ["list", "report", "check"] {
            let (status, _, diagnostics) = await noafw(verb)
            #expect(status == 74 && diagnostics.contains("LED-0004"), "\(verb): \(diagnostics)")
        }
    }

    @Test func whatWaitsInTheSpoolIsTold() async throws {
        try await run(1)
        try folder.write("{}\n", to: "state/ledger/spool.jsonl")
        #expect(await noafw("list").diagnostics.contains("3 bytes of records wait in"))
        let check = await noafw("check", "--json")
        let document = try ToolBench.json(check.output)
        #expect(check.status == 65 && document["spooled_bytes"] as? Int == 3 && document["sound"] as? Bool == false)
    }
}
