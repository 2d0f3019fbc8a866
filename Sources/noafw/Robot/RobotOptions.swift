import ArgumentParser
import Support

/// A time such as `2s`, `500ms` or `1.5` (seconds).
struct SpanOfTime: ExpressibleByArgument, Sendable, Hashable {
    static let most = 3600.0

    let seconds: Double

    init(seconds: Double) { self.seconds = seconds }

    init?(argument: String) {
        let isMilliseconds = argument.hasSuffix("ms")
        let digits = isMilliseconds ? argument.dropLast(2) : argument.hasSuffix("s") ? argument.dropLast() : argument[...]
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber || $0 == "." }), let number = Double(digits), number >= 0.001 else {
            return nil
        }
        seconds = isMilliseconds ? number / 1000 : number
        guard seconds <= Self.most else { return nil }
    }

    var duration: Duration { .seconds(seconds) }
    var defaultValueDescription: String { "\(Format.plain(seconds))s" }
}

/// For the verbs that end with one result.
struct RobotOutputOptions: ParsableArguments, Sendable {
    @Flag(help: "Print one JSON document on standard output (schema noafw.robot/1).")
    var json = false
}

/// Where readings go besides the screen.
struct RobotLogOptions: ParsableArguments, FileNaming, Sendable {
    @Option(
        help: ArgumentHelp(
            "Write OpenBot's log files (sensor_data) into this folder, for its training scripts. Existing files are replaced.",
            valueName: "folder"),
        completion: .directory)
    var log: OutputName?

    @Option(help: ArgumentHelp("Write every reading to this CSV file.", valueName: "file"), completion: .file(extensions: ["csv"]))
    var csv: OutputName?

    func uses(in context: CommandContext) -> [FileUse] {
        let logs = log.map { RobotLogs.files(in: RobotLogs.folder($0, context)) } ?? []
        return (log?.uses(in: context) ?? []) + logs.map { .written($0) } + (csv?.uses(in: context) ?? [])
    }
}
