import Bluetooth
import Foundation
import Ledger
import LedgerStore
import Provisioning
import Support
import TestSupport
import Testing

@testable import noafw

/// What a terminal of 80 columns shows: no line is broken within a word, and no table at all.
@Suite struct NarrowTerminalTests {
    private func style(_ columns: Int?) -> TextStyle { TextStyle(isColoured: false, columns: columns) }

    private func table() -> TextTable {
        var table = TextTable([.init("part"), .init("from", leftOut: 2), .init("to"), .init("rate", .right, leftOut: 1)])
        table.append(["firmware", "v1", "v2", "1.5 kB/s"])
        return table
    }

    @Test(arguments: [
        (nil, "firmware  v1    v2  1.5 kB/s"), (29, "firmware  v1    v2  1.5 kB/s"), (28, "firmware v1   v2 1.5 kB/s"),
        (26, "firmware v1   v2 1.5 kB/s"), (25, "firmware v1   v2"), (16, "firmware v2"), (3, "firmware v2"),
    ] as [(Int?, String)])
    func aTableMovesTogetherAndThenLeavesOut(columns: Int?, row: String) {
        #expect(table().lines(style: style(columns)) { _ in nil }.last == row)
    }

    @Test func aFlashsTableFits() throws {
        let entry = FleetEntry(unit: FleetUnit(id: "monocle"), report: try Sample.flashed())
        let result = FleetRunResult(report: FleetReport(entries: [entry]), seconds: 1)
        let lines = FlashPresentation(single: ReportTarget()).summary(result, style: style(80))
        #expect(lines.allSatisfy { DisplayWidth.columns($0) < 80 } && lines.contains { $0.hasPrefix("firmware ") }, "\(lines)")
    }

    @Test func doctorBreaksBetweenWords() {
        let check = DoctorCheck(
            name: "bus", status: .fail, detail: String(repeating: "word ", count: 40), fix: String(repeating: "fix ", count: 40))
        let lines = check.lines(style(80))
        #expect(
            lines.count > 4 && lines[0].hasPrefix("fail  bus               word word")
                && lines.allSatisfy { DisplayWidth.columns($0) <= 80 }
        )
        #expect(lines.dropFirst().allSatisfy { $0.hasPrefix(String(repeating: " ", count: 23)) })
        #expect(check.lines(style(nil)).count == 2)
    }

    // MARK: - Every verb

    private static let long = "a-name-that-is-as-long-as-a-person-makes-it-who-numbers-stations-and-files"

    /// What a verb shows on a terminal: no row is wider than it, but for a command to copy and an error's lines.
    private func expectFit(
        _ arguments: [String], _ services: FakeServices = FakeServices(), environment: [String: String] = ["HOME": "/"],
        folder: String = "/line"
    ) async {
        let harness = Harness()
        let code = await Noafw.execute(
            in: harness.context(arguments, services: services, environment: environment, isTerminal: true, columns: 80, folder: folder))
        let lines = harness.output.replacing(/\u{1B}\[[0-9]*[AJ]|\r/, with: "").split(separator: "\n")
        #expect(lines.count > 1 && code != 64, "\(arguments): \(harness.output)\(harness.diagnostics)")
        for line in lines where !line.contains("next: ") {
            #expect(DisplayWidth.columns(painted: String(line)) < 80, "\(arguments): \(line)")
        }
    }

    @Test(arguments: [false, true]) func unitsFit(isSilent: Bool) async throws {
        let failure = Diagnosis("PRV-0041", .unitFailed, .unit, Self.long, cause: "c", remedy: "r")
        let flashed = { @Sendable (number: Int) in
            var entry = try FleetSample.flashed(number, error: number == 1 ? nil : failure)
            entry.unit.id = number == 1 ? entry.unit.id : Self.long + "\(number)"
            return entry
        }
        let services = FakeServices(
            onFlash: { _, _ in
                var report = try Sample.flashed()
                report.program = ProgramVerification(isSilent ? .silent : .announced, seconds: 600)
                report.recoveries = [Recovery(remedy: .reconnect, reason: failure)]
                return report
            },
            onVerify: { _, _ in
                var report = try Sample.verified(scriptsMatch: isSilent)
                report.findings[.fpga] = .init(expected: "v26.001.0000", actual: String(repeating: "x", count: 60))
                report.findings[.fpga] = isSilent ? .init(expected: "v26.001.0000", actual: "v26.001.0000") : report.findings[.fpga]
                report.program = ProgramVerification(isSilent ? .silent : .announced, seconds: 600)
                return report
            },
            onFlashFleet: { _, _ in FleetReport(entries: try (1...3).map(flashed)) },
            onVerifyFleet: { request, _ in
                var entry = try FleetSample.verified(2, [.fpga: "v25.001.0000"], differences: [Self.long], request.comparison)
                entry.unit.id = Self.long
                return FleetReport(entries: [try FleetSample.verified(1, request.comparison), entry])
            },
            onWatch: { _, events in
                let entry = try flashed(2)
                events(RunEvent(unit: entry.unit, content: .started(adapter: "", serial: Self.long)))
                events(RunEvent(unit: entry.unit, content: .ended(entry.result, seconds: entry.seconds)))
                return FleetReport(entries: [entry])
            },
            onScan: { _, _ in
                let units = (1...3).map { number in
                    DiscoveredUnit(
                        family: "monocle", mode: .bootloader, advertisedAddress: FleetSample.address(number),
                        name: number == 1 ? "DfuTarg" : Self.long, rssi: -101)
                }
                return ScanReport(units: units, known: [units[0].address])
            })
        for verb in [
            ["flash", "--virtual", "frame"], ["verify", "--virtual", "monocle", "--deep"], ["flash", "--all"], ["verify", "--all"],
            ["flash", "--watch"], ["scan"]
        ] { await expectFit(verb, services) }
    }

    @Test func filesFit() async throws {
        let folder = try TemporaryFolder()
        try folder.write("a = 1\n", to: "src/main.py")
        try folder.write("b = 1\n", to: "src/\(Self.long.prefix(40).replacing("-", with: "_")).py")
        try #require(await Noafw.execute(in: Harness().context(["bundle", "src", "-o", "out.zip", "--no-check"], folder: folder.path)) == 0)
        let packages = try FileManager.default.contentsOfDirectory(atPath: ToolBench.root.path + "/Firmware").filter {
            $0.hasSuffix(".zip")
        }
        #expect(!packages.isEmpty)
        for name in packages {
            for verb in ["inspect", "verify"] { await expectFit(["package", verb, "Firmware/\(name)"], folder: ToolBench.root.path) }
        }
        await expectFit(["bundle", "show", "out.zip"], folder: folder.path)
        for verb in ["list", "check"] { await expectFit(["assets", verb, "--assets", "."], folder: ToolBench.root.path) }
    }

    @Test func recordsFit() async throws {
        let folder = try TemporaryFolder()
        let ledger = SQLiteLedger(folder: folder.path("ledger"))
        var start = RunRecord(
            station: Self.long, unitAddress: "C0:00:00:00:00:01", family: "monocle", verb: "verify", toolVersion: "1", host: Self.long)
        (start.serial, start.workOrder, start.bundleDigest) = (Self.long, Self.long, String(repeating: "5", count: 64))
        let clock = LedgerClock(now: { UTCTime(microseconds: 1_795_040_800_000_000) }, monotonic: ManualTime(wakingUntil: .zero).clock)
        let run = try #require(try await ledger.open(start, clock: clock).close(RunVerdict(RecordBench.unitFault)) { record in
            record.versionsBefore = ["firmware": "v23.100.0000", "scripts": Sample.scriptsDigest]
            record.versionsAfter = ["scripts": Sample.scriptsDigest]
            record.digests = ["scripts": String(repeating: "6", count: 64)]
                record.steps = [
                    RunStep(name: Self.long, startMilliseconds: 0, milliseconds: 93_000, bytes: 9_214_708, outcome: .fail, code: "PRV-0041")
                ]
        })
        let environment = ["HOME": "/", "NOAFW_STATE_DIR": folder.path]
        for verb in [["list"], ["show", run.id.shortText], ["report"], ["check"]] {
            await expectFit(["ledger"] + verb, environment: environment)
        }
    }

    /// All of them, however deep.
    private static func verbs() async throws -> [[String]] {
        try await CommandTextTests.helpOfEachCommand().keys.sorted().map { $0.split(separator: " ").map(String.init) }
    }

    @Test func helpBreaksBetweenWords() async throws {
        let verbs = try await Self.verbs()
        #expect(verbs.count > 45)
        for (number, verb) in verbs.enumerated() {
            func help(_ columns: Int) async -> String {
                let harness = Harness()
                #expect(await Noafw.execute(in: harness.context(verb + ["--help"], isTerminal: true, columns: columns)) == 0)
                return harness.output
            }
            func words(_ text: String) -> [Substring] { text.split { $0 == " " || $0 == "\n" } }
            let wide = await help(1000)
            for columns in TestRange.of([80, 100], quick: [[80, 100][number % 2]]) {
                let narrow = await help(columns)
                #expect(words(wide) == words(narrow), "\(verb)")
                for line in narrow.split(separator: "\n") where line.contains(" ") {
                    #expect(DisplayWidth.columns(line) <= columns, "\(verb): \(line)")
                }
            }
            // An example is copied from one line.
            for line in wide.split(separator: "\n") where line.hasPrefix("  noafw ") {
                #expect(DisplayWidth.columns(line) <= 100, "\(verb): \(line)")
            }
        }
    }

    /// A command to copy stays on its line; what is said beside it is broken.
    @Test func theNextStepBreaksBetweenItsClauses() {
        func rows(_ text: String) -> [String] { style(40).fitted(["  next:  " + text]) }
        #expect(rows("run: noafw flash --firmware a-file-with-a-long-name.zip") == [
            "  next:  run: noafw flash --firmware a-file-with-a-long-name.zip"
        ])
        #expect(rows("wake it, or run noafw scan; then look at it") == [
            "  next:  wake it, or run noafw scan;", "    then look at it",
        ])
        #expect(rows("bring the unit closer to this machine, and run: noafw flash") == [
            "  next:  bring the unit closer to", "    this machine, and run: noafw flash",
        ])
    }

    @Test func nextStepsFit() {
        var count = 0
        for entry in ErrorEntry.all {
            let rows = style(80).fitted(["  next:  " + entry.remedy])
            count += rows.count
            // A command or a path is not broken.
            for row in rows where DisplayWidth.columns(row) >= 80 {
                #expect(["noafw ", "run: ", "/", "--"].contains { row.contains($0) }, "\(row)")
            }
        }
        #expect(count > 400)
    }

    /// Whatever a verb says of a command line that it does not understand.
    @Test func errorsBreakBetweenWords() async throws {
        for verb in try await Self.verbs() {
            let harness = Harness()
            _ = await Noafw.execute(in: harness.context(verb + ["--no-such-option-at-all", "surplus"], isTerminal: true, columns: 80))
            for line in harness.diagnostics.split(separator: "\n") where line.contains(" ") {
                #expect(DisplayWidth.columns(painted: String(line)) <= 80, "\(verb): \(line)")
            }
        }
    }

    /// The overview's examples stand on a line each.
    @Test func theOverviewFits() async {
        func examples(_ columns: Int) async -> [Substring] {
            let harness = Harness()
            _ = await Noafw.execute(in: harness.context(["--help"], isTerminal: true, columns: columns))
            return harness.output.split(separator: "\n").filter { $0.hasPrefix("  noafw ") }
        }
        let narrow = await examples(80)
        #expect(await narrow == examples(1000) && narrow.count == 13)
    }
}
