import Bluetooth
import REPL
import Support

/// The Frame's scripts as they are: asks the unit what it is, then restarts its Lua so that `main.lua` runs.
public enum FrameProgram {
    /// One value that Lua's `tostring` shows: three lines.
    static let question =
        "return frame.FIRMWARE_VERSION..'\\n'..math.floor(frame.battery_level())..'\\n'..tostring(ARGPT_VERSION or '')"

    private static let promptTimeout = Duration.seconds(30)
    private static let answerTimeout = Duration.seconds(5)

    /// Starts the program without checking its version; a verb that verifies gives a closure of its own.
    public static func restart(clock: SessionClock) -> ProgramStarter {
        { connection, _, willStart in
            let repl = try await LuaREPL.attach(to: connection, clock: clock, within: promptTimeout)
            do {
                let answer = try await repl.runText(question, within: answerTimeout)
                willStart()
                try await repl.reset(within: answerTimeout)
                await repl.close()
                return StartedProgram(status: status(in: answer))
            } catch {
                // Its program goes on, whatever it has said.
                try? await repl.reset(within: answerTimeout)
                await repl.close()
                throw error
            }
        }
    }

    static func status(in answer: String) -> UnitStatus {
        let lines = answer.split(separator: "\n", omittingEmptySubsequences: false).prefix(3).map { String($0.prefix(200)) }
        func line(_ index: Int) -> String? { index < lines.count && !lines[index].isEmpty ? lines[index] : nil }
        let battery = line(1).flatMap { Int($0) }.flatMap { (0...100).contains($0) ? $0 : nil }
        return UnitStatus(batteryPercent: battery, firmware: line(0), scripts: line(2))
    }
}
