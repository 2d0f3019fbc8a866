import Foundation
import Glibc

/// The files of a folder, and what changes in it.
struct WatchedFolder: Sendable {
    /// A file is another one when one of these differs.
    struct Stamp: Sendable, Hashable {
        let seconds: Int
        let nanoseconds: Int
        let byteCount: Int
        let inode: UInt64
    }

    struct Change: Sendable {
        var saved: [HostFile]
        /// Below the folder.
        var removed: [[String]]
        var isEmpty: Bool { saved.isEmpty && removed.isEmpty }
    }

    typealias Snapshot = [[String]: Stamp]

    let path: NamedPath

    init(_ path: NamedPath) { self.path = path }

    /// Without hidden files, an editor's copies, and what Python compiles.
    func files() throws -> [HostFile] {
        try HostFiles.tree(path) { !$0.hasPrefix(".") && !$0.hasSuffix("~") && $0 != "__pycache__" }.filter { !$0.isFolder }
    }

    func snapshot(of files: [HostFile]) -> Snapshot {
        var snapshot: Snapshot = [:]
        for file in files {
            var status = stat()
            guard stat(file.location.location, &status) == 0 else { continue }
            snapshot[file.parts] = Stamp(
                seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec, byteCount: Int(status.st_size),
                inode: UInt64(status.st_ino))
        }
        return snapshot
    }

    /// - Returns: what differs from an earlier look, and the new one.
    func look(after earlier: Snapshot) throws -> (Change, Snapshot) {
        let files = try files()
        let now = snapshot(of: files)
        let saved = files.filter { now[$0.parts] != nil && now[$0.parts] != earlier[$0.parts] }
        return (Change(saved: saved, removed: earlier.keys.filter { now[$0] == nil }.sorted { $0.joined() < $1.joined() }), now)
    }
}
