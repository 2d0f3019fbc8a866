import Support

/// Why a run cannot be recorded, or the ledger cannot be read.
public enum LedgerError: Error, Sendable, Hashable {
    /// Neither the ledger nor its spool can be written.
    case notRecorded(ledger: String, spool: String)
    case newerSchema(path: String, found: String, known: String)
    case networkFileSystem(path: String, fileSystem: String)
    case unreadable(path: String, reason: String, isDamaged: Bool = false)
    case locked(path: String)
    /// Closes a run that its process left open.
    case abandoned(run: String)
    /// - Parameters:
    ///   - address: the present unit's.
    ///   - known: the number's unit, or the unit's number.
    case serialBound(serial: String, address: String, known: SerialBinding)
    case noSuchRun(_ digits: String)
    case severalRuns(_ digits: String, found: [String])
    /// `noafw ledger check` has nothing to judge.
    case noRuns(folder: String)
    /// `noafw ledger check` lists each finding.
    case unsound(findings: Int)

    static let abandonedCode = "LED-0006"
}

extension LedgerError: DiagnosableError {
    /// A new link to the unit repairs no disk.
    public var obstacle: Obstacle? { nil }

    public var diagnosis: Diagnosis {
        switch self {
        case .notRecorded(let ledger, let spool):
            Diagnosis(
                "LED-0001", .inputOutput, .station, "the run cannot be recorded: the ledger: \(ledger); the spool: \(spool)",
                cause: "the disk is full or read-only, or the folder belongs to another user",
                remedy:
                    "check the folder's permissions and free space, or set NOAFW_STATE_DIR to another folder; then run the same "
                        + "command again"
            )
        case .newerSchema(let path, let found, let known):
            Diagnosis(
                "LED-0002", .badData, .station, "\(path) has form \(found); this noafw supports forms up to \(known)",
                cause: "a newer noafw has worked with this state folder",
                remedy: "use the newer noafw, or set NOAFW_STATE_DIR to another folder")
        case .networkFileSystem(let path, let fileSystem):
            Diagnosis(
                "LED-0003", .usage, .station, "the ledger cannot be kept in \(path), which is on \(fileSystem)",
                cause: "processes on a network file system share no memory, and the ledger would be damaged",
                remedy: "set NOAFW_STATE_DIR to a folder on a disk of this machine")
        case .unreadable(let path, let reason, let isDamaged):
            Diagnosis(
                "LED-0004", .inputOutput, .station, "cannot read the ledger \(path): \(reason)",
                cause: isDamaged
                    ? "the disk or the file is damaged, or it is not a ledger"
                    : "the file belongs to another user, or the disk is full, read-only or damaged",
                remedy: isDamaged
                    ? "restore a copy of it; or run noafw flash or verify, which moves the file aside and begins a new ledger"
                    : "check the file's permissions and the disk; run the same command again")
        case .locked(let path):
            Diagnosis(
                "LED-0005", .tryAgain, .station, "another process holds \(path)",
                cause: "a noafw that writes the ledger was stopped (Ctrl-Z), or it hangs",
                remedy: "find it with: fuser -v \(path); resume or end it, then run the same command again")
        case .abandoned(let run):
            Diagnosis(
                Self.abandonedCode, .interrupted, .station, "run \(run) was left open by its process",
                cause: "noafw was killed, or the machine lost its power", remedy: "check that unit: run the same command again on it")
        case .serialBound(let serial, let address, let known):
            Diagnosis(
                "LED-0007", .badData, nil, known.refusal(of: serial, at: address),
                cause: known.cause(of: serial, source: "run \(known.run)"),
                remedy:
                    "read this unit's label again; see noafw ledger show \(known.run); if that is no longer true, add --rebind-serial")
        case .noSuchRun(let digits):
            Diagnosis(
                "LED-0008", .missingInput, nil, "there is no run \(digits)", cause: "the digits belong to another ledger, or are mistyped",
                remedy: "see noafw ledger list")
        case .severalRuns(let digits, let found):
            Diagnosis(
                "LED-0009", .badData, nil, "more than one run has the digits \(digits)", cause: "such as \(found.joined(separator: ", "))",
                remedy: "give more digits of the run")
        case .noRuns(let folder):
            Diagnosis(
                "LED-0012", .missingInput, nil, "the ledger in \(folder) holds no run",
                cause: "nothing was recorded yet, the records are in another state folder, or they were removed",
                remedy: "run a verb on a unit, or set NOAFW_STATE_DIR to the folder that has the records")
        case .unsound(let findings):
            Diagnosis(
                "LED-0010", .badData, .station, findings == 1 ? "the ledger has 1 finding" : "the ledger has \(findings) findings",
                cause: "a disk that fails, a power cut, or a person who edited the file", remedy: "follow the remedy beside each finding")
        }
    }
}
