import ArgumentParser
import Bluetooth
import FoundationEssentials
import Glibc
import Support

@main
enum Program {
    static func main() async {
        ProcessStart.fillStandardStreams()
        ProcessStart.hideWidthFromParser()
        ProcessStart.shareHeap()
        let interrupts = Interrupts()
        let output = FileSink(STDOUT_FILENO)
        let diagnostics = FileSink(STDERR_FILENO).sink
        let arguments = Array(CommandLine.arguments.dropFirst())
        if PrivateArguments.isPrivate(arguments, among: Noafw.configuration.subcommands) { ProcessStart.hideArguments() }
        let context = CommandContext(
            arguments: arguments,
            environment: ProcessInfo.processInfo.environment,
            currentDirectory: FileManager.default.currentDirectoryPath,
            executable: try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            output: output.sink,
            diagnostics: diagnostics,
            clock: .continuous,
            interrupts: interrupts,
            services: LiveServices(),
            input: FileSource.source(STDIN_FILENO))
        // Before anything that takes time: a signal that comes early ends the run in order, too, and with a document.
        Noafw.setExitReport(in: context)
        SignalHandler.start(interrupts)
        if let shortage = ProcessStart.shortage()?.diagnosis {
            ErrorText.lines(shortage, style: TextStyle(isColoured: false)).forEach(diagnostics.writeLine)
            if ErrorDocument.isWanted(arguments) { output.sink.writeLine(ErrorDocument.text(shortage)) }
            _exit(shortage.category.rawValue)
        }
        let code = await Noafw.execute(in: context)
        // Not exit: its handlers free what libcrypto and others keep, while a virtual unit's thread may still use it.
        guard output.hasFailed else { _exit(code) }
        let failure = CommandError.resultNotWritten.diagnosis
        context.explain(failure)
        _exit(code == 0 ? failure.category.rawValue : code)
    }
}
