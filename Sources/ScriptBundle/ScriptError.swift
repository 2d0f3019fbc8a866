import REPL
import Support

/// What can go wrong with a set of scripts; errors of the REPL and the link pass through.
public enum ScriptError: Error, Hashable, Sendable {
    case folderUnreadable(String, reason: String)
    case fileUnreadable(String, reason: String)
    case fileMissing(String)
    /// A name other than letters, digits, `_`, `.` and `-`, or longer than 56 characters.
    case nameUnsafe(String, suffix: String)
    case duplicateName(String)
    case mainMissing(String, place: String)
    case mainNotLast(String, place: String)
    case familyAmbiguous(String, [ScriptFamily])
    case tooManyFiles(Int, limit: Int)
    case fileTooLong(String, byteCount: Int, limit: Int)
    case setTooLong(byteCount: Int, limit: Int)
    /// Bytes on the unit's file system, and a line for `noafw console` that takes other files away; empty where there are none.
    case noSpace(needed: Int, free: Int, removal: String = "")
    /// A file on the unit does not hold what was sent.
    case verificationFailed(String)
    case uploadFailed(String)
    /// Names of files and folders on the unit that Python would load instead of what was verified; printable.
    case shadowed([String])
}

extension ScriptError: DiagnosableError {
    public var obstacle: Obstacle? {
        switch self {
        case .verificationFailed, .uploadFailed: .garbage
        case .folderUnreadable, .fileUnreadable, .fileMissing, .nameUnsafe, .duplicateName, .mainMissing, .mainNotLast,
            .familyAmbiguous, .tooManyFiles, .fileTooLong, .setTooLong, .noSpace, .shadowed:
            nil
        }
    }

    public var diagnosis: Diagnosis {
        switch self {
        case .folderUnreadable(let folder, let reason):
            Diagnosis(
                code: "SCR-0001", category: .missingInput, fault: nil, message: "cannot read the script folder \(folder): \(reason)",
                cause: "it does not exist, or this user may not read it", remedy: "give a folder that holds the unit's scripts")
        case .fileUnreadable(let file, let reason):
            badData("SCR-0002", "cannot read the script \(file): \(reason)", "it is not a regular file, or this user may not read it",
                    "replace it with a file that this user may read")
        case .nameUnsafe(let name, let suffix):
            badData("SCR-0003", "the script name \(PrintableText.of(name.utf8)) cannot be used on a unit",
                    "a name has letters, digits, '_', '.' and '-', ends in \(suffix), and has at most 56 characters", "rename the file")
        case .duplicateName(let name):
            badData("SCR-0004", "the script \(name) is given twice", "two sources were mixed", "remove one of them")
        case .mainMissing(let main, let place):
            badData("SCR-0005", "there is no \(main) in \(place)", "it is another folder, or incomplete",
                    "give a folder that holds \(main)")
        case .tooManyFiles(let count, let limit):
            badData("SCR-0006", "there are \(count) scripts, more than \(limit)",
                    "it is another folder", "give a folder that holds the unit's scripts only")
        case .fileTooLong(let name, let byteCount, let limit):
            badData("SCR-0007", "the script \(name) has \(byteCount) bytes, more than \(limit)",
                    "it is not a script for a unit", "shorten it")
        case .noSpace(let needed, let free, let removal):
            Self.noRoom(code: "SCR-0008", "the scripts need \(needed) bytes on the unit, but only \(free) are free", removal: removal)
        case .verificationFailed(let name):
            Diagnosis(
                code: "SCR-0009", category: .unitFailed, fault: .unit,
                message: "\(name) on the unit does not hold what was sent",
                cause: "the unit's flash is worn out or damaged", remedy: "run the same command again; replace the unit if it fails again")
        case .uploadFailed(let name):
            Diagnosis(
                code: "SCR-0010", category: .tryAgain, fault: .radio, message: "\(name) could not be written to the unit",
                cause: "data is lost on the air repeatedly", remedy: "bring the unit closer and run the same command again")
        case .shadowed(let names):
            Diagnosis(
                code: "SCR-0015", category: .unitFailed, fault: .unit,
                message: "the unit would load other files instead of its scripts or modules: \(Self.list(names))",
                cause: "Python looks for them first, so the verified files would not run",
                remedy: "enter in noafw console: \(ShadowRemoval.code(for: names)); then run the same command again")
        case .fileMissing(let file):
            Diagnosis(
                code: "SCR-0011", category: .missingInput, fault: nil, message: "the script \(file) is missing",
                cause: "a manifest names it, but it is not in the same folder", remedy: "put it there, or correct the manifest")
        case .mainNotLast(let main, let place):
            badData("SCR-0012", "\(main) is not the last script of \(place)",
                    "it states the version, so it has to be written after all others", "put it at the end of the list")
        case .familyAmbiguous(let folder, let families):
            badData("SCR-0013", "\(folder) holds both \(families.map(\.mainName).joined(separator: " and "))", "scripts for two families were mixed",
                    "choose one with \(families.map { "--family \($0.name)" }.joined(separator: " or "))")
        case .setTooLong(let byteCount, let limit):
            badData("SCR-0014", "the scripts have \(byteCount) bytes or more together, the limit is \(limit)",
                    "it is another folder", "give a folder that holds the unit's scripts only")
        }
    }

    private static func list(_ names: [String]) -> String {
        names.prefix(8).joined(separator: ", ") + (names.count > 8 ? " and \(names.count - 8) more" : "")
    }

    /// For a family's own code, too.
    /// - Parameter removal: a line for `noafw console` that takes other files away; empty where there are none.
    public static func noRoom(code: String, _ message: String, removal: String) -> Diagnosis {
        Diagnosis(
            code: code, category: .unitFailed, fault: .unit, message: message,
            cause: removal.isEmpty ? "they are more than the unit's file system holds" : "other files fill the unit's file system",
            remedy: removal.isEmpty
                ? "make the scripts shorter"
                : "enter in noafw console: \(removal) (or those of these files that nobody needs); then run the same command again")
    }

    private func badData(_ code: String, _ message: String, _ cause: String, _ remedy: String) -> Diagnosis {
        Diagnosis(code: code, category: .badData, fault: nil, message: message, cause: cause, remedy: remedy)
    }
}
