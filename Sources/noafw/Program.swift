import Bluetooth
import Foundation
import Glibc

@main
enum Program {
    static func main() async {
        let interrupts = Interrupts()
        SignalWatch.start(interrupts)
        let output = FileSink(STDOUT_FILENO)
        let context = CommandContext(
            arguments: Array(CommandLine.arguments.dropFirst()),
            environment: ProcessInfo.processInfo.environment,
            currentDirectory: FileManager.default.currentDirectoryPath,
            executable: try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            output: output.sink,
            diagnostics: FileSink(STDERR_FILENO).sink,
            clock: .continuous,
            interrupts: interrupts,
            runner: ComposedRunner(),
            input: FileSource.source(STDIN_FILENO))
        let code = await Noafw.execute(in: context)
        guard code == 0, output.hasFailed else { exit(code) }
        context.diagnostics.writeLine("error NOA-0005: the result could not be written to standard output")
        exit(74)
    }
}
