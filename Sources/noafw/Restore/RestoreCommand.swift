import ArgumentParser
import Bluetooth
import Provisioning
import REPL
import ScriptBundle
import Support
import Synchronization

/// `noafw restore`
struct RestoreCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Put files back on a unit that a run has kept.",
        discussion: """
            Before noafw flash erases or replaces files that belong to no release, it keeps them in the state folder, by unit and time. \
            This puts the last ones back, or those of TIME, and verifies them. What they replace is kept, too: the next restore brings \
            that back.

            Examples:
              noafw restore --list
              noafw restore
              noafw restore 20261125T091500Z --device D3:5A:00:11:22:33
              noafw restore --virtual frame

            Exit codes: 0 every file is back, 66 nothing is kept, others as in noafw flash.
            """)

    @OptionGroup(title: "Unit") var unit: UnitOptions
    @OptionGroup var limit: TimeLimit

    @Argument(help: ArgumentHelp("A time, as --list shows it. The default is the last one of the unit.", valueName: "time"))
    var time: String?

    @Flag(help: "Print what is kept, of all units. Use no unit.")
    var list = false

    @Flag(name: .customLong("no-keep"), help: "Do not keep what is replaced.")
    var noKeep = false

    func run(in context: CommandContext) async -> Int32 {
        if list { return await showList(context) }
        return await OwnerRun(context: context, unit: unit, limit: limit, verb: "restore").run { unit in
            let restoring = try Restoring(kept: KeptFiles(context), time: time, unit: unit, isKeeping: !noKeep)
            let visit = try UnitVisit(family: unit.family, central: unit.central, address: unit.address, notice: context.note)
            let lines = try await visit.run(progress: { restoring.advances }) { try await restoring.run($0, notice: context.note) }
            for line in lines { context.output.writeLine(line) }
            return OwnerVerdict()
        }
    }

    private func showList(_ context: CommandContext) async -> Int32 {
        await OfflineCommand(context: context, isJSON: false).run { style in
            var table = TextTable([.init("time"), .init("unit"), .init("family"), .init("files", .right), .init("names", leftOut: 1)])
            let all = try KeptFiles(context).all()
            for kept in all {
                let names = kept.manifest.files.map(\.path)
                table.append([
                    kept.name, UntrustedText.escape(kept.manifest.unit), UntrustedText.escape(kept.manifest.family), "\(names.count)",
                    UntrustedText.escape(Diagnosis.list(names)),
                ])
            }
            return OfflineCommand.Result(lines: all.isEmpty ? ["nothing is kept"] : table.lines(style: style) { _ in nil })
        }
    }
}

/// Puts one set of kept files back. A second pass finds back what the first one has put there.
final class Restoring: Sendable {
    private let kept: KeptFiles
    private let chosen: Kept
    private let files: [KeptFile]
    private let family: FamilyID
    private let address: DeviceAddress
    private let isKeeping: Bool
    private let state = Mutex<(advances: Int, keeps: Set<UnitPath>)>((0, []))

    init(kept: KeptFiles, time: String?, unit: StationUnit, isKeeping: Bool) throws {
        let all = kept.all(of: unit.address)
        guard let last = all.first else { throw KeptFilesError.none(unit: "\(unit.address)") }
        guard let chosen = time.map({ time in all.first { $0.name == time } }) ?? last else {
            throw KeptFilesError.noSuchTime(time ?? "", has: all.map(\.name))
        }
        guard chosen.manifest.family == unit.family.id.rawValue else {
            throw KeptFilesError.otherFamily(unit.family.id.rawValue, kept: PrintableText.ascii(chosen.manifest.family))
        }
        (self.kept, self.chosen, files) = (kept, chosen, try kept.files(of: chosen))
        (family, address, self.isKeeping) = (unit.family.id, unit.address, isKeeping)
    }

    var advances: Int { state.withLock(\.advances) }

    func run(_ console: any ProgramConsole, notice: (String) -> Void) async throws -> [String] {
        let unit = console.files
        var (old, due): ([KeptFile], [KeptFile]) = ([], [])
        for file in files {
            let there = try await unit.find(file.path)
            guard there?.isFolder != true else { throw UnitFileError.isFolder("\(file.path)") }
            if there?.byteCount == file.bytes.count, try await unit.holds(file.bytes, at: file.path) { continue }
            due.append(file)
            guard let there, !state.withLock({ $0.keeps.contains(file.path) }) else { continue }
            old.append(KeptFile(path: file.path, bytes: try await unit.read(file.path, byteCount: there.byteCount) { _ in step() }))
        }
        if isKeeping, !old.isEmpty {
            let place = try kept.keep(old, of: UnitIdentity(address: address, name: family.rawValue), family)
            notice("what is replaced is kept in \(place)")
        }
        state.withLock { $0.keeps.formUnion(due.map(\.path)) }
        for file in due {
            try await unit.makeFolders(file.path.parent)
            try await unit.write(file.bytes, to: file.path) { _ in step() }
        }
        try kept.settle(chosen)
        return files.map { "\($0.path) is back" } + ["\(Format.count(files.count, "file")) of \(chosen.name) verified"]
    }

    private func step() { state.withLock { $0.advances += 1 } }
}
