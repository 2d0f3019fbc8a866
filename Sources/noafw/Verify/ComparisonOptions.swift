import ArgumentParser
import Foundation
import Ledger

/// What units are compared with beside the catalogue, and where the results go.
struct ComparisonOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp("Expect the versions and digests of this release bundle.", valueName: "bundle"), completion: .file(extensions: ["zip"]))
    var expect: String?

    @Option(
        help: ArgumentHelp("Expect each unit to be as it was in this document of an earlier verify --json.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var baseline: String?

    @Option(
        help: ArgumentHelp(
            "Accept the deviations that this file allows. Each line is CSV: unit or pattern, part, allowed value, reason, last day.", valueName: "file"),
        completion: .file(extensions: ["csv"]))
    var allow: String?

    @Option(help: ArgumentHelp("Write a row for each part of each unit as CSV; - is standard output.", valueName: "file"), completion: .file())
    var csv: String?

    @Flag(help: "With --csv: a byte order mark, and an apostrophe before texts that Excel would turn into numbers or dates.")
    var excel = false

    @Option(help: ArgumentHelp("Write a case for each part of each unit as JUnit XML; - is standard output.", valueName: "file"), completion: .file())
    var junit: String?

    var isGiven: Bool { [expect, baseline, allow, csv, junit].contains { $0 != nil } }
    var isOutputTaken: Bool { csv == "-" || junit == "-" }

    func check(_ report: ReportOptions, bundle: String?) throws {
        let toOutput = [csv == "-", junit == "-", report.json, report.events == "-"].count { $0 }
        if toOutput > 1 { throw ValidationError("Only one of --json, --csv, --junit and --events can take standard output.") }
        let files = [csv, junit, report.events].compactMap(\.self).filter { $0 != "-" }
        if Set(files).count < files.count { throw ValidationError("--csv, --junit and --events name one file twice: give each its own.") }
        if excel, csv == nil { throw ValidationError("--excel belongs to --csv.") }
        if expect != nil, bundle != nil { throw ValidationError("Give either --expect or --bundle, not both.") }
    }

    /// - Throws: ``ComparisonError``, and what is wrong with reading the files.
    func value(in context: CommandContext, isDeep: Bool) throws -> Comparison {
        let now = UTCTime(microseconds: Int64(context.date().timeIntervalSince1970 * 1_000_000))
        return Comparison(
            baseline: try baseline.map { try Baseline.read(context.path($0)) }, allowed: try allow.map { try AllowList.read(context.path($0)) },
            isDeep: isDeep, today: now.day)
    }

    /// - Parameter inputs: the other files of the command line.
    /// - Throws: ``CommandError`` before a unit is looked for, where a result would replace an input or cannot be written.
    func checkOutputs(in context: CommandContext, inputs: [String?]) throws {
        for output in [csv, junit] {
            guard let output, output != "-" else { continue }
            let others = (inputs + [expect, baseline, allow, output == csv ? junit : nil]).map { $0.map(context.path) }
            try OutputGuard.check(context.path(output), inputs: others)
            try OutputFile.checkPlace(context.path(output))
        }
    }
}
