import Provisioning
import REPL
import ScriptBundle
import Support

/// Keeps the scripts of a Frame.
///
/// Uploads new files next to the old ones and reads them back on the unit. Then removes the old `main.lua`, which carries the version,
/// first and puts the new one in place last: after any interruption, no mixture claims a version, and the next run finds the new copies.
/// Continues a partly uploaded file. Only `NAME.lua` in the root is ever loaded, so nothing can hide a script.
struct FrameScripts: ScriptStore {
    /// The largest file system of all released firmware (frame-codebase, `section_layout.ld`), and its settings (`file.c`).
    private static let (blockCount, blocks) = (69, FileBlocks(size: 4096, cacheSize: 32))

    let console: FrameConsole
    let scripts: ScriptSet
    private var files: FrameFiles { FrameFiles(repl: console.repl) }

    func deepCheck() async throws -> [ScriptDifference] {
        try await console.insisting { try await files.checkFunctions() }
        let found = try await survey()
        let expected = Set(scripts.files.map(\.name))
        let extras = found.entries.filter { !expected.contains($0.key) }.sorted { $0.key < $1.key }
        return scripts.installed.compactMap { found.difference(of: $0) }
            + extras.map { .extra($0.key + ($0.value.isFolder ? "/" : "")) }
    }

    func check(_ names: Set<String>, isAfterFirmware: Bool) async throws {
        let found = isAfterFirmware ? FrameSurvey(entries: [:], seed: 0) : try await survey([])
        try check(scripts.installed.filter { names.contains($0.name) }, in: found)
    }

    private func check(_ outdated: [ScriptSet.File], in found: FrameSurvey) throws {
        for file in scripts.installed where file.bytes.count > FrameFiles.fileLimit {
            throw ScriptError.fileTooLong(file.name, byteCount: file.bytes.count, limit: FrameFiles.fileLimit)
        }
        if let file = outdated.first(where: { found.entries[$0.name]?.isFolder == true }) { throw FrameError.folderInPlace(file.name) }
        try checkSpace(for: outdated, in: found)
    }

    func install(_ names: Set<String>, report: @Sendable (ScriptEvent) -> Void) async throws -> Int {
        let outdated = scripts.installed.filter { names.contains($0.name) }
        let found = try await survey()
        try check(outdated, in: found)
        try await removeLeftovers(in: found, except: outdated)
        var upload = Upload(total: outdated.reduce(0) { $0 + $1.bytes.count })
        for file in outdated {
            if !found.holds(file, as: file.copyName) { try await send(file, &upload, found, report) }
            upload.done += file.bytes.count
            report(.uploading(bytesDone: upload.done, bytesTotal: upload.total))
        }
        try await putInPlace(outdated)
        return upload.sent
    }

    private struct Upload {
        let total: Int
        var done = 0
        var sent = 0
    }

    private func survey(_ wanted: [String]? = nil) async throws -> FrameSurvey {
        let seed = Int64(bitPattern: SessionRandom.bits())
        let names = wanted ?? scripts.files.flatMap { [$0.name, $0.copyName] }
        return FrameSurvey(entries: try await console.insisting { try await files.survey(names, seed: seed) }, seed: seed)
    }

    private func removeLeftovers(in found: FrameSurvey, except files: [ScriptSet.File]) async throws {
        let wanted = Set(files.map { $0.copyName })
        for (name, entry) in found.entries where name.hasSuffix(ScriptSet.copySuffix) && !entry.isFolder && !wanted.contains(name) {
            try await self.files.remove(name)
        }
    }

    /// Old and new copies coexist for a while; noafw's own leftovers are removed first. The unit does not report its free space, so only
    /// what can never fit is refused.
    private func checkSpace(for outdated: [ScriptSet.File], in found: FrameSurvey) throws {
        let blocks = Self.blocks
        let kept = found.entries.filter { !$0.key.hasSuffix(ScriptSet.copySuffix) }
        let copies = outdated.map { ($0.copyName, $0.bytes.count) }
        let folder = blocks.count(ofFolder: kept.map { ($0.key, $0.value.byteCount) } + copies)
        let taken = kept.values.reduce(folder) { $0 + ($1.isFolder ? 2 : blocks.count(of: $1.byteCount)) }
        let needed = outdated.reduce(0) { $0 + blocks.count(of: $1.bytes.count) }
        let free = max(0, Self.blockCount - taken)
        guard needed <= free else {
            throw ScriptError.noSpace(needed: needed * blocks.size, free: free * blocks.size, removal: removal(in: found))
        }
    }

    /// A line for `noafw console` that removes the largest files and folders outside the set.
    private func removal(in found: FrameSurvey) -> String {
        let own = Set(scripts.files.flatMap { [$0.name, $0.copyName] })
        let others = found.entries.filter { !own.contains($0.key) }
        let largest = others.sorted { ($0.value.byteCount, $1.key) > ($1.value.byteCount, $0.key) }.prefix(8)
        return FrameFiles.removal(of: largest.map { ($0.key, $0.value.isFolder) })
    }

    /// Opening, closing and reading back a file takes two answers; two surveys and the renaming serve all files.
    var pace: ScriptPace {
        ScriptPace(
            roundTrip: console.repl.roundTrip / .seconds(1), pieceTrips: 1, pieceByteCount: Double(console.repl.callRoom - 20),
            fileTrips: 5, setTrips: 8, byteSeconds: Self.byteSeconds)
    }

    /// Writing a flash word takes 60 µs, erasing a page 85 ms; each byte is read back three times at 3 µs (frame-codebase,
    /// `flash.c`).
    private static let byteSeconds = 0.000_015 + 0.085 / 4096 + 0.000_009

    // MARK: - One file

    private func send(
        _ file: ScriptSet.File, _ upload: inout Upload, _ found: FrameSurvey, _ report: @Sendable (ScriptEvent) -> Void
    ) async throws {
        let name = file.copyName
        var start = found.begun(file, as: name)
        for _ in 0..<2 {
            upload.sent += file.bytes.count - start
            try await write(file, as: name, from: start, in: found) { [done = upload.done, total = upload.total] in
                report(.uploading(bytesDone: done + $0, bytesTotal: total))
            }
            if try await survey([name]).holds(file, as: name) { return }
            report(.notice("\(file.name) arrived damaged; sending it again"))
            start = 0
        }
        throw ScriptError.uploadFailed(file.name)
    }

    private func write(
        _ file: ScriptSet.File, as name: String, from start: Int, in found: FrameSurvey, progress: (Int) -> Void
    ) async throws {
        var end = start
        do {
            try await files.send(file.bytes, as: name, from: start) {
                end = $0
                progress($0)
            }
        } catch REPLError.lua(let exception) where exception.message.hasSuffix("error writing to file") {
            try? await files.close()
            for script in scripts.files { try? await files.remove(script.copyName) }
            if file.bytes.dropFirst(end).prefix(console.repl.callRoom).contains(0) { throw FrameError.zeroByte(file.name) }
            throw ScriptError.noSpace(needed: file.bytes.count, free: end, removal: removal(in: found))
        }
    }

    // MARK: - In place

    private func putInPlace(_ outdated: [ScriptSet.File]) async throws {
        let ready = try await survey()
        let complete = outdated.filter { ready.holds($0, as: $0.copyName) }
        if let main = outdated.first(where: { $0.name == scripts.family.mainName }) {
            if !complete.contains(main), !ready.holds(main, as: main.name) { throw ScriptError.verificationFailed(main.name) }
            if complete.contains(main), ready.entries[main.name] != nil { try await files.remove(main.name) }
        }
        try await files.putInPlace(complete.map(\.name))
        let placed = try await survey()
        for file in scripts.installed where !placed.holds(file, as: file.name) { throw ScriptError.verificationFailed(file.name) }
    }
}

/// A unit's content by seeded digests.
struct FrameSurvey: Sendable {
    let entries: [String: FrameFile]
    let seed: Int64

    func holds(_ file: ScriptSet.File, as name: String) -> Bool { entries[name] == expectation(of: file.bytes) }

    /// Correct bytes of a partly uploaded file.
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
