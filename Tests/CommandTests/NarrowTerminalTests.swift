import Foundation
import Ledger
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
        let result = RunResult(report: try Sample.flashed(), progress: ProgressModel(), seconds: 1)
        let lines = UnitReportPresentation(target: ReportTarget(id: nil, family: nil), isDryRun: false).summary(result, style: style(80))
        #expect(lines.allSatisfy { DisplayWidth.columns($0) < 80 } && lines.contains { $0.hasPrefix("firmware ") }, "\(lines)")
    }

    @Test func doctorBreaksBetweenWords() {
        let check = DoctorCheck(name: "bus", status: .fail, detail: String(repeating: "word ", count: 40), fix: String(repeating: "fix ", count: 40))
        let lines = check.lines(style(80))
        #expect(lines.count > 4 && lines[0].hasPrefix("fail  bus              word word") && lines.allSatisfy { DisplayWidth.columns($0) <= 80 })
        #expect(lines.dropFirst().allSatisfy { $0.hasPrefix(String(repeating: " ", count: 23)) })
        #expect(check.lines(style(nil)).count == 2)
    }

    @Test(arguments: [80, 100]) func helpBreaksBetweenWords(columns: Int) async {
        for verb in [[], ["flash"], ["verify"], ["console"], ["bundle", "create"], ["package", "create"], ["ledger"], ["ledger", "send"]] {
            let (wide, narrow) = (Harness(), Harness())
            #expect(await Noafw.execute(in: wide.context(verb + ["--help"], isTerminal: true, columns: 1000)) == 0)
            #expect(await Noafw.execute(in: narrow.context(verb + ["--help"], isTerminal: true, columns: columns)) == 0)
            func words(_ text: String) -> [Substring] { text.split { $0 == " " || $0 == "\n" } }
            #expect(words(wide.output) == words(narrow.output), "\(verb)")
            for line in narrow.output.split(separator: "\n") where line.contains(" ") { #expect(DisplayWidth.columns(line) <= columns, "\(verb): \(line)") }
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
        #expect(await narrow == examples(1000) && narrow.count == 11)
    }
}
