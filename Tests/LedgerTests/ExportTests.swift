import Foundation
import Support
import TestSupport
import Testing

@testable import Ledger

/// Exports, read back by other programs.
@Suite struct ExportTests {
    private static let hostile = [
        "=1+1", "+49 30", "-2", "@SUM(A1)", "\"quoted\"", "a,b", "a\"b", "semi;colon", " =cmd|' /C calc'!A0", "00123", "1E5", "MAR1",
        "]]>&<b a='x'>",
        "plain", "SN.4711", "日本", "",
    ]

    private let folder: TemporaryFolder
    private let ids = RunIDGenerator()

    init() throws { folder = try TemporaryFolder() }

    private func run(
        _ serial: String, _ outcome: RunOutcome = .pass, _ blame: Blame? = nil, day: Int64 = 0, station: String = "line, 1"
    ) -> RunRecord {
        var start = RunRecord(
            station: station, unitAddress: "C0:00:00:00:00:01", family: "mono.cle", verb: "flash", toolVersion: "1", host: "bench")
        (start.serial, start.rssi) = (serial, -65)
        var run = start.begun(as: ids.next(), at: UTCTime(microseconds: 1_795_000_000_000_000 + day * 86_400_000_000))
        run.steps = [RunStep(name: "fpga", startMilliseconds: 0, milliseconds: 12, bytes: 7, outcome: outcome)]
        (run.outcome, run.blame, run.code) = (outcome, blame, outcome == .pass ? nil : "FPGA-0003")
        run.elapsedMilliseconds = 51_300
        run.endedAt = run.startedAt
        run.versionsAfter = ["fpga": "1.0", "firmware": "=2"]
        return run.bounded
    }

    private func read(_ kind: String, _ text: String) throws -> (status: Int32, output: String) {
        let file = try folder.write(text, to: "export")
        let script = TestTools.root.appendingPathComponent("Tests/Interop/ledger_exports.py").path
        return try runProgram(try TestTools.require(TestTools.ledgerPython, "junitparser"), [script, kind, file])
    }

    private func readCells(_ text: String) throws -> [[String]] {
        let (status, output) = try read("csv", text)
        try #require(status == 0, "\(output)")
        return try JSONDecoder().decode([[String]].self, from: Data(output.utf8))
    }

    @Test(.enabled(if: TestTools.mayReadExports)) func pythonReadsTheSameCells() throws {
        let runs = Self.hostile.map { run($0) }
        let text = try RunExport.csv(.plain).text(runs)
        #expect(text.utf8.count == text.replacing("\r\n", with: "").utf8.count + 2 * (runs.count + 1))
        let cells = try readCells(text)
        let header = cells[0]
        #expect(header.count == RunColumn.cells.count && cells.allSatisfy { $0.count == header.count })
        let rows = cells.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(header, $0)) }
        for (row, serial) in zip(rows, Self.hostile) {
            let cell = row["serial"] ?? "?"
            let kept = serial.trimmingCharacters(in: .whitespaces)
            #expect(cell == kept || cell == "'" + kept, "\(serial): \(cell)")
            #expect(!["=", "+", "-", "@"].contains(cell.prefix(1)))
            #expect((row["rssi"], row["elapsed_ms"], row["station"]) == ("-65", "51300", "line, 1"))
            #expect((row["versions_after"], row["bytes"]) == ("firmware==2; fpga=1.0", "7"))
            #expect(row["started_at"]?.hasSuffix("Z") == true && row["battery"] == "")
        }
        #expect(
            rows.filter { $0["serial"]?.hasPrefix("'") == true }.map { $0["serial"] } == [
                "'=1+1", "'+49 30", "'-2", "'@SUM(A1)", "'=cmd|' /C calc'!A0"
            ])
    }

    @Test(.enabled(if: TestTools.mayReadExports)) func excelKeepsSerialNumbers() throws {
        let text = try RunExport.csv(.excel).text(Self.hostile.map { run($0) } + [run("4711"), run("1234567890123456")])
        #expect(text.unicodeScalars.first == "\u{FEFF}")
        let serials = try readCells(String(text.unicodeScalars.dropFirst())).dropFirst().map { $0[11] }
        #expect(serials.contains("'00123") && serials.contains("'1E5") && serials.contains("'MAR1") && serials.contains("plain"))
        #expect(serials.suffix(2) == ["4711", "'1234567890123456"])
    }

    @Test func jsonHasOrderedKeys() throws {
        let runs = [run("a"), run("b", .fail, .unit)]
        let document = try RunExport.json.text(runs)
        let read = try #require(try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: Any])
        #expect(read["schema"] as? String == "noafw.ledger/1" && (read["runs"] as? [Any])?.count == 2)
        let lines = try RunExport.jsonLines.text(runs).split(separator: "\n")
        #expect(try lines.map { try JSONDecoder().decode(RunRecord.self, from: Data($0.utf8)) } == runs)
        let keys = lines[0].matches(of: /"([a-z_]+)":/).map { String($0.1) }
        #expect(keys.first == "digests" && keys.contains("work_order") == false)
    }

    /// The layout is JSONEncoder's own, whatever the number of records.
    @Test(arguments: 0...2) func theDocumentIsWrittenAsAWhole(count: Int) throws {
        struct Document: Encodable {
            var schema = JSONExport.schema
            var runs: [RunRecord]
        }
        let runs = Array([run("a\n\"b"), run("b", .fail, .unit)].prefix(count))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        #expect(try RunExport.json.text(runs) == String(decoding: try encoder.encode(Document(runs: runs)), as: UTF8.self) + "\n")
    }

    /// Each record's text is written before the next record is read.
    @Test(arguments: [RunExport.csv(.plain), .json, .jsonLines, .junit]) func oneRecordIsHeldAtATime(form: RunExport) throws {
        let source = MadeUpRuns(count: 5000, template: run("SN", .fail, .unit))
        let count = try form.write(source) { source.written += $0.utf8.count }
        #expect(count == 5000 && source.held == 1 && source.passes == (form == .junit ? 2 : 1))
    }

    private struct Suite: Decodable {
        struct Case: Decodable {
            var classname: String
            var name: String
            var time: Double
            var results: [[String]]
        }

        var name: String
        var tests: Int
        var failures: Int
        var errors: Int
        var skipped: Int
        var time: Double
        var timestamp: String
        var cases: [Case]
    }

    @Test(.enabled(if: TestTools.mayReadExports)) func anotherReaderFindsEveryVerdict() throws {
        var open = run("open")
        open.outcome = nil
        let runs =
            Self.hostile.map { run($0) } + [
                run("f", .fail, .unit), run("e", .error, .radio), run("t", .timeout, .station), run("x", .aborted, .operator), open,
                run("next", .pass, day: 1), run("other", .pass, day: 1, station: "b"),
            ]
        let (status, output) = try read("junit", RunExport.junit.text(runs))
        try #require(status == 0, "\(output)")
        let suites = try JSONDecoder().decode([Suite].self, from: Data(output.utf8))
        #expect(suites.map(\.name) == ["line, 1 2026-11-18", "b 2026-11-19", "line, 1 2026-11-19"])
        let first = suites[0]
        #expect((first.tests, first.failures, first.errors, first.skipped) == (21, 1, 2, 1))
        #expect(abs(first.time - 21 * 51.3) < 0.001 && first.timestamp == "2026-11-18T11:06:40")
        #expect(first.cases.prefix(17).allSatisfy { $0.results.isEmpty && $0.classname == "noafw.mono_cle.flash" && $0.time == 51.3 })
        #expect(first.cases.suffix(4).map(\.results) == [
            [["Failure", "FPGA-0003, fault: unit"]], [["Error", "FPGA-0003, fault: radio"]], [["Error", "FPGA-0003, fault: station"]],
            [["Skipped", "FPGA-0003, fault: operator"]],
        ])
        #expect(first.cases[17].classname == "noafw.mono_cle.fpga")
        for (read, serial) in zip(first.cases, Self.hostile) where !serial.isEmpty {
            #expect(read.name.hasPrefix(serial.trimmingCharacters(in: .whitespaces)), "\(read.name)")
        }
        #expect(Set(first.cases.map { $0.classname + $0.name }).count == first.cases.count)
    }

    /// Not by one that a retry has mended.
    @Test func aCaseIsNamedByTheStepThatEndedIt() throws {
        var record = run("a", .fail, .unit)
        record.steps.append(RunStep(name: "proof", startMilliseconds: 12, milliseconds: 1, outcome: .fail))
        #expect(try RunExport.junit.text([record]).contains("noafw.mono_cle.proof"))
    }

    @Test func aSuiteBeginsWithItsFirstRun() throws {
        let first = run("a")
        var second = run("b")
        second.startedAt = UTCTime(microseconds: first.startedAt.microseconds + 60_000_000)
        for runs in [[first, second], [second, first]] {
            let stamps = try RunExport.junit.text(runs).matches(of: /timestamp="([^"]*)"/).map { String($0.1) }
            #expect(Set(stamps) == [String(first.startedAt.iso8601.prefix(19))])
        }
    }

    /// So that the test above can fail.
    @Test(.enabled(if: TestTools.mayReadExports)) func theReadersRefuseOtherShapes() throws {
        let good = try RunExport.junit.text([run("a", .fail, .unit)])
        #expect(try read("junit", good).status == 0)
        for (old, new) in [
            ("<testcase ", "<testcase file=\"x\" "), ("      <failure", "      <properties/><failure"),
            ("time=\"51.300\"", "time=\"5.13e+01\""),
            ("mono_cle", "mono\u{1}cle"), ("tests=\"1\"", ""), ("</testsuites>", ""),
        ] {
            let bad = good.replacing(old, with: new)
            #expect(bad != good)
            #expect(try read("junit", bad).status != 0, "\(new)")
        }
        #expect(try read("csv", "\"a\"b,c\r\n").status != 0)
    }

    /// As a damaged file may hold them.
    @Test func hugeNumbersOverflowNothing() throws {
        var huge = run("a", .fail, .unit)
        (huge.elapsedMilliseconds, huge.revision, huge.seq) = (.max, .max, .max)
        huge.steps = Array(repeating: RunStep(name: "a", startMilliseconds: .max, milliseconds: .max, bytes: .max), count: 2)
        huge.close(.pass, at: UTCTime(microseconds: .max), elapsed: .seconds(Int64.max))
        let runs = Array(repeating: huge, count: 3)
        #expect(try RunExport.junit.text(runs).contains("time=\"94608000.000\""))
        #expect(try RunExport.csv(.plain).text(runs).contains("9999-12-31T23:59:59.999999Z"))
    }

    /// Some programs look for a formula behind blanks, quotes and separators, too.
    @Test(arguments: ["=1+1", " =1+1", "  +1", "'=1+1", "\"=1+1", "';@x", ",-1", "＝1", " ＠a"])
    func aFormulaIsNone(text: String) {
        let cell = CSVText.row([.text(text)], .plain).dropLast()
        #expect(cell.hasPrefix("'" + text) || cell == "\"'" + text.replacing("\"", with: "\"\"") + "\"", "\(cell)")
        #expect(CSVText.row([.value("-65"), .text("a=1"), .text(" - "), .text("SN 1-2")], .plain) == "-65,a=1,\"' - \",SN 1-2\r\n")
    }

    @Test(arguments: [CSVText.Form.plain, .excel]) func anEmptyTextIsAnEmptyCell(form: CSVText.Form) {
        #expect(CSVText.row([.text(""), .empty, .text("SN")], form) == ",,SN\r\n")
    }

    /// As a database that was edited by hand may hold it.
    @Test(arguments: [RunExport.csv(.plain), .csv(.excel), .json, .jsonLines, .junit]) func nothingMovesATerminal(form: RunExport) throws {
        var run = run("SN", .fail, .unit)
        let hostile = "\u{1B}[31m\u{9B}2J\u{7F}\u{202E}x\u{200B}\u{2028}"
        (run.serial, run.epoch, run.unitAddress, run.family, run.code) = (hostile, hostile, hostile, hostile, hostile)
        (run.versionsAfter, run.digests, run.bundleSigner, run.plan) = ([hostile: hostile], [hostile: hostile], hostile, hostile)
        run.steps = [RunStep(name: hostile, startMilliseconds: 0, milliseconds: 1, outcome: .fail, code: hostile)]
        let text = try form.text([run])
        #expect(text.contains("[31m"))
        #expect(text.unicodeScalars.dropFirst().allSatisfy { ["\r", "\n"].contains($0) || PrintableText.isPrintable($0) })
        if form == .jsonLines {
            #expect(try JSONDecoder().decode(RunRecord.self, from: Data(text.utf8)) == run, "the same text all the same")
        }
    }

    @Test func whatXMLForbidsIsReplaced() {
        #expect(XMLText.attribute("a\u{1}\u{FFFE}\u{1F600}\t<&>'\"") == "a\u{FFFD}\u{FFFD}\u{1F600}&#9;&lt;&amp;&gt;&apos;&quot;")
    }
}

/// Records that are made when they are asked for.
private final class MadeUpRuns: RunSource {
    let count: Int
    let template: RunRecord
    var written = 0
    var passes = 0
    /// The most records that were read and not yet written.
    var held = 0

    init(count: Int, template: RunRecord) { (self.count, self.template) = (count, template) }

    func forEach(_ filter: RunFilter, of part: RunPart?, _ body: (RunRecord) throws -> Void) throws {
        passes += 1
        var waiting = 0
        for number in 0..<count {
            var run = template
            run.serial = "SN\(number)"
            let before = written
            try body(run)
            waiting = written > before ? 0 : waiting + 1
            // JUnit's first pass writes nothing, and counts alone.
            if written > 0 { held = max(held, waiting + 1) }
        }
    }
}
