import Support

/// What can go wrong with an owner's files on a unit. Errors of the REPL and the link pass through. Names are printable.
public enum UnitFileError: Error, Hashable, Sendable {
    case missing(String)
    case isFolder(String)
    case isFile(String)
    case notEmpty(String)
    case noSpace(String, byteCount: Int)
    /// The unit's own words.
    case refused(String, reason: String)
    case damaged(String)
    case tooLong(String, byteCount: Int, limit: Int)
    case nameUnsafe(String)
    case tooMany(String, limit: Int)
}

extension UnitFileError: DiagnosableError {
    /// What asking again does not cure.
    public var obstacle: Obstacle? { nil }

    public var diagnosis: Diagnosis {
        switch self {
        case .missing(let name):
            Diagnosis("FIL-0001", .missingInput, nil, "there is no \(name) on the unit",
                cause: "it was removed, or has another name", remedy: "see what is there: noafw fs ls")
        case .isFolder(let name):
            Diagnosis("FIL-0002", .usage, nil, "\(name) is a folder", cause: "folders are copied and removed only when that is said",
                remedy: "add -r, or name a file in it")
        case .isFile(let name):
            Diagnosis("FIL-0003", .usage, nil, "\(name) is a file, not a folder", cause: "a file of that name is in the way",
                remedy: "name another place, or remove the file with noafw fs rm")
        case .notEmpty(let name):
            Diagnosis("FIL-0004", .unitFailed, .unit, "the folder \(name) is not empty", cause: "a program put a file there meanwhile",
                remedy: "remove the folder with noafw fs rm -r")
        case .noSpace(let name, let byteCount):
            Diagnosis("FIL-0005", .unitFailed, .unit, "the unit has no room for \(name) (\(byteCount) bytes)",
                cause: "the old and the new copy of a file are there side by side for a moment, and other files fill the rest",
                remedy: "see what fills it: noafw fs ls -r; remove what you do not need: noafw fs rm")
        case .refused(let name, let reason):
            Diagnosis("FIL-0006", .unitFailed, .unit, "the unit refuses \(name): \(reason)",
                cause: "its file system does not do this, or its flash is damaged", remedy: "try another name; look with noafw fs ls -r")
        case .damaged(let name):
            Diagnosis("FIL-0007", .tryAgain, .radio, "\(name) does not arrive whole",
                cause: "a program changes it, or data is lost on the air",
                remedy: "bring the unit closer and run the same command again")
        case .tooLong(let name, let byteCount, let limit):
            Diagnosis("FIL-0008", .badData, nil, "\(name) has \(byteCount) bytes, more than \(limit)",
                cause: "a file on units of this family holds no more", remedy: "split the file")
        case .nameUnsafe(let name):
            Diagnosis("FIL-0009", .badData, nil, "the name \(name) cannot be used",
                cause: "a path has at most 200 bytes and 12 parts, is UTF-8, and has neither .. nor control characters",
                remedy: "rename the file; one on a unit: noafw console")
        case .tooMany(let name, let limit):
            Diagnosis("FIL-0010", .badData, nil, "\(name) holds more than \(limit) files", cause: "it is not a folder for a unit",
                remedy: "name a smaller folder")
        }
    }
}
