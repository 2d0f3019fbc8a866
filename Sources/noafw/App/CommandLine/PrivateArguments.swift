import ArgumentParser

/// What the parser says about a verb whose arguments may be a secret.
enum PrivateArguments {
    static let words = "The command line is not understood; it is not repeated here, as it may hold a secret. "
        + "Put -- before a text that begins with -, and quotation marks around one with spaces"

    /// Whether the verb is one that keeps its arguments to itself.
    static func isPrivate(_ arguments: [String], among verbs: [any ParsableCommand.Type]) -> Bool {
        isPrivate(verbs.first { $0.configuration.commandName == arguments.first })
    }

    private static func isPrivate(_ verb: (any ParsableCommand.Type)?) -> Bool {
        (verb as? any ContextCommand.Type)?.hasPrivateArguments == true
    }

    /// - Returns: whether `message` may repeat an argument of a verb that keeps its own to itself.
    static func repeats(_ message: String, _ arguments: [String], among verbs: [any ParsableCommand.Type]) -> Bool {
        let verb = verbs.first { $0.configuration.commandName == arguments.first }
        guard let verb, isPrivate(verb) else {
            // A verb that is not recognised, or stands in the wrong place, may be meant.
            let names = verbs.filter { isPrivate($0) }.map { $0.configuration.commandName }
            guard verb == nil || arguments.contains(where: names.contains) else { return false }
            return arguments.dropFirst().contains { !$0.hasPrefix("-") && message.contains("'\($0)'") }
        }
        let help = verb.helpMessage(columns: 100)
        return arguments.dropFirst().contains { argument in
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            // Of an option that it does not know the parser repeats a part.
            if argument.hasPrefix("-"), argument.count > 1, !help.contains("\(parts[0]) "), !help.contains("\(parts[0])]") { return true }
            return message.contains("'\(argument)'") && !argument.hasPrefix("-") || parts.count == 2 && message.contains("'\(parts[1])'")
        }
    }
}
