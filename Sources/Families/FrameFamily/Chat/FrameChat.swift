import Assistant
import Bluetooth
import REPL
import Support

extension ChatSupport {
    public static let frame = ChatSupport(makeRelay: { frameRelay() }, makeStarter: FrameConsole.chatStarter)

    package static func frameRelay(recording: RecordingLimits = RecordingLimits()) -> any AppRelay { FrameRelay(recording: recording) }
}

extension FrameConsole {
    /// One value that Lua's `tostring` shows: three lines.
    private static let chatQuestion =
        "return frame.FIRMWARE_VERSION..'\\n'..math.floor(frame.battery_level())..'\\n'..tostring(ARGPT_VERSION or '')"

    /// Asks the unit what it is, then restarts its Lua, which runs `main.lua`.
    static func chatStarter(clock: SessionClock) -> ProgramStarter {
        let (prompt, answer) = (Duration.seconds(30), Duration.seconds(5))
        return { connection, willStart in
            let repl = try await LuaREPL.attach(to: connection, clock: clock, within: prompt)
            do {
                let lines = try await repl.runText(chatQuestion, within: answer)
                willStart()
                try await repl.reset(within: answer)
                await repl.close()
                return StartedProgram(status: UnitStatus(answer: lines.utf8))
            } catch {
                await repl.putBack()
                await repl.close()
                throw error
            }
        }
    }
}
