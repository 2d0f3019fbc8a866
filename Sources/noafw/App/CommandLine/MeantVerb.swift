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
            guard !verbs.isEmpty else { return nil }
            if word.hasPrefix("-") { return dashed(word, path, among: verbs) }
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

    /// A verb written as an option, such as `--scan`.
    private static func dashed(_ word: String, _ path: [String], among verbs: [any ParsableCommand.Type]) -> String? {
        let name = word.drop { $0 == "-" }
        return verbs.contains { $0.configuration.commandName == String(name) } ? (path + [String(name)]).joined(separator: " ") : nil
    }

    /// An option that the verb does not have, and the one that was likely meant: a complaint about something else may hide it.
    static func option(_ arguments: [String]) -> (typed: String, meant: String)? {
        var command: any ParsableCommand.Type = Noafw.self
        for word in arguments {
            let next = command.configuration.subcommands.first { $0.configuration.commandName == word }
            guard let next else { break }
            command = next
        }
        command = command.configuration.defaultSubcommand ?? command
        let names = OptionCheck.longNames(of: command)
        for word in arguments.prefix(while: { $0 != "--" }) where word.hasPrefix("--") {
            let typed = String(word.prefix { $0 != "=" })
            if !names.contains(typed) { return Nearest.of(typed, among: names).map { (typed, $0) } }
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
