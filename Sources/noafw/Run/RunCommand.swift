import ArgumentParser
import Foundation
import Provisioning
import ScriptBundle
import Support

/// `noafw run`
struct RunCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a file of this machine on a unit, without storing it there.",
        discussion: """
            The unit's program is interrupted, the file runs in a fresh interpreter, and what it prints comes as it is printed. \
            Afterwards the unit's program starts again. An exception is shown whole, with the file's name and line where the firmware \
            tells lines (a Frame does; a Monocle's firmware is built without). Words behind the file are sys.argv or Lua's ... there.

            Examples:
              noafw run blink.py
              noafw run test.lua --family frame
              noafw run measure.py 10 fast
              noafw run server.py --follow
              noafw run hello.py --virtual monocle

            Exit codes: 0 it ran to its end, 1 it raised an exception, others as in noafw flash.
            """)

    @OptionGroup(title: "Unit") var unit: UnitOptions
    @OptionGroup var limit: TimeLimit

    @Argument(help: "The file.", completion: .file(extensions: ["py", "lua"]))
    var file: InputName

    @Argument(help: ArgumentHelp("What the file gets as its arguments.", valueName: "argument"))
    var arguments: [String] = []

    @Flag(help: "Go on showing what callbacks print after its end, until Ctrl-C.")
    var follow = false

    @Flag(help: "Leave the unit at its prompt; do not start its program again.")
    var stay = false

    func run(in context: CommandContext) async -> Int32 {
        let path = context.path(file)
        let runner = CodeRunner(context: context)
        return await OwnerRun(context: context, unit: unit, limit: limit, verb: "run", leavesProgram: stay, isRepeatable: false).run {
            [arguments, follow] console in
            let bytes = try InputFile.read(path, limit: LuaScript.limit)
            try await console.recover(isFresh: true)
            let name = URL(fileURLWithPath: path.location).lastPathComponent
            let passed = try await runner.run(UnitCode(bytes: bytes, name: name, arguments: arguments), on: console)
            if passed, follow { try await runner.follow(console) }
            return passed
        } conclude: { $0 }
    }
}

/// `noafw exec`
struct ExecCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "exec",
        abstract: "Run a line of code on a unit.",
        discussion: """
            The unit's program is interrupted and starts again afterwards. \\n in the code is a line end.

            Examples:
              noafw exec "import device; print(device.VERSION)"
              noafw exec "print(frame.battery_level())" --family frame

            Exit codes: 0 it ran to its end, 1 it raised an exception, others as in noafw flash.
            """)

    @OptionGroup(title: "Unit") var unit: UnitOptions
    @OptionGroup var limit: TimeLimit

    @Argument(help: "The code.")
    var code: String

    @Flag(help: "Leave the unit at its prompt; do not start its program again.")
    var stay = false

    func run(in context: CommandContext) async -> Int32 {
        let runner = CodeRunner(context: context)
        let text = code.replacing("\\n", with: "\n")
        let owner = OwnerRun(context: context, unit: unit, limit: limit, verb: "exec", leavesProgram: stay, isRepeatable: false)
        return await owner.run { console in
            try await runner.run(UnitCode(bytes: Array(text.utf8), name: "exec"), on: console)
        } conclude: { $0 }
    }
}

enum LuaScript {
    /// Bytes of a file that is read to be run.
    static let limit = 1 << 20
}
