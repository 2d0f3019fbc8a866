import ArgumentParser
import Provisioning
import ScriptBundle
import Support

/// `noafw lint`
struct LintCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Show all mistakes in a folder of scripts, with file and line.",
        discussion: """
            Checks what noafw bundle would: the manifest and its digests, names, sizes, the main script, and the syntax of every \
            script. noafw bundle ends at the first mistake. A compiler tells the first mistake of a script alone.

            Examples:
              noafw lint Scripts/monocle
              noafw lint my-scripts --family frame --json

            Exit codes: 0 no mistake, 65 mistakes, 66 missing input, 74 a checker failed.
            """)

    @Argument(help: "The folder of scripts.", completion: .directory)
    var folder: InputName

    @Option(help: "The glasses that the scripts are for. The default comes from the manifest, main.py or main.lua.")
    var family: FamilyName?

    @Flag(help: "Do not compile the scripts.")
    var noCheck = false

    @OptionGroup var voice: QuietOption

    @Flag(help: "Print one JSON document on standard output (schema noafw.lint/1).")
    var json = false

    func run(in context: CommandContext) async -> Int32 {
        let name = folder.name
        let verb = OfflineCommand(context: context, isJSON: json, isQuiet: voice.quiet)
        return await verb.run(failure: { LintDocument(LintReport(folder: name), error: $0) }) { style in
            let report = try report(in: context)
            let error = report.errors > 0 ? CommandError.badScripts(folder: name, count: report.errors).diagnosis : nil
            return OfflineCommand.Result(lines: report.lines(style), document: LintDocument(report, error: error), error: error)
        }
    }

    private func report(in context: CommandContext) throws -> LintReport {
        var report = LintReport(folder: folder.name)
        let location = context.path(folder).location
        let place = ScriptFolder(location)
        let given = family?.family?.provisioning?.scripts
        var declaration: ScriptDeclaration?
        do {
            declaration = try ScriptDeclaration(folder: location, family: given, among: FamilyList.supported.scripts)
        } catch {
            report.add(error, file: "manifest.json")
        }
        let language = try given ?? declaration?.family ?? place.family(among: FamilyList.supported.scripts)
        report.family = language.name
        let found = try place.looseScripts(of: language)
        for (name, error) in found.unreadable { report.add(error, file: name) }
        let names = declaration?.names ?? found.files.map(\.name)
        let there = Set(found.files.map(\.name) + found.unreadable.map(\.name))
        for name in names where !there.contains(name) {
            report.add(ScriptError.fileMissing(name), file: "manifest.json")
        }
        let files = found.files.filter { names.contains($0.name) }
        report.files = files.count
        if !noCheck, !files.isEmpty {
            let tool = language.syntax
            let mistakes = try SyntaxChecker(tool, path: CheckerSearch(search: context.assetSearch(nil)).find(tool)).mistakes(in: files)
            report.remarks += mistakes.map {
                .init(file: $0.file, line: $0.line, kind: .error, code: diagnose(BundleError.syntax($0)).code, message: $0.says)
            }
        }
        try examineSet(names.compactMap { name in files.first { $0.name == name } }, language, declaration, &report)
        report.remarks += found.files.filter { !names.contains($0.name) }.map {
            .init(file: $0.name, kind: .warning, message: "manifest.json does not list it: it is left out")
        }
        return report
    }

    /// What concerns the set: its main script, order, sizes and digests.
    private func examineSet(
        _ files: [ScriptSet.File], _ language: ScriptFamily, _ declaration: ScriptDeclaration?, _ report: inout LintReport
    ) throws {
        do {
            let set = try ScriptSet(
                files: files, family: language, order: declaration == nil ? .app : .declared, limits: .bundle, place: folder.name)
            report.remarks += set.warnings.map { .init(kind: .warning, message: $0) }
        } catch {
            report.add(error)
        }
        for (name, error) in declaration?.changed(files) ?? [] {
            let message = "its SHA-256 is not that of manifest.json: run noafw assets refresh"
            report.remarks.append(.init(file: name, kind: .error, code: diagnose(error).code, message: message))
        }
    }
}
