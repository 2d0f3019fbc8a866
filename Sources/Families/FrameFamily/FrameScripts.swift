import Provisioning
import REPL
import ScriptBundle
import Support

/// A Frame's file system as a place for a set of scripts.
///
/// New files are uploaded beside the old ones and read back on the unit. Then the old `main.lua`, which carries the version, goes first
/// and the new one comes last: whatever interrupts it, no mixture claims a version, and the next run finds the new copies. A file
/// that was begun goes on behind what the unit has of it. Only `NAME.lua` in the root is ever loaded, so nothing can hide a script.
struct FrameScripts: ScriptStore {
    private static let suffix = ".new"
    /// Of all released firmware the largest file system, and what it needs for itself, in blocks of 4096 bytes.
    private static let space = (blocks: 69, own: 2, blockByteCount: 4096)

    let console: FrameConsole
    let scripts: ScriptSet
    private var files: FrameFiles { FrameFiles(repl: console.repl) }

    init(console: FrameConsole, scripts: ScriptSet) {
        self.console = console
        self.scripts = scripts
    }

    func deepCheck() async throws -> [ScriptDifference] {
        let found = try await survey()
        let expected = Set(scripts.files.map(\.name))
        let extras = found.entries.filter { !expected.contains($0.key) }.sorted { $0.key < $1.key }
        return scripts.installed.compactMap { found.difference(of: $0) }
            + extras.map { .extra($0.key + ($0.value.isFolder ? "/" : "")) }
    }

    func install(_ names: Set<String>, report: @Sendable (ScriptEvent) -> Void) async throws -> ScriptOutcome {
        for file in scripts.installed where file.bytes.count > FrameFiles.fileLimit {
            throw ScriptError.fileTooLong(file.name, byteCount: file.bytes.count, limit: FrameFiles.fileLimit)
        }
        let outdated = scripts.installed.filter { names.contains($0.name) }
        let found = try await survey()
        if let file = outdated.first(where: { found.entries[$0.name]?.isFolder == true }) { throw FrameError.folderInPlace(file.name) }
        try await removeLeftovers(in: found, except: outdated)
        try checkSpace(for: outdated, in: found)
        var upload = Upload(total: outdated.reduce(0) { $0 + $1.bytes.count })
        for file in outdated {
            if !found.holds(file, as: file.name + Self.suffix) { try await send(file, &upload, found, report) }
            upload.done += file.bytes.count
            report(.uploading(bytesDone: upload.done, bytesTotal: upload.total))
        }
        try await putInPlace(outdated)
        return ScriptOutcome(replaced: outdated.map(\.name), bytesSent: upload.sent)
    }

    private struct Upload {
        let total: Int
        /// Of the files before.
        var done = 0
        var sent = 0
    }

    /// What the unit holds, with the digests of all scripts and of their new copies.
    private func survey(_ wanted: [String]? = nil) async throws -> FrameSurvey {
        let seed = Int64.random(in: Int64.min...Int64.max)
        let names = wanted ?? scripts.files.flatMap { [$0.name, $0.name + Self.suffix] }
        return FrameSurvey(entries: try await console.insisting { try await files.survey(names, seed: seed) }, seed: seed)
    }

    private func removeLeftovers(in found: FrameSurvey, except files: [ScriptSet.File]) async throws {
        let wanted = Set(files.map { $0.name + Self.suffix })
        for name in found.entries.keys.sorted() where name.hasSuffix(scripts.family.suffix + Self.suffix) && !wanted.contains(name) {
            try await self.files.remove(name)
        }
    }

    /// Old and new copies lie side by side for a while. What the unit has free it does not say: only what can never fit is refused.
    private func checkSpace(for outdated: [ScriptSet.File], in found: FrameSurvey) throws {
        func blocks(_ byteCount: Int) -> Int { byteCount / Self.space.blockByteCount + 1 }
        let copies = Set(outdated.map { $0.name + Self.suffix })
        let taken = found.entries.filter { !copies.contains($0.key) }.reduce(0) { $0 + ($1.value.isFolder ? 2 : blocks($1.value.byteCount)) }
        let needed = outdated.reduce(0) { $0 + blocks($1.bytes.count) }
        let free = max(0, Self.space.blocks - Self.space.own - taken)
        guard needed <= free else {
            throw ScriptError.noSpace(needed: needed * Self.space.blockByteCount, free: free * Self.space.blockByteCount)
        }
    }

    // MARK: - One file

    private func send(
        _ file: ScriptSet.File, _ upload: inout Upload, _ found: FrameSurvey, _ report: @Sendable (ScriptEvent) -> Void
    ) async throws {
        let name = file.name + Self.suffix
        var start = found.begun(file, as: name)
        for _ in 0..<2 {
            upload.sent += file.bytes.count - start
            try await write(file, as: name, from: start) { [done = upload.done, total = upload.total] in
                report(.uploading(bytesDone: done + $0, bytesTotal: total))
            }
            if try await survey([name]).holds(file, as: name) { return }
            report(.notice("\(file.name) arrived damaged; sending it again"))
            start = 0
        }
        throw ScriptError.uploadFailed(file.name)
    }

    private func write(_ file: ScriptSet.File, as name: String, from start: Int, progress: (Int) -> Void) async throws {
        var end = start
        do {
            try await files.open(name, at: start)
            while end < file.bytes.count {
                end = try await files.append(file.bytes, from: end)
                progress(end)
            }
            try await files.close()
        } catch REPLError.lua(let exception) where exception.message.hasSuffix("error writing to file") {
            try? await files.close()
            for script in scripts.files { try? await files.remove(script.name + Self.suffix) }
            throw FrameError.fileSystemFull(needed: file.bytes.count, taken: end)
        }
    }

    // MARK: - In place

    /// Only what was read back as it has to be.
    private func putInPlace(_ outdated: [ScriptSet.File]) async throws {
        let ready = try await survey()
        let complete = outdated.filter { ready.holds($0, as: $0.name + Self.suffix) }
        if let main = complete.first(where: { $0.name == scripts.family.mainName }), ready.entries[main.name] != nil {
            try await files.remove(main.name)
        }
        try await files.putInPlace(complete.map(\.name))
        let placed = try await survey()
        for file in scripts.installed where !placed.holds(file, as: file.name) { throw ScriptError.verificationFailed(file.name) }
    }
}

/// What a unit holds, by digests that begin with a seed.
struct FrameSurvey: Sendable {
    let entries: [String: FrameFile]
    let seed: Int64

    /// Whether the file was read back byte by byte.
    func holds(_ file: ScriptSet.File, as name: String) -> Bool { entries[name] == expectation(of: file.bytes) }

    /// How much of a file that was begun is right.
    func begun(_ file: ScriptSet.File, as name: String) -> Int {
        guard let entry = entries[name], (1...file.bytes.count).contains(entry.byteCount),
            entry == expectation(of: file.bytes.prefix(entry.byteCount))
        else { return 0 }
        return entry.byteCount
    }

    func difference(of file: ScriptSet.File) -> ScriptDifference? {
        guard let entry = entries[file.name], !entry.isFolder else { return .missing(file.name) }
        return holds(file, as: file.name) ? nil : .differs(file.name, expected: file.bytes.count, actual: entry.byteCount)
    }

    private func expectation(of bytes: some Collection<UInt8>) -> FrameFile {
        FrameFile(isFolder: false, byteCount: bytes.count, digest: FrameDigest.of(bytes, seed: seed))
    }
}
