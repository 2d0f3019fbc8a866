import Bluetooth
import REPL
import Support

/// The Monocle's scripts as they are: asks the unit what it is, then restarts its Python so that `main.py` runs.
public enum MonocleProgram {
    static let question =
        "import device;print(device.VERSION);print(device.battery_level());print(globals().get('ARGPT_VERSION',''))"

    private static let promptTimeout = Duration.seconds(15)
    private static let answerTimeout = Duration.seconds(5)

    /// Starts the program without checking its version; a verb that verifies gives a closure of its own.
    public static func restart(clock: SessionClock) -> ProgramStarter {
        { connection, _, willStart in
            try await PythonREPL.visit(connection, clock: clock, within: promptTimeout) { repl in
                let answer = try await repl.insisting(within: promptTimeout) {
                    try await repl.run(PythonCode(question), within: answerTimeout)
                }
                willStart()
                _ = try await repl.insisting(within: promptTimeout) { try await repl.start(within: answerTimeout) }
                return StartedProgram(status: status(in: answer), printed: repl.takePrinted())
            }
        }
    }

    private static func status(in answer: [UInt8]) -> UnitStatus {
        let lines = PrintableText.of(answer.prefix(1000), keepingLines: true)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        func line(_ index: Int) -> String? { index < lines.count && !lines[index].isEmpty ? lines[index] : nil }
        let battery = line(1).flatMap { Int($0) }.flatMap { (0...100).contains($0) ? $0 : nil }
        return UnitStatus(batteryPercent: battery, firmware: line(0), scripts: line(2))
    }
}
