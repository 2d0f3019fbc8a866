import Assistant
import Bluetooth
import REPL
import Support

extension ChatSupport {
    public static let monocle = ChatSupport(makeRelay: { MonocleRelay() }, makeStarter: MonocleConsole.chatStarter)
}

extension MonocleConsole {
    static let chatQuestion = "import device;print(device.VERSION);print(device.battery_level());print(globals().get('ARGPT_VERSION',''))"

    /// Asks the unit what it is, then restarts its Python, which runs `main.py`.
    static func chatStarter(clock: SessionClock) -> ProgramStarter {
        let (prompt, answer) = (Duration.seconds(15), Duration.seconds(5))
        return { connection, willStart in
            try await PythonREPL.visit(connection, clock: clock, within: prompt) { repl in
                let lines = try await repl.insisting(within: prompt) { try await repl.run(PythonCode(chatQuestion), within: answer) }
                willStart()
                _ = try await repl.insisting(within: prompt) { try await repl.start(within: answer) }
                return StartedProgram(status: UnitStatus(answer: lines), printed: repl.takePrinted())
            }
        }
    }
}
