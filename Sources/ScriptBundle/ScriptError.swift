import REPL
import Support

/// What can go wrong with a set of scripts. Errors of the REPL and the link pass through.
public enum ScriptError: Error, Hashable, Sendable {
    case folderUnreadable(String, reason: String)
    case fileUnreadable(String, reason: String)
    case fileMissing(String)
    case nameUnsafe(String, suffix: String)
    case duplicateName(String)
    case mainMissing(String, place: String)
    case mainNotLast(String, place: String)
    case familyAmbiguous(String, [ScriptFamily])
    case tooManyFiles(Int, limit: Int)
    case fileTooLong(String, byteCount: Int, limit: Int)
    case setTooLong(byteCount: Int, limit: Int)
    /// Bytes, and a line for `noafw console` that removes other files; empty if there are none.
    case noSpace(needed: Int, free: Int, removal: String = "")
    case verificationFailed(String)
    case uploadFailed(String)
    /// Names on the unit that Python would load instead of what was verified; printable.
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
            .init("SCR-0001", .missingInput, nil, "cannot read the script folder \(folder): \(reason)",
                cause: "it does not exist, or this user may not read it", remedy: "give a folder that holds the unit's scripts")
        case .fileUnreadable(let file, let reason):
            .init("SCR-0002", .badData, nil, "cannot read the script \(file): \(reason)",
                cause: "it is not a regular file, or this user may not read it", remedy: "replace it with a file that this user may read")
        case .nameUnsafe(let name, let suffix):
            .init("SCR-0003", .badData, nil, "the script name \(PrintableText.of(name.utf8)) cannot be used on a unit",
                cause: "a name has letters, digits, '_', '.' and '-', ends in \(suffix), and has at most 56 characters",
                remedy: "rename the file")
        case .duplicateName(let name):
            .init(
                "SCR-0004", .badData, nil, "the script \(name) is given twice", cause: "two sources were mixed",
                remedy: "remove one of them")
        case .mainMissing(let main, let place):
            .init("SCR-0005", .badData, nil, "there is no \(main) in \(place)", cause: "it is another folder, or incomplete",
                remedy: "give a folder that holds \(main)")
        case .tooManyFiles(let count, let limit):
            .init("SCR-0006", .badData, nil, "there are \(count) scripts, more than \(limit)", cause: "it is another folder",
                remedy: "give a folder that holds the unit's scripts only")
        case .fileTooLong(let name, let byteCount, let limit):
            .init("SCR-0007", .badData, nil, "the script \(name) has \(byteCount) bytes, more than \(limit)",
                cause: "it is not a script for a unit", remedy: "shorten it")
        case .noSpace(let needed, let free, let removal):
            .init("SCR-0008", .unitFailed, .unit, "the scripts need \(needed) bytes on the unit, but only \(free) are free",
                cause: removal.isEmpty ? "they are more than the unit's file system holds" : "other files fill the unit's file system",
                remedy: removal.isEmpty
                    ? "make the scripts shorter"
                    : "enter in noafw console: \(removal) (or those of these files that nobody needs); then run the same command again")
        case .verificationFailed(let name):
            .init("SCR-0009", .unitFailed, .unit, "\(name) on the unit does not hold what was sent",
                cause: "the unit's flash is worn out or damaged", remedy: "run the same command again; replace the unit if it fails again")
        case .uploadFailed(let name):
            .init("SCR-0010", .tryAgain, .radio, "\(name) could not be written to the unit", cause: "data is lost on the air repeatedly",
                remedy: "bring the unit closer and run the same command again")
        case .fileMissing(let file):
            .init("SCR-0011", .missingInput, nil, "the script \(file) is missing",
                cause: "a manifest names it, but it is not in the same folder", remedy: "put it there, or correct the manifest")
        case .mainNotLast(let main, let place):
            .init("SCR-0012", .badData, nil, "\(main) is not the last script of \(place)",
                cause: "it states the version, so it has to be written after all others", remedy: "put it at the end of the list")
        case .familyAmbiguous(let folder, let families):
            .init("SCR-0013", .badData, nil, "\(folder) holds both \(families.map(\.mainName).joined(separator: " and "))",
                cause: "scripts for two families were mixed",
                remedy: "choose one with \(families.map { "--family \($0.name)" }.joined(separator: " or "))")
        case .setTooLong(let byteCount, let limit):
            .init("SCR-0014", .badData, nil, "the scripts have \(byteCount) bytes or more together, the limit is \(limit)",
                cause: "no unit has room for them, or it is another folder", remedy: "give the unit's scripts only, or shorten them")
        case .shadowed(let names):
            .init("SCR-0015", .unitFailed, .unit,
                "the unit would load other files instead of its scripts or modules: \(Diagnosis.list(names))",
                cause: "Python looks for them first, so the verified files would not run",
                remedy: "enter in noafw console: \(ShadowRemoval.code(for: names)); then run the same command again")
        }
    }
}
