import Foundation
import Support

/// The file system in a Frame's internal flash: the behaviour of LittleFS 2.8 and file.c, stored as files in the unit's folder.
/// A file on disk changes in one step when it is closed.
struct FrameFileSystem {
    struct OpenFile {
        /// `nil` once the file was removed.
        var path: FramePath?
        var content: [UInt8]
        var position = 0
        var appends = false
        var isDirty = false
        /// A write failed: closing changes nothing.
        var isBroken = false
        /// Blocks of the old content that the new content still uses.
        var sharedBlocks = 0

        var ownBlocks: Int { isDirty ? max(0, FrameBlocks.count(of: content.count) - sharedBlocks) : 0 }
    }

    let folder: UnitFolder
    /// In the region after the application.
    let blockCount: Int
    var openFiles: [UInt32: OpenFile] = [:]
    private var handleCount: UInt32 = 0
    private var commitCount = 0

    init(folder: UnitFolder, blockCount: Int = 0) { (self.folder, self.blockCount) = (folder, blockCount) }

    /// Open files are lost, not written.
    mutating func unmount() { openFiles = [:] }

    /// A region that is not as long as when it was formatted cannot be mounted.
    mutating func mount(formatting: Bool, isPaired: Bool) throws -> FrameAnswer {
        openFiles = [:]
        var answer = FrameAnswer(bytes: [isPaired ? 1 : 0], delay: FrameBlocks.mountTime)
        if try formatting || folder.loadBlockCount() != blockCount {
            answer.change = .format
            answer.words = FrameBlocks.commitWords * 2
            answer.delay += FrameBlocks.eraseTime * 2
        }
        return answer
    }

    // MARK: - Files

    mutating func open(_ name: [UInt8], mode: UInt8) -> FrameAnswer {
        guard let path = FramePath(name), !path.isRoot else { return .refusal }
        let old = folder.entry(at: path)
        if old == .folder { return .refusal }
        var file = OpenFile(path: path, content: [])
        var answer = FrameAnswer(delay: FrameBlocks.lookTime)
        if mode == UInt8(ascii: "r") {
            guard old != nil else { return .refusal }
            file.content = folder.content(of: path)
        } else {
            guard folder.entry(at: path.parent) == .folder else { return .refusal }
            file.appends = mode == UInt8(ascii: "a")
            file.content = file.appends ? folder.content(of: path) : []
            file.sharedBlocks = max(0, FrameBlocks.count(of: file.content.count) - 1)
            file.isDirty = !file.appends && old != nil
            // A new name appears immediately, without content.
            if old == nil { answer = commit(.write(path, [])) }
        }
        handleCount &+= 1
        openFiles[handleCount] = file
        answer.bytes = handleCount.littleEndianBytes
        return answer
    }

    /// Up to 512 bytes, including the line end.
    mutating func read(_ handle: UInt32) -> FrameAnswer {
        guard var file = openFiles[handle] else { return .refusal }
        let rest = file.content.dropFirst(file.position).prefix(FrameBlocks.largestRead)
        let line = rest.firstIndex(of: UInt8(ascii: "\n")).map { rest[...$0] } ?? rest
        file.position += line.count
        openFiles[handle] = file
        return FrameAnswer(bytes: Array(line), delay: FrameBlocks.readTime(line.count))
    }

    mutating func write(_ bytes: [UInt8], to handle: UInt32) -> FrameAnswer {
        guard var file = openFiles[handle] else { return .refusal }
        let start = file.appends ? file.content.count : file.position
        guard start + bytes.count <= FrameBlocks.largestFile else { return .refusal }
        let before = file.ownBlocks
        file.isDirty = true
        file.content.replaceSubrange(min(start, file.content.count)..<min(start + bytes.count, file.content.count), with: bytes)
        file.position = start + bytes.count
        let grown = file.ownBlocks - before
        file.isBroken = file.isBroken || grown > freeBlocks
        openFiles[handle] = file
        guard !file.isBroken else { return .refusal }
        return FrameAnswer(
            delay: FrameBlocks.writeTime(bytes.count) + FrameBlocks.eraseTime * grown, words: FrameBlocks.words(bytes.count), change: .wear)
    }

    mutating func close(_ handle: UInt32) -> FrameAnswer {
        guard let file = openFiles.removeValue(forKey: handle) else { return .refusal }
        guard let path = file.path, file.isDirty, !file.isBroken else { return FrameAnswer(delay: FrameBlocks.lookTime) }
        return commit(.write(path, file.content))
    }

    /// The whole file; `require` reads it byte by byte.
    func load(_ name: [UInt8]) -> FrameAnswer {
        guard let path = FramePath(name), case .file = folder.entry(at: path) else { return .refusal }
        let content = folder.content(of: path)
        return FrameAnswer(bytes: content, delay: FrameBlocks.lookTime + FrameBlocks.readTime(content.count))
    }

    // MARK: - Names

    mutating func remove(_ name: [UInt8]) -> FrameAnswer {
        guard let path = FramePath(name), !path.isRoot, let entry = folder.entry(at: path) else { return .refusal }
        if entry == .folder, !folder.names(in: path).isEmpty { return .refusal }
        for (handle, file) in openFiles where file.path == path { openFiles[handle]?.path = nil }
        return commit(.remove(path))
    }

    mutating func rename(_ name: [UInt8], to newName: [UInt8]) -> FrameAnswer {
        guard let old = FramePath(name), let new = FramePath(newName), !old.isRoot, !new.isRoot, let entry = folder.entry(at: old),
            folder.entry(at: new.parent) == .folder
        else { return .refusal }
        if let there = folder.entry(at: new) {
            guard (there == .folder) == (entry == .folder), there != .folder || folder.names(in: new).isEmpty else { return .refusal }
        }
        if old.contains(new) { return lose(old, replacing: folder.entry(at: new)) }
        for (handle, file) in openFiles where old != new {
            // LittleFS keeps the handle but forgets its place: what it wrote is lost.
            if file.path == new || file.path == old {
                openFiles[handle]?.path = nil
            } else if let path = file.path?.moved(from: old, to: new) {
                openFiles[handle]?.path = path
            }
        }
        return commit(.rename(old, new))
    }

    /// LittleFS moves a folder into itself: it becomes unreachable, and its blocks stay used (`lfs_rawrename`).
    private mutating func lose(_ path: FramePath, replacing old: FrameEntry?) -> FrameAnswer {
        for (handle, file) in openFiles where file.path.map(path.contains) ?? false { openFiles[handle]?.path = nil }
        let blocks = FrameBlocks.perFolder + folder.usedBlocks(in: path) - (old == nil ? 0 : FrameBlocks.perFolder)
        return commit(.lose(path, blocks: blocks))
    }

    mutating func makeFolder(_ name: [UInt8]) -> FrameAnswer {
        guard let path = FramePath(name), folder.entry(at: path) == nil, folder.entry(at: path.parent) == .folder,
            freeBlocks >= FrameBlocks.perFolder
        else { return .refusal }
        var answer = commit(.makeFolder(path))
        answer.delay += FrameBlocks.eraseTime
        return answer
    }

    /// Entries as `Port/files.c` reads them, sorted, `.` and `..` first. An open file has its old size.
    func list(_ name: [UInt8]) -> FrameAnswer {
        guard let path = FramePath(name), folder.entry(at: path) == .folder else { return .refusal }
        var bytes: [UInt8] = []
        func add(_ name: [UInt8], _ entry: FrameEntry) {
            let (kind, size): (UInt8, Int) = if case .file(let size) = entry { (1, size) } else { (2, 0) }
            bytes += [kind] + UInt32(size).littleEndianBytes + UInt16(name.count).littleEndianBytes + name
        }
        add(Array(".".utf8), .folder)
        add(Array("..".utf8), .folder)
        for name in folder.names(in: path) {
            if let entry = folder.entry(at: path.appending(name)) { add(name, entry) }
        }
        return FrameAnswer(bytes: bytes, delay: FrameBlocks.lookTime)
    }

    /// Appends to a log, which moves into an erased block when it is full.
    private mutating func commit(_ change: FrameChange) -> FrameAnswer {
        commitCount += 1
        let isFull = commitCount % FrameBlocks.commitsPerBlock == 0
        return FrameAnswer(
            delay: FrameBlocks.commitTime + (isFull ? FrameBlocks.eraseTime : .zero), words: FrameBlocks.commitWords, change: change)
    }

    // MARK: - Room

    var freeBlocks: Int {
        let open = openFiles.values.reduce(0) { $0 + $1.ownBlocks }
        return blockCount - FrameBlocks.perFolder - folder.usedBlocks(in: .root) - folder.lostBlocks() - open
    }

    func apply(_ change: FrameChange) throws {
        switch change {
        case .write(let path, let bytes): try folder.put(bytes, at: path)
        case .makeFolder(let path): try folder.perform("make a folder") { mkdir(folder.host(path), 0o700) }
        case .remove(let path): try folder.perform("remove a file") { Glibc.remove(folder.host(path)) }
        case .rename(let old, let new): try folder.perform("rename a file") { Glibc.rename(folder.host(old), folder.host(new)) }
        case .lose(let path, let blocks): try folder.lose(path, blocks: blocks)
        case .format: try folder.format(blockCount: blockCount)
        case .wear: break
        }
    }
}

struct FrameAnswer {
    /// 0 for done.
    var status: UInt8 = 0
    var bytes: [UInt8] = []
    var delay = Duration.microseconds(30)
    /// Flash words written meanwhile.
    var words = 0
    /// In the flash once the time has passed.
    var change: FrameChange?

    static let refusal = FrameAnswer(status: 1)
}

/// What a call leaves in the flash.
enum FrameChange {
    case write(FramePath, [UInt8])
    case makeFolder(FramePath)
    case remove(FramePath)
    case rename(FramePath, FramePath)
    case lose(FramePath, blocks: Int)
    case format
    /// Bytes in blocks without a name yet.
    case wear
}
