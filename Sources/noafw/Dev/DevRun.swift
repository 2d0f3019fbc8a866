import Bluetooth
import Foundation
import Provisioning
import REPL
import ScriptBundle
import Support
import Synchronization

/// A unit that follows a folder. A lost link begins it anew: what is the same is not sent.
struct DevRun: Sendable {
    private static let lookInterval = Duration.milliseconds(20)
    /// Looks that may each find something else.
    private static let restlessLimit = 25
    private static let program = Array("return require('main')".utf8)

    let context: CommandContext
    let folder: WatchedFolder
    private let memory = DevMemory()

    init(context: CommandContext, folder: WatchedFolder) { (self.context, self.folder) = (context, folder) }

    /// Grows with what was sent.
    var saves: Int { memory.state.withLock(\.saves) }

    func run(_ console: any ProgramConsole) async throws {
        var (change, snapshot) = try folder.look(after: [:])
        // What went while there was no link.
        change.removed = memory.state.withLock { $0.known.subtracting(snapshot.keys).sorted { $0.joined() < $1.joined() } }
        guard change.saved.contains(where: { $0.parts.count == 1 && $0.parts[0].hasPrefix("main.") }) else {
            throw ScriptError.mainMissing("main.py or main.lua", place: folder.path.name)
        }
        var isFirst = true
        while true {
            let begun = context.clock.now
            memory.state.withLock { [snapshot] in $0.known.formUnion(snapshot.keys) }
            let sent = try await send(change, isFirst: isFirst, console.files)
            let seconds = begun.duration(to: context.clock.now).inSeconds
            context.note("\(sent.isEmpty ? "nothing" : sent.joined(separator: ", ")) sent in \(Format.seconds(seconds)) s, not proved")
            isFirst = false
            (change, snapshot) = try await follow(console, snapshot)
            try await console.recover(isFresh: false)
        }
    }

    /// - Returns: the names of what was sent.
    private func send(_ change: WatchedFolder.Change, isFirst: Bool, _ files: any UnitFiles) async throws -> [String] {
        var sent: [String] = []
        for file in change.saved {
            let path = try UnitPath(file.parts.joined(separator: "/"))
            guard let bytes = try content(of: file) else { continue }
            if isFirst, try await files.holds(bytes, at: path) { continue }
            if memory.state.withLock({ !$0.folders.contains(path.parent) }) { try await files.makeFolders(path.parent) }
            try await files.write(bytes, to: path) { _ in }
            sent.append(path.text)
            memory.state.withLock { $0.note(path) }
        }
        for parts in change.removed {
            let path = try UnitPath(parts.joined(separator: "/"))
            memory.state.withLock { _ = $0.known.remove(parts) }
            guard try await files.find(path)?.isFolder == false else { continue }
            try await files.remove(path, isFolder: false)
            sent.append("removal of \(path.text)")
        }
        return sent
    }

    /// - Returns: `nil` for a file that went meanwhile: the next look finds that.
    private func content(of file: HostFile) throws -> [UInt8]? {
        do {
            return try InputFile.read(file.location, limit: HostFiles.fileLimit)
        } catch where HostFiles.kind(file.location) == nil {
            return nil
        }
    }

    /// Runs the program and shows what it says, until something is saved.
    private func follow(
        _ console: any ProgramConsole, _ snapshot: WatchedFolder.Snapshot
    ) async throws -> (WatchedFolder.Change, WatchedFolder.Snapshot) {
        switch ConsolePrompt(console) {
        case .python(let repl):
            try await console.startProgram()
            return try await beside({ try await show(repl) }, { try await awaitSave(after: snapshot) })
        case .lua(let repl):
            // At the prompt every print arrives, and the whole error.
            try await repl.forget()
            return try await beside({
                let error = try await repl.stream(Self.program, named: "main", arguments: [], forgetsGlobals: true) {
                    context.output.write(Self.text($0))
                }
                if let error { show(error: error) }
                context.note("the program has ended; save a file to run it again")
            }, { try await awaitSave(after: snapshot) })
        case nil: throw ProvisioningError.noConsole(FamilyID("unit"))
        }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        var filter = TerminalFilter()
        return filter.show(bytes)
    }

    private func show(_ repl: PythonREPL) async throws {
        var reader = ConsoleReader()
        while let bytes = try await repl.nextOutput(before: repl.clock.deadline(in: .forever)) {
            for event in reader.receive(bytes) {
                switch event {
                case .line(let line): context.output.writeLine(UntrustedText.escape(line, limit: 1000))
                case .raised: continue
                case .ended: context.note("the program has ended; save a file to run it again")
                }
            }
        }
    }

    private func show(error: String) {
        for line in error.split(separator: "\n") { context.output.writeLine(UntrustedText.escape(String(line), limit: 1000)) }
    }

    private func awaitSave(
        after snapshot: WatchedFolder.Snapshot
    ) async throws -> (WatchedFolder.Change, WatchedFolder.Snapshot) {
        var last: WatchedFolder.Snapshot?
        var restless = 0
        var pause = Self.lookInterval
        while true {
            try await context.clock.sleep(until: context.clock.deadline(in: pause))
            let begun = context.clock.now
            let found = try? folder.look(after: snapshot)
            // Many files take their time.
            pause = max(Self.lookInterval, begun.duration(to: context.clock.now) * 4)
            // A folder that is being replaced may be away for a moment.
            guard let (change, now) = found, !change.isEmpty else { continue }
            // An editor may be in the middle of its save.
            restless += 1
            if now == last || restless > Self.restlessLimit { return (change, now) }
            last = now
        }
    }
}

/// What outlives a lost link.
private final class DevMemory: Sendable {
    struct State {
        var saves = 0
        /// Files that were in the folder, and may be on the unit.
        var known: Set<[String]> = []
        /// On the unit.
        var folders: Set<UnitPath> = [.root]

        mutating func note(_ path: UnitPath) {
            saves += 1
            folders.insert(path.parent)
        }
    }

    let state = Mutex(State())
}
