import REPL

/// What can go wrong with a set of scripts; errors of the REPL and the link pass through.
public enum ScriptError: Error, Hashable, Sendable {
    case folderUnreadable(String, reason: String)
    case fileUnreadable(String, reason: String)
    /// A name other than `[A-Za-z0-9_.-]+\.py` of at most 56 characters.
    case nameUnsafe(String)
    case duplicateName(String)
    case mainMissing(place: String)
    case tooManyFiles(Int)
    case fileTooLong(String, byteCount: Int)
    /// Bytes on the unit's file system.
    case noSpace(needed: Int, free: Int)
    /// A file on the unit does not hold what was sent.
    case proofFailed(String)
    case uploadFailed(String)
}

extension ScriptError: DiagnosableError {
    public var diagnosis: Diagnosis {
        switch self {
        case .folderUnreadable(let folder, let reason):
            Diagnosis(
                code: "SCR-0001", category: .missingInput, fault: nil, message: "cannot read the script folder \(folder): \(reason)",
                cause: "it does not exist or may not be read", remedy: "give a folder that holds main.py")
        case .fileUnreadable(let file, let reason):
            badData("SCR-0002", "cannot read the script \(file): \(reason)", "it is no regular file, or may not be read",
                    "replace it by a readable file")
        case .nameUnsafe(let name):
            badData("SCR-0003", "the script name \(UnitText.printable(name.utf8)) is not usable on a unit",
                    "names are letters, digits, '_', '.', '-' and end in .py, 56 characters at most", "rename the file")
        case .duplicateName(let name):
            badData("SCR-0004", "the script \(name) is given twice", "two sources were mixed", "remove one of them")
        case .mainMissing(let place):
            badData("SCR-0005", "there is no main.py in \(place)", "it is another folder, or incomplete",
                    "give a folder that holds main.py")
        case .tooManyFiles(let count):
            badData("SCR-0006", "there are \(count) scripts, more than \(ScriptSet.maximumFileCount)",
                    "it is another folder", "give a folder that holds the unit's scripts only")
        case .fileTooLong(let name, let byteCount):
            badData("SCR-0007", "the script \(name) has \(byteCount) bytes, more than \(ScriptSet.maximumFileByteCount)",
                    "it is no script for a unit", "shorten it")
        case .noSpace(let needed, let free):
            Diagnosis(
                code: "SCR-0008", category: .unitFailed, fault: .unit,
                message: "the scripts need \(needed) bytes on the unit, \(free) are free",
                cause: "other files fill the unit's file system", remedy: "remove files from the unit and run the same command again")
        case .proofFailed(let name):
            Diagnosis(
                code: "SCR-0009", category: .unitFailed, fault: .unit,
                message: "\(name) on the unit does not hold what was sent",
                cause: "the unit's flash is worn out or damaged", remedy: "run the same command again; replace the unit if it persists")
        case .uploadFailed(let name):
            Diagnosis(
                code: "SCR-0010", category: .tryAgain, fault: .radio, message: "\(name) could not be brought to the unit",
                cause: "data is lost on the air again and again", remedy: "bring the unit closer and run the same command again")
        }
    }

    private func badData(_ code: String, _ message: String, _ cause: String, _ remedy: String) -> Diagnosis {
        Diagnosis(code: code, category: .badData, fault: nil, message: message, cause: cause, remedy: remedy)
    }
}
