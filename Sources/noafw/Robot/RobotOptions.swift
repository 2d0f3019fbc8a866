import ArgumentParser

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
