import Foundation
import Provisioning
import Support
import Testing

@testable import noafw

/// What the operator of a line sees.
@Suite struct LineScreenTests {
    private let plain = TextStyle(isColoured: false)

    private func screen(_ error: Diagnosis?) throws -> LineScreen {
        var screen = LineScreen()
        screen.end(try FleetSample.flashed(1, error: error), serial: "SN\u{1B}1")
        return screen
    }

    @Test func aPassIsReadFromAfar() throws {
        let lines = try screen(nil).lines(style: plain, columns: 80, rows: 24, at: .zero)
        #expect(lines.count == 11)
        #expect(lines[0].trimmingCharacters(in: .whitespaces) == "####    ###    ####   ####")
        #expect(lines[5] == "PASS ✔  C0:00:00:00:00:01  serial SN\\u{1b}1 (51.3 s)")
        #expect(lines[6] == "next: take the unit away and put the next one here.")
        #expect(lines[8] == "waiting for a unit" && lines[10] == "shift: 1 run, 1 passed, 0 failed; first-pass yield 100 % of 1")
    }

    @Test func aFailSaysWhatToDo() throws {
        let lines = try screen(FleetSample.failed).lines(style: plain, columns: 80, rows: 24, at: .zero)
        #expect(lines[0].contains("#####   ###   ###"))
        #expect(lines[5].hasPrefix("FAIL ✘  C0:00:00:00:00:01") && lines[5].contains("DFU-0B05 the boot"), "\(lines[5])")
        #expect(lines[6] == "next: put the unit with the failed ones; then put the next one here.")
        let error = try screen(FleetSample.radio).lines(style: plain, columns: 80, rows: 24, at: .zero)
        #expect(error[5].hasPrefix("ERROR !") && error[6] == "next: move it closer" && error[10].contains("1 not the unit's fault"))
    }

    @Test(arguments: [80, 40, 25, 10, 1]) func everyLineFits(columns: Int) throws {
        for error in [nil, FleetSample.failed, FleetSample.radio] {
            let lines = try screen(error).lines(style: plain, columns: columns, rows: 24, at: .zero)
            #expect(lines.count == 11 && lines.allSatisfy { DisplayWidth.columns($0) < max(columns, 2) }, "\(lines)")
        }
        let narrow = try screen(nil).lines(style: plain, columns: 25, rows: 24, at: .zero)
        #expect(narrow[2].contains("PASS ✔"), "where the letters have no room, the word stands: \(narrow)")
        #expect(try screen(nil).lines(style: plain, columns: 80, rows: 8, at: .zero).count == 6)
    }

    @Test func theBandIsTheFullWidth() throws {
        let lines = try screen(nil).lines(style: TextStyle(isColoured: true), columns: 80, rows: 24, at: .zero)
        for line in lines.prefix(5) {
            #expect(line.hasPrefix("\u{1B}[32;7m") && line.hasSuffix("\u{1B}[0m") && FleetSummary.width(line) == 79)
        }
    }

    /// Nobody takes the last unit's verdict for the running one's.
    @Test func theVerdictStaysUntilTheNextUnitRuns() throws {
        var screen = try screen(nil)
        screen.task = .scan
        #expect(screen.lines(style: plain, columns: 80, rows: 24, at: .zero)[5].hasPrefix("PASS"))
        screen.task = .run(unit: "C0:00:00:00:00:02", serial: "SN2")
        let lines = screen.lines(style: plain, columns: 80, rows: 24, at: .zero)
        #expect(lines[5] == "RUNNING  C0:00:00:00:00:02  serial SN2" && !lines.contains { $0.contains("PASS") || $0.contains("#") })
    }

    @Test func retestsDoNotImproveTheFirstPassYield() {
        var count = ShiftCount()
        count.note(FleetSample.address(1), FleetSample.failed)
        count.note(FleetSample.address(1), nil)
        count.note(FleetSample.address(2), FleetSample.radio)
        count.note(FleetSample.address(2), nil)
        #expect(count.text == "shift: 4 runs, 2 passed, 1 failed, 1 not the unit's fault; first-pass yield 50 % of 2")
    }
}
