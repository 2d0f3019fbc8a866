import ArgumentParser
import Bluetooth
import Provisioning
import Support

/// `noafw reset`
struct ResetCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Restart a unit's program, or the unit.",
        discussion: """
            Without an option the interpreter starts anew and runs the unit's program. --hard restarts the chip of a Monocle; a Frame can \
            be restarted only by hand. --safe restarts without the program: it stays out until the next restart.

            Examples:
              noafw reset
              noafw reset --hard --nearest
              noafw reset --safe --virtual monocle
            """)

    @OptionGroup(title: "Unit") var unit: UnitOptions
    @OptionGroup var limit: TimeLimit

    @Flag(help: "Restart the chip.")
    var hard = false

    @Flag(help: "Restart without the unit's program.")
    var safe = false

    private static let timeout = Duration.seconds(20)

    func validate() throws {
        if hard, safe { throw ValidationError("Give either --hard or --safe.") }
    }

    func run(in context: CommandContext) async -> Int32 {
        let owner = OwnerRun(context: context, unit: unit, limit: limit, verb: "reset", leavesProgram: hard)
        if safe { return await owner.run { try await Self.leaveOut($0, context) } }
        return await owner.run { [hard] console in
            if hard { try await console.reboot(into: .application) }
        } conclude: { [hard] _ in
            context.output.writeLine(hard ? "the unit restarts" : "the unit's program was started again")
            return true
        }
    }

    private static func leaveOut(_ unit: StationUnit, _ context: CommandContext) async throws -> OwnerVerdict {
        guard let rules = unit.family.provisioning, let restart = rules.restartWithoutProgram else {
            throw CommandError.unsupported("reset --safe", family: unit.family.id)
        }
        let clock = unit.central.clock
        let connection = try await rules.connect(to: unit.address, over: unit.central, deadline: clock.deadline(in: timeout))
        do {
            try await restart(connection, clock, RestoreGuard())
            await connection.disconnect()
        } catch {
            await connection.disconnect()
            throw error
        }
        context.output.writeLine("the unit restarts without its program")
        return OwnerVerdict()
    }
}
