import Bluetooth
import Cryptography
import Foundation
import Glibc
import Ledger
import Provisioning
import REPL
import ScriptBundle
import Support

/// The files of units that a job was about to erase or to replace: a folder for each unit, in it one for each time, with the files as they
/// were and a list of them.
struct KeptFiles: Sendable {
    /// Its name in the state folder.
    static let folderName = "kept"
    private static let manifestName = "kept.json"
    /// Lies beside the list until the unit has its files back.
    private static let owedName = "owed"
    private static let unfinished = ".new-"
    private static let (manifestLimit, fileLimit) = (4 << 20, 1 << 20)

    private let root: String
    private let now: @Sendable () -> Date

    init(_ context: CommandContext) throws(CommandError) {
        (root, now) = ("\(try context.stateFolder())/\(Self.folderName)", context.date)
    }

    var keeping: FileKeeping {
        FileKeeping(
            folder: { folder(of: $0) }, keep: { try keep($0, of: $1, $2, isOwed: $3) },
            owed: { unit in try all(of: unit).filter(isOwed).reversed().flatMap(files).newestOfEach },
            settle: { unit in try all(of: unit).forEach(settle) })
    }

    private func folder(of unit: DeviceAddress) -> String { "\(root)/\(unit.description.replacing(":", with: "-"))" }

    /// - Returns: the folder of this time.
    /// - Throws: ``KeptFilesError/notKept(path:reason:)``: then nothing of the unit's may go.
    func keep(_ files: [KeptFile], of unit: UnitIdentity, _ family: FamilyID, isOwed: Bool = false) throws -> String {
        let folder = folder(of: unit.address)
        let time = UTCTime(now())
        let manifest = KeptManifest(files, of: unit, family, at: time)
        let new = "\(folder)/\(Self.unfinished)\(UInt64.random(in: 0 ... .max))"
        for name in names(in: folder, areUnfinished: true) { try? FileManager.default.removeItem(atPath: "\(folder)/\(name)") }
        do {
            for file in files {
                let place = "\(new)/files/\(file.path.text)"
                try FileWriter.makeFolder(URL(fileURLWithPath: place).deletingLastPathComponent().path)
                try FileWriter.create(place, file.bytes, mode: 0o600)
            }
            try FileWriter.makeFolder(new)
            try FileWriter.create("\(new)/\(Self.manifestName)", Array(JSONEncoder.pretty.encode(manifest)), mode: 0o600)
            if isOwed { try FileWriter.create("\(new)/\(Self.owedName)", [], mode: 0o600) }
            return try place(new, as: "\(folder)/\(Self.name(of: time))")
        } catch {
            try? FileManager.default.removeItem(atPath: new)
            throw KeptFilesError.notKept(path: folder, reason: SystemError.text(error))
        }
    }

    /// Two runs may keep within one second.
    private func place(_ new: String, as wanted: String) throws -> String {
        for number in 1...100 {
            let path = number == 1 ? wanted : "\(wanted)-\(number)"
            if rename(new, path) == 0 { return path }
            guard errno == EEXIST || errno == ENOTEMPTY else { break }
        }
        throw KeptFilesError.notKept(path: wanted, reason: SystemError.last)
    }

    private static func name(of time: UTCTime) -> String {
        String(time.iso8601.prefix(19)).replacing(":", with: "").replacing("-", with: "") + "Z"
    }

    /// Of all units, or of one; the last ones first. What cannot be read is left out.
    func all(of unit: DeviceAddress? = nil) -> [Kept] {
        let units = unit.map { [folder(of: $0)] } ?? names(in: root).map { "\(root)/\($0)" }
        return units.flatMap { folder in names(in: folder).compactMap { read("\(folder)/\($0)", $0) } }.sorted { $0.name > $1.name }
    }

    /// - Parameter areUnfinished: those that a process which was killed has left.
    private func names(in folder: String, areUnfinished: Bool = false) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter {
            areUnfinished ? $0.hasPrefix(Self.unfinished) : !$0.hasPrefix(".")
        }
    }

    private func read(_ folder: String, _ name: String) -> Kept? {
        guard let bytes = try? FileReader.read("\(folder)/\(Self.manifestName)", limit: Self.manifestLimit),
            let manifest = try? KeptManifest(bytes)
        else { return nil }
        return Kept(name: name, folder: folder, manifest: manifest)
    }

    private func isOwed(_ kept: Kept) -> Bool { FileManager.default.fileExists(atPath: "\(kept.folder)/\(Self.owedName)") }

    /// The unit has these files, or another time of them.
    /// - Throws: ``KeptFilesError/notSettled(path:reason:)``.
    func settle(_ kept: Kept) throws {
        guard unlink("\(kept.folder)/\(Self.owedName)") == 0 || errno == ENOENT else {
            throw KeptFilesError.notSettled(path: kept.folder, reason: SystemError.last)
        }
    }

    /// - Throws: ``KeptFilesError/damaged(path:)`` for a file that is not what was kept.
    func files(of kept: Kept) throws -> [KeptFile] {
        try kept.manifest.files.map { file in
            let place = "\(kept.folder)/files/\(file.path)"
            guard let path = try? UnitPath(file.path), path.text == file.path,
                let bytes = try? FileReader.read(place, limit: Self.fileLimit), SHA256.text(of: bytes) == file.sha256
            else { throw KeptFilesError.damaged(path: place) }
            return KeptFile(path: path, bytes: bytes)
        }
    }
}

extension [KeptFile] {
    /// Of several with one path the last.
    fileprivate var newestOfEach: [KeptFile] {
        Dictionary(map { ($0.path.text, $0) }) { $1 }.sorted { $0.key < $1.key }.map(\.value)
    }
}

/// What was kept of one unit at one time.
struct Kept: Sendable {
    /// Its time, as the command line takes it.
    var name: String
    var folder: String
    var manifest: KeptManifest
}

struct KeptManifest: Codable, Sendable, Hashable {
    struct File: Codable, Sendable, Hashable {
        var path: String
        var bytes: Int
        var sha256: String
    }

    var schema = "noafw.kept/1"
    var family: String
    var unit: String
    var time: String
    /// What the unit reported, by the names of its parts.
    var versions: [String: String]
    var files: [File]

    init(_ document: [UInt8]) throws { self = try JSONDecoder().decode(Self.self, from: Data(document)) }

    init(_ files: [KeptFile], of unit: UnitIdentity, _ family: FamilyID, at time: UTCTime) {
        (self.family, self.unit, self.time) = (family.rawValue, unit.address.description, time.iso8601)
        versions = Dictionary(uniqueKeysWithValues: unit.versions.map { ($0.key.name, $0.value) })
        self.files = files.map { File(path: $0.path.text, bytes: $0.bytes.count, sha256: SHA256.text(of: $0.bytes)) }
    }
}

extension JSONEncoder {
    fileprivate static var pretty: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}

enum KeptFilesError: Error, Hashable {
    case notKept(path: String, reason: String)
    case damaged(path: String)
    case notSettled(path: String, reason: String)
    case none(unit: String)
    case noSuchTime(String, has: [String])
    /// The family of what was kept.
    case otherFamily(String, kept: String)
}

extension KeptFilesError: DiagnosableError {
    var obstacle: Obstacle? { nil }

    var diagnosis: Diagnosis {
        switch self {
        case .notKept(let path, let reason):
            Diagnosis("KEP-0001", .inputOutput, .station, "cannot keep the unit's files in \(path)", cause: reason,
                remedy: "make room there, or run the same command with --no-keep, which gives the files up")
        case .damaged(let path):
            Diagnosis("KEP-0002", .badData, .station, "the kept file \(path) is not what was kept",
                cause: "it was changed, or the disk is damaged",
                remedy: "put its content back, or remove its folder and do without it: noafw restore --list shows what else is kept")
        case .notSettled(let path, let reason):
            Diagnosis("KEP-0006", .inputOutput, .station, "cannot note in \(path) that the unit has its files back", cause: reason,
                remedy: "make the folder writable, then run the same command again")
        case .none(let unit):
            Diagnosis("KEP-0003", .missingInput, nil, "nothing is kept of \(unit)", cause: "no run has taken files from this unit",
                remedy: "see what is kept of other units: noafw restore --list")
        case .noSuchTime(let name, let has):
            Diagnosis("KEP-0004", .usage, nil, "nothing is kept of \(PrintableText.ascii(name))",
                cause: "of this unit there is: \(Diagnosis.list(has))", remedy: "name one of these times, or none for the last one")
        case .otherFamily(let unit, let kept):
            Diagnosis("KEP-0005", .badData, nil, "the kept files are a \(kept)'s, and the unit is a \(unit)",
                cause: "another unit has the same address", remedy: "restore to the unit that they come from")
        }
    }
}
