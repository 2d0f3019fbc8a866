import Bluetooth
import FoundationEssentials
import Provisioning
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
    var services: any Services
    /// Of ``diagnostics``.
    var drawingArea = DrawingArea()
    /// Why the command is being cancelled.
    var stop = StopReason()
    /// What a person types, or another program.
    var input = TextSource.none
    /// The time of day, for what is kept.
    var date: @Sendable () -> Date = { Date() }

    /// A file or folder that the command line names.
    func path(_ name: String) -> NamedPath { NamedPath(name, in: currentDirectory) }

    /// - Parameter given: the value of `--assets`.
    func assetSearch(_ given: String?) -> AssetSearch {
        AssetSearch(given: given, environment: environment, currentDirectory: currentDirectory, executable: executable)
    }

    /// Colours only where somebody looks, and not where they asked for none (no-color.org).
    func style(for sink: TextSink) -> TextStyle {
        let wantsNone = !(environment["NO_COLOR"] ?? "").isEmpty || isDumbTerminal
        return TextStyle(isColoured: sink.isTerminal && !wantsNone, hasSymbols: hasSymbols, columns: sink.isTerminal ? sink.columns() : nil)
    }

    /// By the locale (setlocale(3)); where none is set, terminals of today know UTF-8.
    private var hasSymbols: Bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        let knowsUnicode = locale.map { $0.uppercased().contains("UTF-8") || $0.uppercased().contains("UTF8") } ?? true
        return knowsUnicode && !isDumbTerminal && environment["TERM"] != "linux"
    }

    /// A terminal that cannot rewrite its line.
    var isDumbTerminal: Bool { environment["TERM"] == "dumb" }

    /// What people call the units of this station. A list that cannot be read costs only the names.
    func unitNames() -> [DeviceAddress: String] {
        guard let folder = try? stateFolder() else { return [:] }
        do {
            return try UnitNames(stateFolder: folder).load()
        } catch {
            note(diagnose(error).notice)
            return [:]
        }
    }

    /// `NOAFW_STATE_DIR`, else `noafw` in the XDG state folder; absolute.
    /// - Throws: ``CommandError/noStateFolder``.
    func stateFolder() throws(CommandError) -> String {
        try Self.stateFolder(environment: environment, currentDirectory: currentDirectory)
    }

    static func stateFolder(environment: [String: String], currentDirectory: String) throws(CommandError) -> String {
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
