import ArgumentParser
import Support

/// The verb that a command line was meant to begin with.
enum MeantVerb {
    /// Words of other tools.
    private static let synonyms = [
        "bond": "pair", "check": "verify", "connect": "info", "devices": "scan", "discover": "scan", "drive": "robot drive",
        "error": "explain", "find": "scan", "history": "ledger list", "install": "flash", "list": "scan",
        "name": "units name", "program": "flash", "provision": "flash", "recover": "rescue",
        "repair": "rescue", "repl": "console", "shell": "console", "status": "info", "unbrick": "rescue",
        "upgrade": "update", "upload": "fs cp", "version": "--version", "write": "flash",
    ]

    /// - Returns: the words of a command line that exists, such as `bundle show`; `nil` where the verbs are right, or none is near.
    static func of(_ arguments: [String]) -> String? {
        var command: any ParsableCommand.Type = Noafw.self
        var path: [String] = []
        for word in arguments {
            let verbs = command.configuration.subcommands
            guard !verbs.isEmpty, !word.hasPrefix("-") else { return nil }
            if let next = verbs.first(where: { $0.configuration.commandName == word }) {
                command = next
                path.append(word)
                continue
            }
            if path.isEmpty, word == "help" { return nil }
            if path.isEmpty, let exact = synonyms[word.lowercased()] ?? holder(of: word, among: verbs) { return exact }
            let names = verbs.compactMap { $0.configuration.commandName }
            return Nearest.of(word, among: names).map { (path + [$0]).joined(separator: " ") }
        }
        return nil
    }

    /// `show` is a verb of `bundle`.
    private static func holder(of word: String, among verbs: [any ParsableCommand.Type]) -> String? {
        let holders = verbs.filter { $0.configuration.subcommands.contains { $0.configuration.commandName == word } }
        guard holders.count == 1, let name = holders[0].configuration.commandName else { return nil }
        return "\(name) \(word)"
    }
}
