import Foundation
import Ledger
import Support
import TestSupport
import Testing

/// The report's page in a real browser. `NOAFW_LOOK=FOLDER` keeps the pictures, to be looked at.
@Suite(.enabled(if: TestTools.mayRenderPages, "chromium is missing: run Tools/setup tests"), .serialized)
struct LedgerPageTests {
    private struct Answer: Decodable {
        var found: [String]
        var paper: [String: String]
        var drawings: Int
        var sheets: [[Int]]
    }

    private func page(_ runs: [RunRecord]) -> String {
        HTMLReport.page(RunFigures(runs), scope: "station <line>", made: UTCTime(microseconds: 1_795_000_000_000_000))
    }

    private func look(_ text: String, _ name: String) throws -> Answer {
        let folder = try TemporaryFolder()
        let page = try folder.write(text, to: "page.html")
        let script = TestTools.root.appendingPathComponent("Tests/Interop/report_page.py").path
        let browser = try TestTools.require(TestTools.chromium, "chromium")
        let looked = try runProgram(try TestTools.require(TestTools.ledgerPython, "axe-core"), [script, browser, page, folder.path])
        try #require(looked.status == 0, "\(looked.output)")
        if let kept = ProcessInfo.processInfo.environment["NOAFW_LOOK"] {
            for file in ["light.png", "dark.png", "print.pdf", "page.html"] {
                try? FileManager.default.removeItem(atPath: "\(kept)/\(name)-\(file)")
                try FileManager.default.copyItem(atPath: folder.path(file), toPath: "\(kept)/\(name)-\(file)")
            }
        }
        return try JSONDecoder().decode(Answer.self, from: Data(looked.output.utf8))
    }

    private func check(_ answer: Answer) {
        #expect(answer.found.isEmpty, "\(answer.found)")
        #expect(answer.paper["light"] == "rgb(252, 252, 250)" && answer.paper["dark"] == "rgb(18, 23, 28)")
        #expect(!answer.sheets.isEmpty && answer.sheets.allSatisfy { $0 == [595, 842] }, "A4: \(answer.sheets)")
    }

    @Test func tenThousandRunsOfManyStations() throws {
        let text = page(PageRuns.make(10_000, days: 40, stations: 24))
        #expect(text.utf8.count < 300_000)
        let answer = try look(text, "many")
        check(answer)
        #expect(answer.drawings == 6)
    }

    @Test func aWeekOfOneBench() throws { check(try look(page(PageRuns.make(60, days: 6, stations: 3)), "week")) }

    @Test func oneRun() throws { check(try look(page(PageRuns.make(1, days: 1, stations: 1)), "one")) }
}

/// Made-up runs of a line: durations, faults and names as they come, hostile ones among them.
enum PageRuns {
    private static let stages: [(String, median: Double, spread: Double)] = [
        ("connect", 1.4, 0.35), ("probe", 0.7, 0.15), ("preflight", 0.02, 0.2), ("bootloader", 5, 0.08), ("firmware", 9.3, 0.22),
        ("restart", 2.7, 0.1),
        ("erase", 4.9, 0.05), ("fpga", 19.2, 0.3), ("commit", 5.6, 0.05), ("scripts", 3.5, 0.2), ("proof", 0.8, 0.3),
    ]
    private static let codes: [(String, Diagnosis.Fault?)] = [
        ("DFU-0B05", .unit), ("FPGA-0003", .unit), ("BLE-0003", .radio), ("PRV-0102", .unit), ("SCR-0007", .unit), ("NOA-0002", nil),
        ("LED-0006", .station),
        ("BLZ-0011", .station), ("REPL-0004", .unit), ("DFU-1001", nil), ("PRV-0011", .unit), ("ERR-<b>&\"'", .unit),
        ("LONG-CODE-OF-TWENTY", .unit)
    ]

    static func make(_ count: Int, days: Int, stations: Int) -> [RunRecord] {
        var random = SeededNumbers(seed: 7)
        let ids = RunIDGenerator()
        return (0..<count).map { index in
            let digits = String(0x1000000 + index, radix: 16, uppercase: true).dropFirst()
            let address = "C0:00:00:" + [digits.prefix(2), digits.dropFirst(2).prefix(2), digits.suffix(2)].joined(separator: ":")
            let station = index % stations == 1 ? "<i>a station with a long name & more</i>" : "line-\(index % stations + 1)"
            var start = RunRecord(station: station, unitAddress: address, family: "monocle", verb: "flash", toolVersion: "1", host: "h")
            start.serial = index % 11 == 0 ? "</svg><script>\(index)" : "SN-\(100_000 + index)"
            let time = 1_793_000_000_000_000 + Int64(Double(index) / Double(count) * Double(days) * 86_400_000_000)
            var run = start.begun(as: ids.next(), at: UTCTime(microseconds: time))
            fill(&run, index, stations, &random)
            return run.bounded
        }
    }

    private static func fill(_ run: inout RunRecord, _ index: Int, _ stations: Int, _ random: inout SeededNumbers) {
        let isBad = Double.random(in: 0..<1, using: &random) < (index % stations == 2 ? 0.09 : 0.045)
        var elapsed = 0.0
        for stage in stages {
            // About normal: the sum of twelve.
            let deviation = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
            let seconds = stage.median * exp(deviation * stage.spread)
            run.steps.append(RunStep(name: stage.0, startMilliseconds: Int64(elapsed * 1000), milliseconds: Int64(seconds * 1000)))
            elapsed += seconds
            if isBad, Double.random(in: 0..<1, using: &random) < 0.2 { break }
        }
        run.retries = Double.random(in: 0..<1, using: &random) < 0.03 ? Int.random(in: 1...4, using: &random) : 0
        let place = Double.random(in: 0..<1, using: &random)
        let (code, fault) = codes[Int(place * place * Double(codes.count))]
        let error = Diagnosis(code, .unitFailed, fault, "", cause: "", remedy: "")
        run.close(isBad ? RunVerdict(error) : .pass, at: run.startedAt, elapsed: .seconds(elapsed))
    }
}
