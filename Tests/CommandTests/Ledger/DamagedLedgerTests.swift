import Foundation
import Glibc
import Ledger
import LedgerStore
import Support
import TestSupport
import Testing

@testable import noafw

/// Whatever stands in the ledger's folder: each verb ends, says what is wrong, and a run keeps its record.
@Suite struct DamagedLedgerTests {
    enum Damage: String, CaseIterable, Sendable {
        case pipe, folder, empty, garbage, half, closed, nowhere
    }

    private static let files = ["ledger.sqlite", "ledger.sqlite-wal", "ledger.lock", "processes.lock", "spool.jsonl", "spool.reserve"]
    private static let verbs = [["list"], ["check"], ["export", "--csv"], ["export", "--json"], ["report"], ["report", "--html", "OUT"]]

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func start(_ unit: Int) -> RunRecord {
        RunRecord(
            station: "line-1", unitAddress: "C0:00:00:00:00:0\(unit)", family: "monocle", verb: "flash", toolVersion: "1", host: "bench")
    }

    /// Two recorded runs, whose log is in the file.
    private func record(in place: String) async throws -> [RunRecord] {
        let ledger = SQLiteLedger(folder: place)
        for unit in 1...2 { try await ledger.open(start(unit), clock: LedgerClock()).close(.pass) }
        await ledger.close()
        return try await ledger.runs()
    }

    private func damage(_ path: String, _ damage: Damage) throws {
        let old = FileManager.default.contents(atPath: path) ?? Data()
        try? FileManager.default.removeItem(atPath: path)
        switch damage {
        case .pipe: try #require(mkfifo(path, 0o600) == 0)
        case .folder: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        case .empty: try Data().write(to: URL(fileURLWithPath: path))
        case .garbage: try Data(repeating: 0x5A, count: 5000).write(to: URL(fileURLWithPath: path))
        case .half: try old.prefix(old.count / 2).write(to: URL(fileURLWithPath: path))
        case .closed:
            try old.write(to: URL(fileURLWithPath: path))
            chmod(path, 0)
        case .nowhere: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/nonexistent/place")
        }
    }

    private func noafw(_ state: String, _ arguments: [String]) async -> (status: Int32, output: String, diagnostics: String) {
        let harness = Harness()
        let status = await Noafw.execute(
            in: harness.context(["ledger"] + arguments, environment: ["NOAFW_STATE_DIR": state], folder: folder.path))
        return (status, harness.output, harness.diagnostics)
    }

    @Test(arguments: files) func everyVerbEndsWithTheTruth(file: String) async throws {
        for damage in Damage.allCases {
            let state = folder.path("\(file)-\(damage)")
            let runs = try await record(in: "\(state)/ledger")
            try self.damage("\(state)/ledger/\(file)", damage)
            for verb in Self.verbs {
                let (status, output, diagnostics) = await noafw(state, verb.map { $0 == "OUT" ? "\(state)/report.html" : $0 })
                let words = output + diagnostics
                #expect([0, 65, 66, 69, 74, 75, 77].contains(status), "\(file) \(damage) \(verb): \(status)")
                #expect(!words.contains("NSCocoa") && !words.contains("Error Domain"), "\(file) \(damage) \(verb): \(words)")
                if status == 0, verb[0] != "report" {
                    #expect(
                        verb == ["check"] || runs.allSatisfy { output.contains($0.id.shortText) },
                        "\(file) \(damage) \(verb): lost without a word: \(words)")
                } else if status != 0 {
                    #expect(diagnostics.contains("error ") && diagnostics.contains("next:"), "\(file) \(damage) \(verb): \(words)")
                }
            }
            // A run that begins now is in the ledger or in the spool, or it was refused.
            let ledger = SQLiteLedger(folder: "\(state)/ledger")
            do {
                let run = try await ledger.open(start(3), clock: LedgerClock())
                let closed = try #require(try? await run.close(.pass))
                let spool = (try? String(contentsOfFile: "\(state)/ledger/spool.jsonl", encoding: .utf8)) ?? ""
                let kept = try await ledger.runs()
                #expect(kept.contains { $0.id == closed.id } || spool.contains("\(closed.id)"), "\(file) \(damage)")
                if !runs.allSatisfy({ run in kept.contains { $0.id == run.id } }) {
                    #expect(
                        run.notices.contains { ["LED-0021", "LED-0024"].contains($0.diagnosis.code) }, "\(file) \(damage): \(run.notices)")
                }
            } catch {
                #expect(diagnose(error).code.hasPrefix("LED-"), "\(file) \(damage): \(error)")
            }
        }
    }

    @Test func aLedgerWithoutItsNumberIsNotSound() async throws {
        let state = folder.path("numberless")
        _ = try await record(in: "\(state)/ledger")
        let sqlite = try runProgram(
            "/usr/bin/env",
            [
                "python3", "-c", "import sqlite3,sys; c = sqlite3.connect(sys.argv[1]); c.execute('DELETE FROM ledger'); c.commit()",
                "\(state)/ledger/ledger.sqlite"
            ])
        try #require(sqlite.status == 0, "\(sqlite.output)")
        let check = await noafw(state, ["check"])
        #expect(check.status == 65 && check.output.contains("row that numbers this ledger"), "\(check.output) \(check.diagnostics)")
    }
}
