import Bluetooth
import Foundation
import Ledger
import Provisioning
import Support
import TestSupport
import Testing

@testable import noafw

/// verify for many units: what differs, how, and for whom it is written down.
@Suite struct VerifyFleetTests {
    typealias Entry = FleetEntry<ComparedReport>
    private let harness = Harness()
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(
        _ arguments: [String], _ entries: @escaping @Sendable (Comparison) throws -> [Entry]
    ) async -> Int32 {
        let services = FakeServices(onVerifyFleet: { request, _ in FleetReport(entries: try entries(request.comparison)) })
        var context = harness.context(["verify", "--all"] + arguments, services: services)
        context.date = { Date(timeIntervalSince1970: 1_795_000_000) }
        return await Noafw.execute(in: context)
    }

    private static let mixed: @Sendable (Comparison) throws -> [Entry] = { comparison in
        [
            try FleetSample.verified(1, comparison),
            try FleetSample.verified(2, [.firmware: "v25.365.2359", .fpga: "v26.001.0001", .scripts: nil], comparison),
            try FleetSample.verified(3, [.firmware: nil, .fpga: "=1+1"], comparison),
            FleetSample.entry(9, .notReached(FleetSample.away)),
            FleetSample.entry(8, .skipped(FleetSample.badFile)),
        ]
    }

    @Test func theTableTellsHowEachPartDiffers() async {
        #expect(await run([], Self.mixed) == 1)
        #expect(harness.output.hasPrefix("""
            unit               part      expected             actual               result
            C0:00:00:00:00:01  firmware  v26.001.0000         v26.001.0000         matches
            C0:00:00:00:00:01  fpga      v26.001.0000         v26.001.0000         matches
            C0:00:00:00:00:01  scripts   sha256:0123456789ab  sha256:0123456789ab  matches
            C0:00:00:00:00:02  firmware  v26.001.0000         v25.365.2359         OLDER
            C0:00:00:00:00:02  fpga      v26.001.0000         v26.001.0001         NEWER
            C0:00:00:00:00:02  scripts   sha256:0123456789ab  -                    DRIFTED
            C0:00:00:00:00:03  firmware  v26.001.0000         -                    UNKNOWN
            C0:00:00:00:00:03  fpga      v26.001.0000         =1+1                 DRIFTED
            C0:00:00:00:00:03  scripts   sha256:0123456789ab  sha256:0123456789ab  matches
            C0:00:00:00:00:09  -         -                    -                    UNREACHABLE
            C0:00:00:00:00:08  -         -                    -                    not expected here

            """), "\(harness.output)")
        #expect(harness.output.contains("compared with: the catalogue"))
        #expect(harness.output.hasSuffix("FAIL ✘  5 units: 1 passed, 2 failed, 1 not reached, 1 not expected here (0.0 s)\n"))
    }

    /// Bytes that are proved to be others are drift, whatever the unit says of its age, or does not say.
    @Test(arguments: [
            ("v25.001.0000", ["page 17 of the FPGA flash"], nil, FindingState.drifted),
            (nil, ["page 17 of the FPGA flash", "it is silent"], "it is silent", .drifted),
            (nil, ["it is silent"], "it is silent", .unknown), (nil, [], nil, .unknown), ("v25.001.0000", [], nil, .older),
            ("v26.001.0000", [], nil, .matches)
    ] as [(String?, [String], String?, FindingState)])
    func provedBytesAreNoMatterOfAge(actual: String?, differences: [String], silence: String?, state: FindingState) throws {
        var finding = VerifyReport.Finding(expected: "v26.001.0000", actual: actual, differences: differences)
        finding.silence = silence
        let report = VerifyReport(
            identity: UnitIdentity(address: FleetSample.address(1), name: "monocle"), family: "monocle", findings: [.fpga: finding],
            error: nil)
        #expect(Comparison(isDeep: true, today: "").compare(report, unit: []).findings.map(\.state) == [state])
    }

    @Test func noFindingsAreNoVerdict() throws {
        let report = VerifyReport(
            identity: UnitIdentity(address: FleetSample.address(1), name: "frame"), family: "frame", findings: [:], error: nil)
        let compared = Comparison(isDeep: true, today: "").compare(report, unit: [])
        #expect(!report.passed && !compared.passed)
        #expect(report.failure?.code == "PRV-0033" && compared.failure?.code == "PRV-0033")
    }

    /// What of a baseline is held against the units, and what a changed script of the same version needs.
    @Test(arguments: [
        (false, false, "by versions alone"), (true, true, "by versions and digests"),
        (true, false, "by versions alone: without --deep a script"),
        (false, true, "by versions; it was made without --deep"),
    ])
    func theDepthOfABaselineIsTold(wasDeep: Bool, isDeep: Bool, words: String) async throws {
        let entries: @Sendable (Comparison) throws -> [Entry] = { [try FleetSample.verified(1, $0)] }
        let file = try await baseline(wasDeep ? ["--deep"] : [], entries)
        let harness = Harness()
        let services = FakeServices(onVerifyFleet: { request, _ in FleetReport(entries: try entries(request.comparison)) })
        _ = await Noafw.execute(
            in: harness.context(["verify", "--all", "--baseline", file] + (isDeep ? ["--deep"] : []), services: services))
        #expect(harness.output.contains(words), "\(harness.output)")
    }

    @Test func excelKeepsWhatTheUnitsSay() async throws {
        let file = folder.url.appendingPathComponent("out.csv").path
        let entries: @Sendable (Comparison) throws -> [Entry] = { [try FleetSample.verified(1, [.firmware: "1E5", .fpga: "00123"], $0)] }
        #expect(await run(["--csv", file, "--excel"], entries) == 1)
        let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self)
        #expect(
            text.unicodeScalars.first == "\u{FEFF}" && text.contains(",'1E5,") && text.contains(",'00123,") && text.contains("\r\n"),
            "\(text)")
        #expect(await run(["--excel"], entries) == 64)
    }

    /// Of the units that did not pass: since when.
    @Test func theLastPassIsTold() async throws {
        let pass = PassedRun(id: RunIDGenerator().next(), verb: "flash", endedAt: UTCTime(microseconds: 1_795_183_389_000_000))
        let entries: @Sendable (Comparison) throws -> [Entry] = { comparison in
            try [FleetSample.verified(1, comparison), FleetSample.verified(2, [.fpga: "v1"], comparison)].map { entry in
                guard var report = entry.report else { return entry }
                report.lastPass = pass
                return FleetEntry(unit: entry.unit, report: report)
            }
        }
        #expect(await run([], entries) == 1)
        #expect(harness.output.contains("\n  C0:00:00:00:00:02 last passed 2026-11-20 14:03 UTC (flash)\n"), "\(harness.output)")
        #expect(harness.output.components(separatedBy: "last passed").count == 2)
        let other = Harness()
        let services = FakeServices(onVerifyFleet: { request, _ in FleetReport(entries: try entries(request.comparison)) })
        _ = await Noafw.execute(in: other.context(["verify", "--all", "--json"], services: services))
        let units = try #require(try ToolBench.json(other.output)["units"] as? [[String: Any]])
        #expect(units.compactMap { ($0["last_pass"] as? [String: String])?["verb"] } == ["flash", "flash"])
    }

    @Test func unreachableIsNotWrong() async {
        #expect(await run([]) { [try FleetSample.verified(1, $0), FleetSample.entry(9, .notReached(FleetSample.away))] } == 75)
        #expect(await run([]) { [try FleetSample.verified(1, $0), FleetSample.entry(9, .skipped(FleetSample.badFile))] } == 0)
    }

    @Test(.enabled(if: TestTools.mayReadExports)) func othersReadTheCSV() async throws {
        let file = folder.url.appendingPathComponent("out.csv").path
        #expect(await run(["--csv", file], Self.mixed) == 1)
        let (status, output) = try Self.read("csv", file)
        try #require(status == 0, "\(output)")
        let cells = try JSONDecoder().decode([[String]].self, from: Data(output.utf8))
        #expect(cells.count == 12 && cells.allSatisfy { $0.count == 12 })
        #expect(cells[0].prefix(5) == ["unit", "address", "family", "part", "state"])
        #expect(cells[1...].map { $0[4] } == [
            "matches", "matches", "matches", "older", "newer", "drifted", "unknown", "drifted", "matches", "unreachable", "not_expected",
        ])
        #expect(cells[8][6] == "'=1+1", "a unit's text is no formula")
        #expect(cells[10][9] == "FLT-0001")
    }

    @Test(.enabled(if: TestTools.mayReadExports)) func othersReadTheJUnit() async throws {
        let file = folder.url.appendingPathComponent("out.xml").path
        #expect(await run(["--junit", file], Self.mixed) == 1)
        let (status, output) = try Self.read("junit", file)
        try #require(status == 0, "\(output)")
        let suites = try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [[String: Any]])
        #expect(suites.count == 1 && suites[0]["tests"] as? Int == 11)
        #expect(suites[0]["failures"] as? Int == 5 && suites[0]["errors"] as? Int == 1 && suites[0]["skipped"] as? Int == 1)
        #expect(suites[0]["timestamp"] as? String == "2026-11-18T11:06:40")
        let cases = try #require(suites[0]["cases"] as? [[String: Any]])
        #expect(cases[3]["classname"] as? String == "noafw.monocle.firmware" && cases[3]["name"] as? String == "C0:00:00:00:00:02")
        #expect((cases[3]["results"] as? [[String]])?.first == ["Failure", "expected v26.001.0000, actual v25.365.2359"])
        #expect((cases[9]["results"] as? [[String]])?.first?.first == "Error")
        #expect(Set(cases.map { "\($0["classname"] ?? "") \($0["name"] ?? "")" }).count == cases.count)
    }

    private static func read(_ kind: String, _ file: String) throws -> (status: Int32, output: String) {
        let script = TestTools.root.appendingPathComponent("Tests/Interop/ledger_exports.py").path
        return try runProgram(try TestTools.require(TestTools.ledgerPython, "junitparser"), [script, kind, file])
    }

    @Test func exportsMayTakeStandardOutput() async {
        #expect(await run(["--junit", "-"], Self.mixed) == 1)
        #expect(harness.output.hasPrefix("<?xml") && harness.output.hasSuffix("</testsuites>\n"))
        #expect(harness.diagnostics.contains("compared with: "))
    }

    @Test func aResultReplacesNoInput() async throws {
        let list = try folder.write("C0:00:00:00:00:01\n", to: "units")
        #expect(await Noafw.execute(in: harness.context(["verify", "--devices", list, "--csv", list])) == 64)
        #expect(harness.diagnostics.contains("NOA-0024"))
    }

    /// A report of no unit takes the place of no earlier one.
    @Test(arguments: ["--csv", "--junit"]) func aRunThatDoesNotBeginLeavesEarlierResults(option: String) async throws {
        let file = try folder.write("monday\n", to: "out")
        for wrong in [["--allow", "none"], ["--baseline", "none"], ["--devices", "none"]] {
            #expect(await Noafw.execute(in: harness.context(["verify", option, file] + wrong)) == 66, "\(harness.diagnostics)")
        }
        let nothing = await run([option, file]) { _ in [] }
        #expect(nothing == 69, "\(harness.diagnostics)")
        #expect(try folder.read("out") == Array("monday\n".utf8))
    }

    /// An hour of work does not end in a wrong name.
    @Test func aResultThatCannotBeWrittenIsToldBeforeAUnitIsTouched() async throws {
        for place in [folder.url.path, "/nowhere/out.csv"] {
            for option in ["--csv", "--junit"] {
                #expect(await Noafw.execute(in: harness.context(["verify", "--all", option, place])) == 74)
                #expect(harness.diagnostics.contains("error NOA-0008: cannot write \(place)"))
            }
        }
    }

    @Test func theVerdictOutranksWhatCannotBeWritten() async throws {
        let place = folder.url.appendingPathComponent("results")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let status = await run(["--csv", place.appendingPathComponent("out.csv").path]) { comparison in
            try FileManager.default.removeItem(at: place)
            return try Self.mixed(comparison)
        }
        #expect(status == 1 && harness.diagnostics.contains("NOA-0008"))
    }

    @Test func theDocumentHasEveryState() async throws {
        #expect(await run(["--json"], Self.mixed) == 1)
        let document = try ToolBench.json(harness.output)
        #expect(document["schema"] as? String == "noafw.verify/1")
        let units = try #require(document["units"] as? [[String: Any]])
        #expect((units[1]["firmware"] as? [String: Any])?["state"] as? String == "older")
        #expect(units[3]["firmware"] is NSNull && units[3]["outcome"] as? String == "not_reached")
        #expect((document["fleet"] as? [String: Any])?["compared_with"] is String)
    }

    // MARK: - Baseline

    private func baseline(_ arguments: [String] = [], _ entries: @escaping @Sendable (Comparison) throws -> [Entry]) async throws -> String
    {
        _ = await run(["--json"] + arguments, entries)
        defer { harness.clear() }
        return try folder.write(harness.output, to: "baseline.json")
    }

    @Test func aBaselineTakesThePlaceOfTheFiles() async throws {
        let file = try await baseline([], Self.mixed)
        // The same again: what drifted then is as it was.
        let again: @Sendable (Comparison) throws -> [Entry] = { Array(try Self.mixed($0).prefix(3)) }
        #expect(await run(["--baseline", file], again) == 0, "\(harness.output)")
        #expect(harness.output.contains("compared with: baseline \(file), 3 units"))
        harness.clear()
        #expect(
            await run(["--baseline", file]) { [try FleetSample.verified(1, [.fpga: "v26.001.0001"], $0), try FleetSample.verified(4, $0)] }
                == 1)
        #expect(
            harness.output.contains("C0:00:00:00:00:01  fpga      v26.001.0000         v26.001.0001         NEWER"), "\(harness.output)")
        #expect(harness.output.contains("C0:00:00:00:00:04  NOT EXPECTED") || harness.output.contains("NOA-0049"), "\(harness.output)")
        #expect(harness.output.contains("NOA-0048, 2 units"), "who is missing is told: \(harness.output)")
    }

    @Test func aListedUnitHasToBeInTheBaseline() async throws {
        let file = try await baseline([], Self.mixed)
        let list = try folder.write("C0:00:00:00:00:04\n", to: "units")
        let services = FakeServices(onVerifyFleet: { request, _ in FleetReport(entries: [try FleetSample.verified(4, request.comparison)]) }
        )
        #expect(await Noafw.execute(in: harness.context(["verify", "--devices", list, "--baseline", file], services: services)) == 65)
        #expect(harness.output.contains("NOA-0049"))
    }

    @Test(arguments: [
        "", "[]", "{\"schema\":\"noafw.flash/1\",\"units\":[]}",
        "{\"schema\":\"noafw.verify/1\",\"units\":[{\"address\":\"C0:00:00:00:00:01\"}]}",
        "{\"schema\":\"noafw.flash/1\",\"units\":[{\"address\":\"C0:00:00:00:00:01\",\"firmware\":{\"actual\":\"v1\"}}]}",
    ])
    func whatIsNoBaselineIsRefused(text: String) async throws {
        let file = try folder.write(text, to: "baseline.json")
        #expect(await Noafw.execute(in: harness.context(["verify", "--all", "--baseline", file, "--json"])) == 65)
        #expect(harness.diagnostics.contains("NOA-0046") && harness.output.hasPrefix("{\"schema\":\"noafw.verify/1\""))
    }

    /// With `--deep`: what differed then may, and nothing else.
    @Test func aNewDifferenceIsNoneOfTheBaseline() async throws {
        let file = try await baseline(["--deep"]) { [try FleetSample.verified(1, [:], differences: ["page 10"], $0)] }
        #expect(await run(["--deep", "--baseline", file]) { [try FleetSample.verified(1, [:], differences: ["page 10"], $0)] } == 0)
        #expect(
            await run(["--deep", "--baseline", file]) { [try FleetSample.verified(1, [:], differences: ["page 10", "page 11"], $0)] } == 1)
    }

    // MARK: - What is allowed

    /// The baseline has no version, and the unit now calls its own so.
    @Test func whatNoLineNamesIsNotAllowed() async throws {
        let file = try await baseline { [try FleetSample.verified(1, [.firmware: nil], $0)] }
        let list = try folder.write("*,fpga,*,any,\n", to: "allow.csv")
        #expect(await run(["--baseline", file, "--allow", list]) { [try FleetSample.verified(1, [.firmware: nil], $0)] } == 0)
        #expect(await run(["--baseline", file, "--allow", list]) { [try FleetSample.verified(1, [.firmware: "none"], $0)] } == 1)
    }

    @Test func anAllowanceIsForItsUnitsAndItsPart() async throws {
        let file = try folder.write("C0:00:00:00:00:02,fpga,v26.001.0001,known,\n", to: "allow.csv")
        for (unit, part, code) in [(2, Component.fpga, 0), (1, .fpga, 1), (2, .firmware, 1)] as [(Int, Component, Int32)] {
            #expect(
                await run(["--allow", file]) { [try FleetSample.verified(unit, [part: "v26.001.0001"], $0)] } == code, "\(unit) \(part)")
        }
    }

    @Test func allowancesAreCountedAndExpire() async throws {
        let file = try folder.write(
            """
            # unit, part, value, reason, last day
            C0:00:00:00:00:02,firmware,v25.365.2359,"field trial, north",2026-11-18
            c0:00:00:00:00:0?,fpga,v26.001.0001,new image,
            *,*,nothing,never met,2027-01-01
            *:02,scripts,*,old,2026-11-17
            """, to: "allow.csv")
        #expect(await run(["--allow", file]) { [try FleetSample.verified(2, [.firmware: "v25.365.2359", .fpga: "v26.001.0001"], $0)] } == 0)
        #expect(harness.output.contains("allow.csv: 2 of 4 allowances used"), "\(harness.output)")
        #expect(harness.output.contains("line 4 was not needed: never met") && harness.output.contains("v25.365.2359         allowed"))
        harness.clear()
        #expect(await run(["--allow", file]) { [try FleetSample.verified(2, [.scripts: nil], $0)] } == 1)
        #expect(harness.output.contains("DRIFTED") && harness.output.contains("line 5 expired on 2026-11-17: old"), "\(harness.output)")
    }

    @Test func everyDifferenceHasToBeAllowed() async throws {
        let file = try folder.write("*,fpga,page 1?,known,\n", to: "allow.csv")
        #expect(
            try AllowList(Array("\u{FEFF}# of Windows\r\nd3:5a:*,fpga,page,known,\r\n".utf8), name: "l").entries.map(\.unit) == ["d3:5a:*"])
        #expect(await run(["--deep", "--allow", file]) { [try FleetSample.verified(1, [:], differences: ["page 10", "page 11"], $0)] } == 0)
        #expect(await run(["--deep", "--allow", file]) { [try FleetSample.verified(1, [:], differences: ["page 10", "page 20"], $0)] } == 1)
    }

    @Test(arguments: [
        ("a,b\n", "2 of 5 fields"), ("a,firmware,v,r,2026-13-01\n", "last day"), ("a,boot,v,r,\n", "part"), ("a,fpga,\"v,r,\n", "quote"),
        ("a,fpga,v,,\n", "empty"),
        ("a,fpga,v,r,,\n", "6 of 5 fields"), (",fpga,v,r,\n", "empty"), ("a,fpga,,r,\n", "empty"), ("a,fpga,\"v\"*,r,\n", "quote"),
    ])
    func aBadAllowanceIsToldWithItsLine(text: String, words: String) async throws {
        let file = try folder.write("# list\n" + text, to: "allow.csv")
        #expect(await Noafw.execute(in: harness.context(["verify", "--all", "--allow", file])) == 65)
        #expect(harness.diagnostics.contains("line 2 of") && harness.diagnostics.contains(words), "\(harness.diagnostics)")
    }

    @Test func anAllowanceHoldsOnItsLastDay() throws {
        let entry = try #require(try AllowList(Array("*,fpga,v,r,2026-11-17".utf8), name: "l").entries.first)
        #expect(["2025-12-31", "2026-11-17", "2026-11-18", "2027-01-01"].map(entry.isExpired(on:)) == [false, false, true, true])
    }

    @Test func aQuoteEndsItsField() {
        #expect(CSVLine.fields("\"a\" ,\"b\"\t") == ["a", "b"])
        for line in ["\"a\"b,c", "\"a\" b", "\"a\" \"b\"", "\"a\"*,c"] { #expect(CSVLine.fields(Substring(line)) == nil, "\(line)") }
    }

    @Test func patternsTakeLinearTime() {
        #expect(Glob.matches("*a*b?", "xxaxxbx") && !Glob.matches("a", "aa") && Glob.matches("", "") && !Glob.matches("", "a"))
        #expect(!Glob.matches(String(repeating: "*a", count: 250), String(repeating: "a", count: 249)))
        #expect(CSVLine.fields("a, \"b \"\"c\"\", d\" ,,e ")?.elementsEqual(["a", "b \"c\", d", "", "e"]) == true)
    }

    /// One unit with what only fleets have.
    @Test func oneUnitMayBeWrittenDownToo() async throws {
        let services = FakeServices(onVerifyFleet: { request, _ in
            #expect(request.fleet.units == .one(.nearest) && request.inputs.bundle == "release.zip")
            return FleetReport(entries: [try FleetSample.verified(1, request.comparison)])
        })
        #expect(await Noafw.execute(in: harness.context(["verify", "--nearest", "--expect", "release.zip"], services: services)) == 0)
        #expect(harness.output.contains("compared with: bundle release.zip"))
    }
}
