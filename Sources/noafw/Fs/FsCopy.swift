import Foundation
import Glibc
import Provisioning
import ScriptBundle
import Support
import Synchronization

/// What `fs cp` has done so far, over all its passes.
final class CopyTally: Sendable {
    private struct State {
        var copied: [String: Int] = [:]
        var same: Set<String> = []
        var told: Set<String> = []
        var advances = 0
    }

    private let state = Mutex(State())

    /// Grows with every piece of a file.
    var advances: Int { state.withLock(\.advances) }
    func advance() { state.withLock { $0.advances += 1 } }

    /// - Returns: whether it is news.
    func copied(_ name: String, byteCount: Int) -> Bool {
        state.withLock { state in
            state.advances += 1
            state.copied[name] = byteCount
            return state.told.insert(name).inserted
        }
    }

    /// In an earlier pass: even what is to be sent anyway is sent once.
    func isCopied(_ name: String) -> Bool { state.withLock { $0.copied[name] != nil } }

    func same(_ name: String) { state.withLock { if $0.copied[name] == nil { $0.same.insert(name) } } }

    var line: String {
        state.withLock { state in
            let byteCount = state.copied.values.reduce(0, +)
            let same = state.same.isEmpty ? "" : ", \(state.same.count) the same already"
            return "\(Format.count(state.copied.count, "file")) copied (\(Format.bytes(byteCount)) bytes)\(same)"
        }
    }
}

/// One run of `fs cp`. A second pass finds the same what the first one copied.
struct FsCopy: Sendable {
    let context: CommandContext
    let places: [CopyName]
    let isRecursive: Bool
    let isForced: Bool
    let isQuiet: Bool
    let tally = CopyTally()

    func run(on files: any UnitFiles) async throws {
        guard let target = places.last else { return }
        let sources = places.dropLast()
        switch target.side {
        case .unit(let path):
            let isFolder = try await files.find(path)?.isFolder == true || target.endsInSlash || sources.count > 1
            for source in sources { try await put(source, at: path, isFolder: isFolder, files) }
        case .host(let name):
            let path = context.path(name)
            let isFolder = HostFiles.kind(path) == S_IFDIR || target.endsInSlash || sources.count > 1
            if isFolder { try HostFiles.makeFolder(path) }
            for case .unit(let source) in sources.map(\.side) {
                let isWhole = sources.contains { $0.side == .unit(source) && $0.endsInSlash } || source.isRoot
                try await fetch(source, to: isFolder && !isWhole ? path.appending(source.name) : path, files)
            }
        }
    }

    private func tell(_ name: String, _ target: String, byteCount: Int) {
        guard tally.copied(name, byteCount: byteCount), !isQuiet else { return }
        context.output.writeLine("\(UntrustedText.escape(name)) -> \(UntrustedText.escape(target))")
    }

    // MARK: - To the unit

    private func put(_ source: CopyName, at target: UnitPath, isFolder: Bool, _ files: any UnitFiles) async throws {
        func place(_ name: String) throws -> UnitPath {
            guard isFolder, !source.endsInSlash else { return target }
            guard let path = target.appending(name) else { throw UnitFileError.nameUnsafe(PrintableText.name(name.utf8)) }
            return path
        }
        switch source.side {
        case .host(let name):
            let path = context.path(name)
            let found = try HostFiles.tree(path)
            guard found[0].isFolder == false || isRecursive else { throw UnitFileError.isFolder(name) }
            let base = try place(URL(fileURLWithPath: path.location).standardizedFileURL.lastPathComponent)
            for file in found { try await put(file, below: base, files) }
        case .unit(let path):
            guard let there = try await files.find(path) else { throw UnitFileError.missing("\(path)") }
            guard !there.isFolder || isRecursive else { throw UnitFileError.isFolder("\(path)") }
            let base = try place(path.name)
            guard !there.isFolder || path != base && !path.contains(base) else { throw UnitFileError.isFolder("\(base)") }
            for file in [there] + (there.isFolder ? try await files.tree(path) : []) {
                let inner = try file.usablePath
                let place = try inner.parts.dropFirst(path.parts.count).reduce(base) { try $0.inside($1) }
                if file.isFolder { try await files.makeFolders(place); continue }
                let bytes = try await files.read(inner, byteCount: file.byteCount) { _ in tally.advance() }
                try await send(bytes, "\(inner)", to: place, files)
            }
        }
    }

    private func put(_ file: HostFile, below base: UnitPath, _ files: any UnitFiles) async throws {
        let place = try file.parts.reduce(base) { try $0.inside($1) }
        if file.isFolder {
            try await files.makeFolders(place)
        } else {
            try await send(try InputFile.read(file.location, limit: HostFiles.fileLimit), file.location.name, to: place, files)
        }
    }

    private func send(_ bytes: [UInt8], _ name: String, to place: UnitPath, _ files: any UnitFiles) async throws {
        let there = try await files.find(place)
        if there?.isFolder == true { throw UnitFileError.isFolder("\(place)") }
        if !isForced || tally.isCopied(name), there?.byteCount == bytes.count, try await files.holds(bytes, at: place) {
            return tally.same(name)
        }
        if there == nil { try await files.makeFolders(place.parent) }
        try await files.write(bytes, to: place) { _ in tally.advance() }
        tell(name, "\(place)", byteCount: bytes.count)
    }

    // MARK: - From the unit

    private func fetch(_ source: UnitPath, to target: NamedPath, _ files: any UnitFiles) async throws {
        guard let there = try await files.find(source) else { throw UnitFileError.missing("\(source)") }
        guard there.isFolder else { return try await fetch(there, to: target, files) }
        guard isRecursive else { throw UnitFileError.isFolder("\(source)") }
        try HostFiles.makeFolder(target)
        for file in try await files.tree(source) {
            let parts = try file.usablePath.parts.dropFirst(source.parts.count)
            try await fetch(file, to: parts.reduce(target) { $0.appending($1) }, files)
        }
    }

    private func fetch(_ file: UnitFile, to target: NamedPath, _ files: any UnitFiles) async throws {
        if file.isFolder { return try HostFiles.makeFolder(target) }
        let source = try file.usablePath
        guard !OwnFiles.all(in: context).contains(where: FilePlace(target.location).isWithin) else {
            throw CommandError.outputIsOwn(path: target.name)
        }
        if !isForced || tally.isCopied("\(source)"), HostFiles.kind(target) == S_IFREG,
            let bytes = try? InputFile.read(target, limit: HostFiles.fileLimit), bytes.count == file.byteCount,
            try await files.holds(bytes, at: source) {
            return tally.same("\(source)")
        }
        let bytes = try await files.read(source, byteCount: file.byteCount) { _ in tally.advance() }
        try OutputFile.replace(OutputPlace(target), with: bytes)
        tell("\(source)", target.name, byteCount: bytes.count)
    }
}

extension UnitPath {
    /// - Throws: ``UnitFileError/nameUnsafe(_:)``.
    fileprivate func inside(_ name: String) throws(UnitFileError) -> UnitPath {
        guard let path = appending(name) else { throw .nameUnsafe(PrintableText.name(name.utf8)) }
        return path
    }
}
