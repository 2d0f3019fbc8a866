import Bluetooth
import Support

/// Why this machine cannot play a virtual unit.
public enum UnitFolderError: Error, Hashable, Sendable {
    case unreadable(path: String, reason: String)
    case unwritable(path: String, reason: String)
    /// - Parameter setting: the variable that names another interpreter.
    case interpreterDoesNotStart(language: String, path: String, setting: String)
    case resourceMissing(name: String, searched: [String])
    case unusable(what: String, reason: String)
    /// - Parameters:
    ///   - played: the oldest first.
    ///   - path: the unit's folder.
    case firmwareNotPlayed(version: String, played: [String], path: String)
}

extension UnitFolderError: DiagnosableError {
    public var diagnosis: Diagnosis {
        switch self {
        case .unreadable(let path, let reason):
            Diagnosis(
                "VIR-0001", .inputOutput, .station,
                "cannot read the virtual unit's \(path): \(reason)", cause: "its folder was damaged, or it was changed by hand",
                remedy: "repair the file, or remove the unit's folder to start with a new unit")
        case .unwritable(let path, let reason):
            Diagnosis(
                "VIR-0002", .inputOutput, .station,
                "cannot write the virtual unit's \(path): \(reason)", cause: "the disk is full, or this user may not write there",
                remedy: "make room, or set NOAFW_STATE_DIR to another folder; then run the same command again")
        case .interpreterDoesNotStart(let language, let path, let setting):
            Diagnosis(
                "VIR-0003", .unavailable, .station,
                "the virtual unit's \(language) does not start (\(path))",
                cause: "the installed interpreter is damaged, or it is not the expected one",
                remedy: "run Tools/setup runtime, or correct \(setting)")
        case .resourceMissing(let name, let searched):
            Diagnosis(
                "VIR-0005", .missingInput, .station,
                "the files of the virtual unit's \(name) are missing",
                cause: "noafw was moved or installed without \(Resources.folder)",
                remedy: "install noafw-virtual, or copy that folder to \(searched.joined(separator: " or ")), where noafw looks for it")
        case .unusable(let what, let reason):
            Diagnosis(
                "VIR-0004", .badData, nil, "the virtual unit cannot use this \(what): \(reason)",
                cause: "the file is damaged, or of another kind",
                remedy: "give a WAV file with 16-bit PCM of at most a minute, or a JPEG file of at most 1 MiB")
        case .firmwareNotPlayed(let version, let played, let path):
            Diagnosis(
                "VIR-0006", .badData, .station,
                "the virtual unit cannot play firmware \(version), only \(played.joined(separator: ", ")), and later ones as the last",
                cause: "the vendor published sources of these versions alone, so what another one does is not known",
                remedy: "use one of these versions; if the unit in \(path) holds the other one, remove that folder to start with a new unit"
            )
        }
    }
}
