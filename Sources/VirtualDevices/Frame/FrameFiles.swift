import Foundation
import Support

enum FrameEntry: Equatable {
    case file(size: Int)
    case folder
}

/// A Frame's files as files in the unit's folder.
extension UnitFolder {
    private struct FileSystemRecord: Codable {
        var blocks: Int
        /// Blocks that stay used but are unreachable.
        var lost: Int?
    }

    private var recordFile: URL { root.appendingPathComponent("filesystem.json") }
    /// Outside the files' folder, where every name belongs to the unit.
    private var scratchFile: URL { root.appendingPathComponent("file.new") }
    /// In bytes.
    private static let recordLimit = 4096
    private static let largestLoss = 1024

    /// Blocks of the file system as formatted; `nil` without one.
    func loadBlockCount() throws -> Int? { try loadFileSystem()?.blocks }

    private func loadFileSystem() throws -> FileSystemRecord? {
        guard FileManager.default.fileExists(atPath: recordFile.path) else { return nil }
        return try Self.decode(recordFile, limit: Self.recordLimit) as FileSystemRecord
    }

    func saveBlockCount(_ blocks: Int?) throws {
        if let blocks {
            try Self.replace(recordFile, with: try JSONEncoder().encode(FileSystemRecord(blocks: blocks)))
        } else {
            try? FileManager.default.removeItem(at: recordFile)
        }
    }

    /// Until the next format.
    func lostBlocks() -> Int { max(0, min((try? loadFileSystem())?.lost ?? 0, Self.largestLoss)) }

    /// Removes a folder and its content; the blocks stay used.
    func lose(_ path: FramePath, blocks: Int) throws {
        guard let count = try loadBlockCount() else { return }
        let record = FileSystemRecord(blocks: count, lost: lostBlocks() + blocks)
        try Self.replace(recordFile, with: try JSONEncoder().encode(record))
        let lost = root.appendingPathComponent("folder.lost")
        try? FileManager.default.removeItem(at: lost)
        try perform("rename a folder") { Glibc.rename(host(path), lost.path) }
        try? FileManager.default.removeItem(at: lost)
    }

    /// If interrupted, it leaves no file system, so that the next start formats again.
    func format(blockCount: Int) throws {
        try saveBlockCount(nil)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: files.path)) ?? [] {
            try? FileManager.default.removeItem(at: files.appendingPathComponent(name))
        }
        try saveBlockCount(blockCount)
    }

    /// Bytes that a host's file name cannot have, or that a person could not read, become `%XX`.
    func host(_ path: FramePath) -> String { path.parts.reduce(files.path) { $0 + "/" + Self.hostName($1) } }

    private static func hostName(_ part: [UInt8]) -> String {
        part.map { byte in
            let isPlain = (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "%")
            return isPlain ? String(UnicodeScalar(byte)) : (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    private static func name(ofHost text: String) -> [UInt8] {
        var name: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
                name.append(code)
                rest = rest.dropFirst(2)
            } else {
                name.append(byte)
            }
        }
        return name
    }

    func entry(at path: FramePath) -> FrameEntry? {
        var status = stat()
        guard lstat(host(path), &status) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file(size: Int(status.st_size))
        case S_IFDIR: return .folder
        default: return nil
        }
    }

    /// In LittleFS order: by bytes, a longer name before its prefix.
    func names(in path: FramePath) -> [[UInt8]] {
        let texts = (try? FileManager.default.contentsOfDirectory(atPath: host(path))) ?? []
        return texts.map(Self.name(ofHost:)).sorted { ($0 + [.max]).lexicographicallyPrecedes($1 + [.max]) }
    }

    func content(of path: FramePath) -> [UInt8] { (try? FileReader.read(host(path), limit: FrameBlocks.largestFile)) ?? [] }

    /// Blocks of everything in a folder, without its own.
    func usedBlocks(in path: FramePath) -> Int {
        names(in: path).reduce(0) { sum, name in
            let inner = path.appending(name)
            switch entry(at: inner) {
            case .file(let size): return sum + FrameBlocks.count(of: size)
            case .folder: return sum + FrameBlocks.perFolder + usedBlocks(in: inner)
            case nil: return sum
            }
        }
    }

    func put(_ bytes: [UInt8], at path: FramePath) throws {
        try Self.replace(scratchFile, with: bytes)
        try perform("write a file") { Glibc.rename(scratchFile.path, host(path)) }
    }

    func perform(_ what: String, _ call: () -> Int32) throws {
        guard call() == 0 else { throw UnitFolderError.unwritable(path: files.path, reason: "cannot \(what): \(SystemError.last)") }
    }
}

/// A name in a Frame's file system: parts of any bytes but `/` and 0.
struct FramePath: Hashable {
    private(set) var parts: [[UInt8]]

    static let root = FramePath(parts: [])
    /// In bytes.
    private static let largestPart = 255

    private init(parts: [[UInt8]]) { self.parts = parts }

    /// `nil` if a part is too long. The root is its own parent (LittleFS).
    init?(_ name: [UInt8]) {
        parts = []
        for part in name.split(separator: UInt8(ascii: "/")) where part != [UInt8(ascii: ".")] {
            if part == [UInt8(ascii: "."), UInt8(ascii: ".")] {
                _ = parts.popLast()
            } else {
                guard part.count <= Self.largestPart else { return nil }
                parts.append(Array(part))
            }
        }
    }

    var isRoot: Bool { parts.isEmpty }
    var parent: FramePath { FramePath(parts: parts.dropLast()) }

    func appending(_ part: [UInt8]) -> FramePath { FramePath(parts: parts + [part]) }

    /// Whether `other` is inside.
    func contains(_ other: FramePath) -> Bool { other.parts.count > parts.count && other.parts.starts(with: parts) }

    /// Its path once `old` is called `new`; `nil` if unchanged.
    func moved(from old: FramePath, to new: FramePath) -> FramePath? {
        self == old || old.contains(self) ? FramePath(parts: new.parts + parts.dropFirst(old.parts.count)) : nil
    }
}
