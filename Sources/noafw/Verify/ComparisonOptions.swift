import ArgumentParser
import Foundation
import Ledger

/// What units are compared with beside the catalogue, and where the results go.
struct ComparisonOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp("Expect the versions and digests of this release bundle.", valueName: "bundle"),
        completion: .file(extensions: ["zip"]))
    var expect: InputName?

    @Option(
        help: ArgumentHelp("Expect each unit to be as it was in this document of an earlier verify --json.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var baseline: InputName?

    @Option(
        help: ArgumentHelp(
            "Accept the deviations that this file allows. Each line is CSV: unit, part, allowed value, reason, last day. Unit and "
                + "value may hold * and ?.",
            valueName: "file"),
        completion: .file(extensions: ["csv"]))
    var allow: InputName?

    @Option(
        help: ArgumentHelp("Write a row for each part of each unit as CSV; - is standard output.", valueName: "file"), completion: .file())
    var csv: ResultName?

    @Flag(help: "With --csv: a byte order mark, and an apostrophe before texts that Excel would turn into numbers or dates.")
    var excel = false

    @Option(
        help: ArgumentHelp("Write a case for each part of each unit as JUnit XML; - is standard output.", valueName: "file"),
        completion: .file())
    var junit: ResultName?

    var isGiven: Bool { expect != nil || baseline != nil || allow != nil || csv != nil || junit != nil }
    var isOutputTaken: Bool { [csv, junit].contains { $0?.isStandardOutput == true } }

    func check(_ report: ReportOptions, _ inputs: InputOptions) throws {
        let toOutput = [csv, junit, report.events].count { $0?.isStandardOutput == true } + (report.json ? 1 : 0)
        if toOutput > 1 { throw ValidationError("Only one of --json, --csv, --junit and --events can take standard output.") }
        if excel, csv == nil { throw ValidationError("--excel belongs to --csv.") }
        if expect != nil, inputs.bundle != nil { throw ValidationError("Give either --expect or --bundle, not both.") }
        if expect != nil, inputs.namesFiles { throw ValidationError("--expect names all files: \(InputOptions.left)") }
    }

    /// - Throws: ``ComparisonError``, and what is wrong with reading the files.
    func read(into comparison: inout Comparison, in context: CommandContext) throws {
        comparison.today = UTCTime(context.date()).day
        comparison.baseline = try baseline.map { try Baseline.read(context.path($0)) }
        comparison.allowed = try allow.map { try AllowList.read(context.path($0)) }
    }

    /// - Throws: ``CommandError`` before a unit is looked for, where a result cannot be written.
    func checkOutputs(in context: CommandContext) throws {
        for case let output? in [csv, junit] where !output.isStandardOutput { try OutputFile.checkPlace(context.path(output)) }
    }
}
