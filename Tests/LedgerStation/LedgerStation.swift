import Foundation
import Glibc
import Ledger
import LedgerServer
import LedgerStore
import Support

/// A station for the tests: claims units, works on them, records and sends, until all units are done.
///
/// `LedgerStation STATE STATION SERVER prefer|require TIME-TO-LIVE AIR UNITS`: `AIR` is a folder with a file for each unit, which all
/// stations share and which says who began and who ended to write it; the time to live is in seconds, a renewal a third of it.
@main struct LedgerStation {
    let ledger: SQLiteLedger
    let station: String
    let claims: any UnitClaims
    let uploads: any RunUploads
    let air: Air
    let clock = LedgerClock()

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 8, let policy = ClaimPolicy(rawValue: arguments[4]), let seconds = Double(arguments[5]) else { exit(64) }
        let times = LeaseTimes(timeToLive: .seconds(seconds), renewal: .seconds(seconds / 3))
        do {
            let server = try StationServer(
                arguments[3], station: arguments[2], environment: ProcessInfo.processInfo.environment, times: times)
            let ledger = SQLiteLedger(folder: arguments[1])
            let station = LedgerStation(
                ledger: ledger, station: arguments[2], claims: server.claims(policy), uploads: server.uploads(from: ledger),
                air: Air(folder: arguments[6], count: Int(arguments[7]) ?? 1))
            try await station.work()
        } catch let error as any DiagnosableError {
            Self.say("error \(error.diagnosis.code) \(error.diagnosis.message)")
            exit(error.diagnosis.category.rawValue)
        }
    }

    private func work() async throws {
        while case let left = air.units.filter({ !air.isDone($0) }), !left.isEmpty {
            for unit in left.shuffled() where !air.isDone(unit) { try await work(on: unit) }
            try await Task.sleep(for: .milliseconds(50))
        }
        for _ in 0..<20 {
            let report = await uploads.send(within: .seconds(5))
            if report.left == 0 { break }
            Self.say("waiting \(report.left) \(report.failure?.message ?? "")")
            try await Task.sleep(for: .milliseconds(200))
        }
        await ledger.close()
        Self.say("done")
    }

    private func work(on unit: String) async throws {
        let start = RunRecord(station: station, unitAddress: unit, family: "monocle", verb: "flash", toolVersion: "test", host: "here")
        let run = try await ledger.open(start, clock: clock)
        do {
            try await run.claim(from: claims)
        } catch let error as ClaimError {
            try await run.close(RunVerdict(error.diagnosis))
            Self.say("refused \(unit) \(error.diagnosis.code)")
            return try await Task.sleep(for: .milliseconds(20))
        }
        Self.say("claimed \(unit) \(run.claim.token ?? 0)")
        var verdict = RunVerdict.pass
        if !air.isDone(unit) {
            do {
                try await run.claim.beginErase()
                try await air.flash(unit, by: station)
                try await run.update { $0.steps.append(RunStep(name: "firmware", startMilliseconds: 0, milliseconds: 40, bytes: 1000)) }
            } catch let error as ClaimError {
                verdict = RunVerdict(error.diagnosis)
            }
        }
        try await run.close(verdict)
        Self.say("closed \(run.record.id) \(run.record.claim?.rawValue ?? "-")")
        _ = await uploads.send(within: .seconds(2))
    }

    /// At once, so that a kill leaves what was said.
    static func say(_ line: String) { _ = FileWriter.write(Array((line + "\n").utf8), to: STDOUT_FILENO) }
}

/// The units that all stations hear.
struct Air {
    let folder: String
    let count: Int

    var units: [String] { (0..<count).map { "C0:00:00:00:00:" + ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) } }

    func isDone(_ unit: String) -> Bool { text(unit).contains("end") }

    func flash(_ unit: String, by station: String) async throws {
        append("begin \(station)\n", to: unit)
        try await Task.sleep(for: .milliseconds(Int.random(in: 20...60)))
        append("end \(station)\n", to: unit)
    }

    private func path(_ unit: String) -> String { "\(folder)/\(unit.replacing(":", with: ""))" }

    private func text(_ unit: String) -> String { (try? String(contentsOfFile: path(unit), encoding: .utf8)) ?? "" }

    private func append(_ line: String, to unit: String) {
        let file = open(path(unit), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        _ = FileWriter.write(Array(line.utf8), to: file)
        close(file)
    }
}
