import Foundation
import Provisioning
import Support
import Testing

@testable import noafw

/// What the operator of a line sees.
@Suite struct LineScreenTests {
    private let plain = TextStyle(isColoured: false)

    private func block(_ screen: LineScreen, _ style: TextStyle? = nil, columns: Int = 80, rows: Int = 24) -> [String] {
        LineBlock(screen, style: style ?? plain, columns: columns).lines(rows: rows, at: .zero)
    }

    private func screen(_ error: Diagnosis?) throws -> LineScreen {
        var screen = LineScreen()
        screen.end(try FleetSample.flashed(1, error: error), serial: "SN\u{1B}1")
        return screen
    }

    @Test func aPassIsReadFromAfar() throws {
        let lines = try block(screen(nil))
        #expect(lines.count == 11)
        #expect(lines[0].trimmingCharacters(in: .whitespaces) == "####    ###    ####   ####")
        #expect(lines[5] == "PASS ✔  C0:00:00:00:00:01  serial SN\\u{1b}1 (51.3 s)")
        #expect(lines[6] == "next: take the unit away and put the next one here.")
        #expect(lines[8] == "waiting for a unit" && lines[10] == "shift: 1 run, 1 passed, 0 failed; first-pass yield 100 % of 1")
    }

    @Test func aFailSaysWhatToDo() throws {
        let lines = try block(screen(FleetSample.failed))
        #expect(lines[0].contains("#####   ###   ###"))
        #expect(lines[5].hasPrefix("FAIL ✘  C0:00:00:00:00:01") && lines[5].contains("DFU-0B05 the boot"), "\(lines[5])")
        #expect(lines[6] == "says \\u{1b}[2Jno" && lines[7] == "next: put the unit with the failed ones; then put the next one here.")
        let error = try block(screen(FleetSample.radio))
        #expect(
            error[5].hasPrefix("ERROR !")
                && error.joined(separator: " ").contains(
                    "next: move it closer; to try the unit again, take it away for 10 s and put it back.")
            && error.last?.contains("1 not the unit's fault") == true)
    }

    @Test(arguments: [80, 40, 25, 10, 1]) func everyLineFits(columns: Int) throws {
        for error in [nil, FleetSample.failed, FleetSample.radio] {
            let lines = try block(screen(error), columns: columns, rows: 60)
            #expect(lines.allSatisfy { DisplayWidth.columns($0) < max(columns, 2) }, "\(lines)")
        }
        let narrow = try block(screen(nil), columns: 25)
        #expect(narrow[2].contains("PASS ✔"), "where the letters have no room, the word stands: \(narrow)")
        #expect(try block(screen(nil), rows: 8).count == 5)
    }

    @Test func theBandIsTheFullWidth() throws {
        let lines = try block(screen(nil), TextStyle(isColoured: true))
        for line in lines.prefix(5) {
            #expect(line.hasPrefix("\u{1B}[32;7m") && line.hasSuffix("\u{1B}[0m") && DisplayWidth.columns(painted: line) == 79)
        }
    }

    /// Nobody takes the last unit's verdict for the running one's.
    @Test func theVerdictStaysUntilTheNextUnitRuns() throws {
        var screen = try screen(nil)
        screen.task = .scan
        #expect(block(screen)[5].hasPrefix("PASS"))
        screen.task = .run(unit: "C0:00:00:00:00:02", serial: "SN2")
        let shown = block(screen)
        #expect(shown[5] == "RUNNING  C0:00:00:00:00:02  serial SN2" && !shown.contains { $0.contains("PASS") || $0.contains("#") })
    }

    @Test func retestsDoNotImproveTheFirstPassYield() {
        var count = ShiftCount()
        count.note(FleetSample.address(1), FleetSample.failed)
        count.note(FleetSample.address(1), nil)
        count.note(FleetSample.address(2), FleetSample.radio)
        count.note(FleetSample.address(2), nil)
        #expect(count.text == "shift: 4 runs, 2 passed, 1 failed, 1 not the unit's fault; first-pass yield 50 % of 2")
    }

    /// The code, and what to do next.
    @Test(arguments: [(200, 24), (80, 24), (40, 24), (25, 24), (40, 8), (20, 12)]) func nothingThatCountsIsCut(
        columns: Int, rows: Int
    ) throws {
        let error = Diagnosis(
            "LED-0099", .inputOutput, .station, "the disk is full",
            cause: "", remedy: "free some space and run the same command again")
        var screen = try screen(error)
        screen.note("note: another one, with a long text that takes several lines of a narrow terminal")
        let text = block(screen, columns: columns, rows: rows).map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " ")
        #expect(text.contains("LED-0099") && text.contains("next: free some space and run the same command again"), "\(text)")
        #expect(block(screen, columns: columns, rows: rows).count < rows)
    }

    @Test func noticesStayUntilTheNextUnitRuns() throws {
        var screen = try screen(nil)
        for number in 1...5 { screen.note("note: \(number)") }
        screen.note("note: 4")
        screen.answer = "serial SN2"
        screen.task = .scan
        let shown = block(screen)
        #expect(shown.suffix(5) == ["serial SN2", "note: 3", "note: 5", "note: 4", screen.count.text], "the last ones, each once: \(shown)")
        screen.begin(FleetSample.unit(2), serial: "SN2")
        #expect(!block(screen).contains { $0.hasPrefix("note") || $0 == "serial SN2" })
    }

    @Test func whoDrainsStillSaysWhatToDoWithTheUnit() throws {
        for (error, next) in [
            (nil, "next: take the unit away; the line ends."),
            (FleetSample.failed, "next: put the unit with the failed ones; the line ends."),
            (FleetSample.radio, "next: move it closer"),
        ] as [(Diagnosis?, String)] {
            var screen = try screen(error)
            screen.isDraining = true
            #expect(screen.next == next && block(screen).contains("no more units are taken"))
        }
        var screen = try screen(nil)
        (screen.isDraining, screen.task) = (true, .run(unit: "C0:00:00:00:00:02", serial: nil))
        #expect(
            block(screen).contains("no more units are taken; press Ctrl-C again to end this one, too")
                && screen.next.contains("leave the unit where it is"))
        #expect(!block(screen).contains { $0.contains("PASS") || $0.contains("#") }, "that verdict is of the unit before")
    }

    @Test func aTerminalWithoutSymbolsGetsNone() throws {
        let lines = try block(screen(nil), TextStyle(isColoured: false, hasSymbols: false))
        #expect(lines[5].hasPrefix("PASS +  ") && !lines.joined().contains("✔"))
    }
}

extension LineScreen {
    /// Of a unit that was worked on.
    fileprivate mutating func end(_ entry: FleetEntry<UnitReport>, serial: String?) {
        begin(entry.unit, serial: serial)
        end(entry.unit, entry.result, seconds: entry.seconds)
    }
}
