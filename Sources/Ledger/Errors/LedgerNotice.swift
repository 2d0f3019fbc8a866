import Support

/// A problem with the recording of a run that was recorded all the same.
public enum LedgerNotice: Sendable, Hashable {
    /// Runs of this station that were left open and are now closed as aborted.
    case closedAbandoned([String])
    case spooling(path: String, reason: String)
    case spoolTakenIn(records: Int)
    case spoolLinesRejected(lines: Int, path: String)
    /// Reported by every run until it is acknowledged.
    case brokenMovedAside(path: String)
    case spoolUnreadable(path: String, reason: String)
    case spoolWaits(bytes: Int, path: String)
    /// Excluded from everything that is read.
    case oddRows([String])
    /// - Parameter remedy: `nil` when waiting is enough.
    case unsent(runs: Int, reason: String, remedy: String? = nil)
    case rejected(run: String, reason: String)
    /// Only this machine's lock protects the units.
    case unclaimed(reason: String)
}

extension LedgerNotice {
    private static let namedRuns = 2

    private func named(_ all: [String]) -> String {
        all.prefix(Self.namedRuns).joined(separator: ", ") + (all.count > Self.namedRuns ? " and \(all.count - Self.namedRuns) more" : "")
    }

    public var diagnosis: Diagnosis {
        switch self {
        case .closedAbandoned(let runs):
            Diagnosis(
                "LED-0020", .interrupted, .station, "closed as aborted, because their process had ended: \(named(runs))",
                cause: "noafw was killed, or the machine lost its power",
                remedy: "check the units of these runs; noafw ledger list --code LED-0006 lists them")
        case .spooling(let path, let reason):
            Diagnosis(
                "LED-0021", .inputOutput, .station, "the ledger cannot be written (\(reason)); this run is recorded in \(path)",
                cause: "the disk is full or read-only, or another process holds the ledger",
                remedy: "check the folder's permissions and free space; a later run takes the spool into the ledger")
        case .spoolTakenIn(let records):
            Diagnosis(
                "LED-0022", .tryAgain, .station, "records taken from the spool into the ledger: \(records)",
                cause: "the ledger could not be written at an earlier run", remedy: "none is needed")
        case .spoolLinesRejected(let lines, let path):
            Diagnosis(
                "LED-0023", .badData, .station, "invalid lines of the spool: \(lines), kept in \(path)",
                cause: "a write was cut off, a newer noafw wrote them, or the file was edited",
                remedy: "look at that file, then move it away")
        case .brokenMovedAside(let path):
            Diagnosis(
                "LED-0024", .badData, .station, "the ledger was damaged; it was moved to \(path), and a new one was begun",
                cause: "the disk is failing, or a power cut damaged the file",
                remedy: "copy that folder to a safe place, check the disk, then run: noafw ledger check --acknowledge")
        case .spoolUnreadable(let path, let reason):
            Diagnosis(
                "LED-0025", .inputOutput, .station, "cannot take in the spool \(path): \(reason)",
                cause: "the file belongs to another user, or it is too large",
                remedy: "check the file's permissions; a later run takes it in")
        case .spoolWaits(let bytes, let path):
            Diagnosis(
                "LED-0026", .tryAgain, .station, "\(bytes) bytes of records wait in \(path), and are not shown",
                cause: "the ledger could not be written at an earlier run", remedy: "the next run takes them in")
        case .oddRows(let rows):
            Diagnosis(
                "LED-0027", .badData, .station, "invalid rows of the ledger, which are left out: \(named(rows))",
                cause: "another program or a person edited the ledger's file",
                remedy: "noafw ledger check names all of them; repair them with sqlite3 by their number, or delete them")
        case .unsent(let runs, let reason, let remedy):
            Diagnosis(
                "LED-0140", .tryAgain, .station, "runs that wait for the ledger's server: \(runs): \(reason)",
                cause: "the server or the network failed, the server is misconfigured, or many earlier runs wait",
                remedy: remedy.map { "\($0); then send them with: noafw ledger send" }
                    ?? "none is needed: the next run sends them; to send them now, run: noafw ledger send")
        case .rejected(let run, let reason):
            Diagnosis(
                "LED-0141", .badData, .station, "the ledger's server refuses run \(run): \(reason)",
                cause: "a rule of the server's tables does not hold for this record",
                remedy: "show the message to the server's administrator; then send it with: noafw ledger send --rejected")
        case .unclaimed(let reason):
            Diagnosis(
                "LED-0142", .tryAgain, .station, "units are processed without a claim: \(reason)",
                cause: "the ledger's server cannot be reached, and --claims prefer continues without it",
                remedy: "make sure that no other station works on the same units, or use --claims require")
        }
    }
}
