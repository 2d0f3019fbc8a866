import Foundation
import Glibc
import Ledger
import LedgerStore
import Support

/// Writes records for the tests, which kill it: `LedgerWriter FOLDER STATION RUNS [BYTES]`.
///
/// Each line it prints stands for what the ledger has acknowledged by then. `RUNS` may be `hold`: one run that stays open until
/// standard input ends. `BYTES` is the longest file that the process may write.
@main struct LedgerWriter {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4 else { exit(64) }
        if arguments.count > 4, let limit = UInt(arguments[4]) { limitFiles(to: limit) }
        let ledger = SQLiteLedger(folder: arguments[1])
        let clock = LedgerClock()
        do {
            guard arguments[3] == "hold" else {
                for number in 0..<(Int(arguments[3]) ?? .max) { try await run(number, ledger, clock, station: arguments[2]) }
                await ledger.close()
                return
            }
            let run = try await ledger.open(start(0, station: arguments[2]), clock: clock)
            say("open", run)
            _ = readLine()
        } catch let error as LedgerError {
            print(line: "error \(error.diagnosis.code)")
        }
    }

    private static func run(_ number: Int, _ ledger: SQLiteLedger, _ clock: LedgerClock, station: String) async throws {
        let run = try await ledger.open(start(number, station: station), clock: clock)
        say("open", run)
        for name in ["firmware", "fpga", "scripts"] {
            try await run.update { $0.steps.append(RunStep(name: name, startMilliseconds: 1, milliseconds: 1000, bytes: 25_000)) }
            say("step", run)
        }
        if try await run.close(.pass, { $0.versionsAfter = ["firmware": "v1"] }) != nil { say("closed", run) }
    }

    private static func start(_ number: Int, station: String) -> RunRecord {
        var start = RunRecord(
            station: station, unitAddress: "C0:00:00:00:00:\(number % 90 + 10)", family: "monocle", verb: "flash", toolVersion: "test",
            host: "here")
        start.plan = #"{"steps":["\#(String(repeating: "x", count: 1000))"]}"#
        return start
    }

    private static func say(_ what: String, _ run: OpenRun) {
        let notices = run.notices.map(\.diagnosis.code).joined(separator: ",")
        print(line: "\(what) \(run.record.id) \(run.record.seq ?? 0) \(notices)")
    }

    /// At once, so that a kill leaves what was acknowledged.
    private static func print(line: String) { _ = FileWriter.write(Array((line + "\n").utf8), to: STDOUT_FILENO) }

    private static func limitFiles(to bytes: UInt) {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: bytes, rlim_max: bytes)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    }
}
