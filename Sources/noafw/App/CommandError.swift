import Bluetooth
import Provisioning
import Support

/// What can go wrong in the program itself, outside every module.
enum CommandError: Error, Hashable, Sendable {
    case noStateFolder
    case noCacheFolder
    /// - Parameter next: how to go on.
    case timedOut(
        seconds: Double, state: String? = nil, next: String = "run the same command with a larger --timeout; it continues where it stopped")
    /// How a signal leaves a unit or the files: the condition, and what to do next.
    case interrupted(condition: String, nextAction: String)
    /// The image's kind and version.
    case developmentImage(String)
    /// A result that never replaces anything, such as a key.
    case outputExists(path: String)
    case outputNotWritten(path: String, reason: String)
    case outputIsInput(path: String)
    case outputInFolder(path: String, folder: String)
    /// One of noafw's own, or in a folder of its own.
    case outputIsOwn(path: String)
    case outputHoldsKey(path: String)
    /// Where a public key is wanted.
    case privateKeyTrusted(path: String)
    /// A private key that is to sign a package.
    case keyExposed(path: String)
    /// Where a key was to be; not the key.
    case noSigningKey(place: String)
    /// What is to be said of a bundle, and nobody says; the option is the argument.
    case unknownBuild(String)
    /// A binary result would go to a person's terminal.
    case outputIsTerminal
    /// What the machine grants this process is less than it needs.
    case tooFewDescriptors(needed: Int)
    case tooFewThreads(needed: Int)
    /// `--assistant openai` without a key for OpenAI.
    case noKey
    /// Something of a conversation lives in real time, and the virtual unit was to run ahead of it.
    case noRealTime
    case differs(parts: [Component], from: String = "the catalogue", advice: String)
    case chatInterrupted
    /// A line of standard input.
    case questionTooLong
    /// The unit of a question; the links that it made meanwhile, and why the last one was lost.
    case unitStaysAway(seconds: Double, returns: Int, reason: String)
    /// More than one statement of the console can have, in bytes.
    case statementTooLong(limit: Int)
    case consoleInterrupted
    case programIsSilent
    /// Standard output did not take the result.
    case resultNotWritten
    /// The argument parser's own words.
    case usage(String)
    /// The folder that NOAFW_TRUST_DIR names.
    case noTrustFolder(path: String)
    /// What a virtual unit runs on; the argument is the cause.
    case noPython(String)
    case virtualUnitNotOpened(folder: String, reason: String)
    /// Two folders of one run hold units with one address.
    case sameVirtualUnit(DeviceAddress, folders: [String])
    /// After `noafw assets check`; each bad entry is explained beside it.
    case badEntries(count: Int)
    case noEntries(root: String)
    /// After `noafw lint`; each mistake is explained beside it.
    case badScripts(folder: String, count: Int)
    case bundleDiffers(folder: String, file: String, count: Int)
    /// Two values of `--adapter` mean the same one.
    case sameAdapter(String, String)
    /// What noafw does with units of other families, such as `chat`.
    case unsupported(String, family: FamilyID)
    /// A `--device` that is no address, and the one that is likely meant.
    case likeAnAddress(String, meant: String?)
    /// A `--device` that is no unit's name, and the name that is near.
    case likeAName(String, name: String)
    /// Neither an address nor a name.
    case noSuchUnit(String)
    /// A code that no error has, and the nearest that one has.
    case noSuchCode(String, nearest: String)
    /// What a unit that is not virtual shows.
    case screenUnreadable
    /// A photo that goes nowhere.
    case photoWithoutPlace
    /// Parts that units of the family do not have, and those that they have.
    case noSuchPart(Set<Component>, family: FamilyID, has: [Component])
}

extension CommandError {
    /// Of one unit of several.
    static let nothingBegun = CommandError.interrupted(condition: "no unit was touched", nextAction: "run the same command again")
    static let unitInterrupted = CommandError.interrupted(
        condition: "the unit is not verified", nextAction: "run the same command again; it continues where it stopped")
}

extension CommandError: DiagnosableError {
    /// A unit may have been provisioned with a release that is not the catalogue's: its files are not to be replaced by that.
    static let flashSameScripts =
        "run noafw verify --deep with the files that the unit was provisioned with, then noafw flash with the same files"

    var diagnosis: Diagnosis {
        switch self {
        case .noStateFolder:
            Diagnosis(
                "NOA-0001", .missingInput, .station, "there is no folder to keep the state in",
                cause: "neither NOAFW_STATE_DIR, XDG_STATE_HOME nor HOME names an absolute path",
                remedy: "set NOAFW_STATE_DIR to a folder that noafw may write to")
        case .noCacheFolder:
            Diagnosis(
                "NOA-0127", .missingInput, .station, "there is no folder to keep fetched files in",
                cause: "neither XDG_CACHE_HOME nor HOME names an absolute path",
                remedy: "set XDG_CACHE_HOME to a folder that noafw may write to")
        case .timedOut(let seconds, let state, let next):
            Diagnosis(
                "NOA-0002", .tryAgain, nil,
                "the run did not end within the \(Format.plain(seconds)) s of --timeout\(state.map { "; \($0)" } ?? "")",
                cause: "the limit is too short for this job, or the link is slow", remedy: next)
        case .interrupted(let condition, let nextAction):
            Diagnosis(
                "NOA-0003", .interrupted, nil, "interrupted; \(condition)",
                cause: "noafw received a signal", remedy: nextAction)
        case .developmentImage(let image):
            Diagnosis(
                "NOA-0006", .badData, nil, "\(image) is a development image, not for hardware",
                cause: "the catalogue holds no release of this component, and this image was made for virtual units",
                remedy: "run: noafw assets fetch monocle (or frame), or name the file, as with --firmware; in a lab, pass --development")
        case .outputExists(let path):
            Diagnosis(
                "NOA-0007", .inputOutput, nil, "\(path) exists already",
                cause: "an overwritten key cannot be recovered", remedy: "give another name, or move that file away")
        case .outputNotWritten(let path, let reason):
            Diagnosis(
                "NOA-0008", .inputOutput, nil, "cannot write \(path)", cause: reason,
                remedy: "check the folder, its permissions and the free space")
        case .outputIsInput(let path):
            Diagnosis(
                "NOA-0024", .usage, nil, "\(path) is also an input",
                cause: "the result would replace the input", remedy: "give the result another name")
        case .outputInFolder(let path, let folder):
            Diagnosis(
                "NOA-0025", .usage, nil, "\(path) is in \(folder), which is an input",
                cause: "the result would become part of the input", remedy: "give the result a path outside that folder")
        case .outputIsOwn(let path):
            Diagnosis(
                "NOA-0039", .usage, nil, "\(path) belongs to noafw itself",
                cause: "its state, its configuration or its catalogue is there", remedy: "give the result another path")
        case .outputHoldsKey(let path):
            Diagnosis(
                "NOA-0026", .usage, nil, "\(path) holds a private key",
                cause: "an overwritten key cannot be recovered", remedy: "give the result another name, or move that file away")
        case .privateKeyTrusted(let path):
            Diagnosis(
                "NOA-0027", .badData, nil, "\(path) is a private key, not a public key",
                cause: "checking a signature needs only the public key",
                remedy: "give its public half: noafw package key show FILE --format pem, or noafw bundle key show FILE")
        case .keyExposed(let path):
            Diagnosis(
                "NOA-0028", .permission, nil, "other users may read the private key \(path)",
                cause: "the permissions of the file are too wide",
                remedy: "run chmod 600 on that file; make a new key if another user had access")
        case .noSigningKey(let place):
            Diagnosis(
                "NOA-0124", .missingInput, nil, "there is no key in \(place)",
                cause: "the variable is not set in this job, nothing was written to standard input, or it is longer than a key",
                remedy: "set the variable as a secret of the job, or pipe the key, as docs/ci.md shows")
        case .unknownBuild(let option):
            Diagnosis(
                "NOA-0126", .usage, nil, "it is not known where this bundle was made: \(option) is missing",
                cause: "this is no job of GitHub or GitLab, whose environment tells it", remedy: "give --source, --commit and --builder")
        case .outputIsTerminal:
            Diagnosis(
                "NOA-0125", .usage, nil, "standard output is a terminal, and the result is no text",
                cause: "-o - is for a pipe or a file", remedy: "name a file with -o, or send standard output to one")
        case .tooFewDescriptors(let needed):
            Diagnosis(
                "NOA-0029", .unavailable, .station, "this process may not open \(needed) more files",
                cause: "its limit is low (ulimit -n), or it was started with many files open",
                remedy: "raise the limit, for example with: ulimit -n 1024")
        case .tooFewThreads(let needed):
            Diagnosis(
                "NOA-0030", .unavailable, .station, "this process may not start \(needed) threads",
                cause: "the user's limit of processes is used up (ulimit -u), or memory is short (ulimit -v)",
                remedy: "raise the limit, or end other programs of this user")
        case .noKey:
            Diagnosis(
                "NOA-0011", .missingInput, nil, "there is no key for the assistant",
                cause: "neither NOAFW_API_KEY, OPENAI_API_KEY nor the configuration file holds one for api.openai.com",
                remedy: "set NOAFW_API_KEY, name another server with --base-url, or use --assistant echo")
        case .noRealTime:
            Diagnosis(
                "NOA-0012", .usage, nil, "--virtual-speed max works only with the echo and without a terminal",
                cause: "people and servers live in real time, and the virtual unit would run ahead of them",
                remedy: "leave out --virtual-speed max, or add --assistant echo and --query or --script")
        case .differs(let parts, let expectation, let advice):
            Diagnosis(
                "NOA-0013", .unitFailed, .unit,
                "the unit differs from \(expectation) in: \(parts.map(\.name).joined(separator: ", "))",
                cause: "the unit was never flashed, was flashed with other files, or was changed since",
                remedy: "\(advice) (or run noafw chat --no-verify to use the unit as it is)")
        case .chatInterrupted:
            Diagnosis(
                "NOA-0014", .interrupted, nil, "the conversation was interrupted",
                cause: "noafw received a signal", remedy: "run the same command to begin a new one")
        case .questionTooLong:
            Diagnosis(
                "NOA-0016", .badData, nil,
                "a line of standard input is longer than \(LineEditor.limit) bytes",
                cause: "each line is one question", remedy: "put each question on a line of its own")
        case .unitStaysAway(let seconds, let returns, let reason):
            Diagnosis(
                "NOA-0017", .tryAgain, .radio,
                "the link was lost, and the unit "
                    + (returns == 0 ? "did not come back within" : "came back \(returns) times, but its program was never ready within")
                    + " \(Format.plain(seconds)) s",
                cause: returns == 0
                    ? "the unit is out of range, switched off, or connected to another computer (\(reason))"
                    : "the link keeps breaking (\(reason)), or the unit's program does not start",
                remedy: returns == 0
                    ? "move the unit closer, then run the same command again"
                    : "move the unit closer; if that does not help, run: noafw verify")
        case .programIsSilent:
            Diagnosis(
                "NOA-0018", .unitFailed, .unit,
                "nothing was sent because the unit's program never reported ready",
                cause: "the unit's scripts are missing, broken, or made for another app", remedy: Self.flashSameScripts)
        case .statementTooLong(let limit):
            Diagnosis(
                "NOA-0022", .badData, nil, "a statement is longer than \(limit) bytes",
                cause: "the unit has to hold a whole statement in its memory", remedy: "split the statement")
        case .consoleInterrupted:
            Diagnosis(
                "NOA-0023", .interrupted, nil, "the console was interrupted",
                cause: "noafw received a signal", remedy: "run the same command to get back to the unit's prompt")
        case .resultNotWritten:
            Diagnosis(
                "NOA-0005", .inputOutput, .station, "cannot write the result to standard output",
                cause: "the disk is full, or the program that reads it has ended",
                remedy: "check where standard output leads, and run the same command again")
        case .usage(let message):
            Diagnosis(
                "NOA-0064", .usage, nil, message, cause: "the command line is incomplete or wrong",
                remedy: "see noafw --help, or --help after the command's name")
        case .noTrustFolder(let path):
            Diagnosis(
                "NOA-0067", .missingInput, .station, "there is no trust folder \(path)",
                cause: "NOAFW_TRUST_DIR names it", remedy: "make the folder, or unset NOAFW_TRUST_DIR")
        case .noPython(let cause):
            Diagnosis(
                "NOA-0069", .unavailable, .station,
                "the virtual units' interpreters are not there", cause: cause,
                remedy: "install noafw-virtual, run Tools/setup runtime in a checkout, or set NOAFW_PYTHON")
        case .virtualUnitNotOpened(let folder, let reason):
            Diagnosis(
                "NOA-0074", .inputOutput, .station, "cannot open the virtual unit in \(folder)",
                cause: reason, remedy: "check the folder's permissions and disk space, or remove it to start with a new unit")
        case .sameVirtualUnit(let address, let folders):
            Diagnosis(
                "NOA-0035", .usage, nil,
                "the virtual units in \(folders.joined(separator: " and ")) have the same address \(address)",
                cause: "one folder is a copy of the other",
                remedy: "remove one of the folders to start with a new unit there, or name only one of the two")
        case .noEntries(let root):
            Diagnosis(
                "CAT-0021", .missingInput, nil, "the catalogue \(root) holds no entry", cause: "nothing was added to it yet",
                remedy: "add files with noafw assets add, or name another catalogue with --assets")
        case .badEntries(let count):
            Diagnosis(
                "CAT-0020", .badData, .station,
                count == 1 ? "1 entry of the catalogue is bad" : "\(count) entries of the catalogue are bad",
                cause: "files were damaged or replaced, or a manifest was changed by hand",
                remedy: "follow the advice beside each entry; no run uses a bad file")
        case .badScripts(let folder, let count):
            Diagnosis(
                "BND-0042", .badData, nil, "\(folder) has \(count == 1 ? "1 mistake" : "\(count) mistakes")",
                cause: "scripts or their manifest were edited",
                remedy: "correct what is shown above; noafw bundle refuses the folder as it is")
        case .bundleDiffers(let folder, let file, let count):
            Diagnosis(
                "BND-0030", .unitFailed, nil,
                "\(folder) is no longer what \(file) holds: \(count == 1 ? "1 difference" : "\(count) differences")",
                cause: "scripts were changed after the bundle was made", remedy: "make the bundle again, or restore the folder")
        case .sameAdapter(let one, let other):
            Diagnosis(
                "NOA-0045", .usage, nil, "--adapter \(one) and --adapter \(other) mean the same adapter",
                cause: "an adapter can be named by hciN, its address and its USB port", remedy: "name each adapter once; see noafw doctor")
        case .noSuchPart(let parts, let family, let has):
            Diagnosis(
                "NOA-0038", .usage, nil,
                "a \(family) has no \(parts.sorted().map(\.name).joined(separator: ", ")): its parts are "
                    + has.map(\.name).joined(separator: ", "),
                cause: "--only names a part that units of this family do not have",
                remedy: "name only parts that it has: --only \(has.map(\.name).joined(separator: ","))")
        case .likeAnAddress(let text, let meant):
            Diagnosis(
                "NOA-0120", .usage, nil, "\(text) looks like an address, but is none" + (meant.map { "; did you mean \($0)?" } ?? ""),
                cause: "an address is six pairs of hexadecimal digits with colons, such as D3:5A:00:11:22:33",
                remedy: "correct --device; noafw scan shows addresses, noafw units list the units that were worked on")
        case .likeAName(let text, let name):
            Diagnosis(
                "NOA-0121", .usage, nil, "no unit is called \"\(text)\"; did you mean \"\(name)\"?",
                cause: "a name was mistyped, or has changed", remedy: "see the names with noafw units list, and correct --device")
        case .noSuchUnit(let text):
            Diagnosis(
                "NOA-0123", .usage, nil, "this machine knows no unit \"\(text)\"",
                cause: "it is neither an address nor a name, or the unit was forgotten before",
                remedy: "see the units with noafw units list, or give an address such as C6:05:04:03:02:01")
        case .noSuchCode(let code, let nearest):
            Diagnosis(
                "NOA-0122", .usage, nil, "no error has the code \(code); the nearest is \(nearest)",
                cause: "the code was mistyped, or another version of noafw has it",
                remedy: "run noafw explain with the code as it was shown")
        case .screenUnreadable:
            Diagnosis(
                "NOA-0128", .usage, nil, "what stands on the display of a real unit cannot be read",
                cause: "the firmware of the Monocle and of the Frame only writes to the display",
                remedy: "have the program print what it shows and follow it with noafw watch, or run the program on a virtual unit: "
                    + "noafw screen --virtual monocle")
        case .photoWithoutPlace:
            Diagnosis(
                "NOA-0129", .usage, nil, "the photo has no place to go",
                cause: "no file was named, and this terminal shows no pictures", remedy: "name a file: noafw photo -o photo.jpg")
        case .unsupported(let feature, let family):
            Diagnosis(
                "NOA-0031", .usage, nil, "noafw has no \(feature) for the \(family)",
                cause: "this version of noafw does not support it for units of this family",
                remedy: "use a unit of another family, or a newer noafw")
        }
    }
}
