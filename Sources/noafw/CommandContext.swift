import Bluetooth
import Foundation
import Support

/// Everything a command takes from its surroundings, so that a test can run it in-process.
struct CommandContext: Sendable {
    /// Without the program's name.
    var arguments: [String]
    var environment: [String: String]
    var currentDirectory: String
    var executable: String?
    /// Results.
    var output: TextSink
    /// Progress, notices and errors.
    var diagnostics: TextSink
    var clock: SessionClock
    var interrupts: Interrupts
    var runner: any UnitRunner
    /// What a person types, or another program.
    var input = TextSource.none
    /// The time of day, for what is kept.
    var date: @Sendable () -> Date = { Date() }

    /// A path of the command line.
    func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : "\(currentDirectory)/\(path)" }

    /// Colours only where somebody looks, and not where they asked for none (no-color.org).
    func style(for sink: TextSink) -> TextStyle {
        let wantsNone = !(environment["NO_COLOR"] ?? "").isEmpty || isDumbTerminal
        return TextStyle(isColoured: sink.isTerminal && !wantsNone)
    }

    /// A terminal that cannot rewrite its line.
    var isDumbTerminal: Bool { environment["TERM"] == "dumb" }

    /// `NOAFW_STATE_DIR`, else `noafw` in the XDG state folder; absolute.
    /// - Throws: ``CommandError/noStateFolder``.
    func stateFolder() throws(CommandError) -> String {
        if let own = environment["NOAFW_STATE_DIR"], !own.isEmpty {
            let here = URL(fileURLWithPath: currentDirectory, isDirectory: true)
            return URL(fileURLWithPath: own, relativeTo: here).standardizedFileURL.path
        }
        // The XDG base directory specification says to ignore a relative path.
        if let shared = environment["XDG_STATE_HOME"], shared.hasPrefix("/") { return "\(shared)/noafw" }
        guard let home = environment["HOME"], home.hasPrefix("/") else { throw .noStateFolder }
        return "\(home)/.local/state/noafw"
    }
}

/// Where text goes.
struct TextSink: Sendable {
    var isTerminal: Bool
    /// Asked at each drawing, as windows change their size.
    var columns: @Sendable () -> Int
    var write: @Sendable (String) -> Void

    func writeLine(_ line: String) { write(line + "\n") }
}

/// How the signals of the process reach a command.
struct Interrupts: Sendable {
    /// One element for each SIGINT or SIGTERM that asks for an orderly end.
    var requests = Inbox<Void>()
    /// What to do when the orderly end takes too long; set by the command that runs.
    var exitReport = ExitReport()
}
