import Support

/// What can be wrong with the asset folders. No unit has been touched yet.
public enum CatalogueError: Error, Hashable, Sendable {
    case rootNotFound(searched: [String])
    case manifestMissing(path: String)
    case manifestInvalid(path: String, reason: String)
    case nothingFor(hardware: String, manifest: String)
    case defaultMissing(version: String, manifest: String)
    case unsafeName(String, manifest: String)
    case fileMissing(path: String)
    case unreadable(path: String, reason: String)
    case tooLarge(path: String, limitBytes: Int)
    case digestDiffers(path: String, expected: String, actual: String)
    case digestNotStated(file: String, stated: String, actual: String)
    case versionInvalid(String)
    case versionUnknown(file: String)
    case versionDiffers(file: String, image: String, stated: String)
    case versionTaken(version: String, manifest: String)
    case fileTaken(path: String)
    case hardwareUnknown(String)
    case notWritten(path: String, reason: String)
    case locked(folder: String)
}

extension CatalogueError: DiagnosableError {
    public var diagnosis: Diagnosis {
        let (code, message, cause, remedy) = text
        return Diagnosis(
            code, category, category == .inputOutput ? .station : nil, message, cause: cause, remedy: remedy)
    }

    private var category: Diagnosis.Category {
        switch self {
        case .rootNotFound, .manifestMissing, .nothingFor, .fileMissing: .missingInput
        case .unreadable, .notWritten: .inputOutput
        case .locked: .tryAgain
        default: .badData
        }
    }

    private var text: (code: String, message: String, cause: String, remedy: String) {
        switch self {
        case .rootNotFound(let searched):
            ("CAT-0001", "no asset folder found (looked in \(searched.joined(separator: ", ")))",
             "noafw runs outside its own folder, and nothing says where the images are",
             "give --assets FOLDER or set NOAFW_ASSETS to the folder that holds Firmware, FPGA and Scripts")
        case .manifestMissing(let path):
            ("CAT-0002", "the manifest \(path) is missing", "the asset folder is incomplete",
             "restore it, or name the files with --firmware, --fpga and --scripts")
        case .manifestInvalid(let path, let reason):
            ("CAT-0003", "the manifest \(path) is not valid: \(reason)", "it was edited by hand or cut short",
             "correct it (docs/assets.md shows the form), or restore it")
        case .nothingFor(let hardware, let manifest):
            ("CAT-0004", "\(manifest) has no entry for \(hardware)", "no image for this hardware was added",
             "add an entry for \(hardware), or name the file with --firmware, --fpga or --scripts")
        case .defaultMissing(let version, let manifest):
            ("CAT-0005", "\(manifest) names the default \(version), but has no such entry",
             "the entry was removed or its hardware differs", "correct the default, or add the entry")
        case .unsafeName(let name, let manifest):
            ("CAT-0006", "\(manifest) names the file \"\(name)\", which is not a plain file name",
             "a manifest may name only files in its own folder", "put the file beside the manifest and name it without a path")
        case .fileMissing(let path):
            ("CAT-0007", "the file \(path) is missing, but a manifest names it",
             "the file was moved, or its entry was added before the file",
             "put the file there, or remove its entry from the manifest beside it")
        case .unreadable(let path, let reason):
            ("CAT-0008", "cannot read \(path): \(reason)", "it is not a regular file, or its permissions forbid it",
             "check the file and its permissions")
        case .tooLarge(let path, let limit):
            ("CAT-0009", "\(path) is larger than \(limit) bytes", "it is not an image for this hardware",
             "put the right file there and correct its SHA-256 in the manifest")
        case .digestDiffers(let path, let expected, let actual):
            ("CAT-0010", "\(path) has SHA-256 \(actual), its manifest says \(expected)",
             "the file is damaged, or was replaced without its manifest",
             "restore the file; after a script was edited, run noafw assets refresh")
        case .versionInvalid(let version):
            ("CAT-0011", "\"\(version)\" is not a version of the form vYY.DDD.HHMM", "it was mistyped",
             "give the version that the unit shows, such as v23.248.0754")
        case .versionUnknown(let file):
            ("CAT-0012", "the version of \(file) is not known", "the image holds no version text, or more than one",
             "pass --version with the version that the unit shows")
        case .versionDiffers(let file, let image, let stated):
            ("CAT-0013", "\(file) is \(image), not \(stated)", "the version was mistyped, or it is another file",
             "check that it is the file you meant; the unit will show \(image)")
        case .versionTaken(let version, let manifest):
            ("CAT-0014", "\(manifest) lists another file as \(version)", "a version always stands for one and the same image",
             "check which file is the release, and remove the entry if it is wrong")
        case .fileTaken(let path):
            ("CAT-0015", "\(path) exists with other content", "a file was put there by hand, and no manifest lists it",
             "move it away and run the same command again")
        case .hardwareUnknown(let hardware):
            ("CAT-0016", "no image of this kind exists for \(hardware)", "the name was mistyped, or the file is of another kind",
             "give the hardware that the file is for; noafw assets list shows names")
        case .notWritten(let path, let reason):
            ("CAT-0017", "cannot write \(path): \(reason)", "the folder may not be written to, or the disk is full",
             "check the folder, its permissions and the free space")
        case .digestNotStated(let file, let stated, let actual):
            ("CAT-0018", "\(file) has SHA-256 \(actual), not \(stated)", "it is damaged, or it is another file",
             "fetch it again from its source")
        case .locked(let folder):
            ("CAT-0019", "another process holds \(folder)", "a noafw that adds an image was stopped (Ctrl-Z), or it hangs",
             "resume or end it, then run the same command again")
        }
    }
}
