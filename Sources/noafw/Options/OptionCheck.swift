import ArgumentParser
import FoundationEssentials

/// Refuses what the parser accepts silently: a single value given twice, and empty values.
enum OptionCheck {
    /// - Throws: `ValidationError`.
    static func check(_ arguments: [String], of command: any ParsableCommand.Type) throws {
        try checkEmpty(arguments)
        let single = try names(of: command)
        var seen: Set<String> = []
        for argument in arguments.prefix(while: { $0 != "--" }) where argument.hasPrefix("-") {
            let name = String(argument.prefix { $0 != "=" })
            guard let option = single[name] else { continue }
            guard seen.insert(option).inserted else { throw ValidationError("\(name) is given twice, but has one value.") }
        }
    }

    private static func checkEmpty(_ arguments: [String]) throws {
        guard let index = arguments.firstIndex(of: "") else { return }
        let before = index > 0 ? arguments[index - 1] : ""
        let isValue = before.hasPrefix("-") && before != "--"
        throw ValidationError("\(isValue ? before : "an argument") is empty: leave it out, or give a value.")
    }

    /// The used part of the parser's own description of a command.
    private struct Description: Decodable {
        struct Name: Decodable {
            var kind: String
            var name: String
        }

        struct Argument: Decodable {
            var kind: String
            var isRepeating: Bool
            var names: [Name]?
        }

        struct Command: Decodable { var arguments: [Argument]? }

        var command: Command
    }

    /// The options and flags of a command, as they are typed.
    static func longNames(of command: any ParsableCommand.Type) -> [String] {
        let description = try? JSONDecoder().decode(Description.self, from: Data(command._dumpHelp().utf8))
        return (description?.command.arguments ?? []).flatMap { $0.names ?? [] }.filter { $0.kind == "long" }.map { "--" + $0.name }
    }

    /// Every name of each option with one value, and the option's first name.
    private static func names(of command: any ParsableCommand.Type) throws -> [String: String] {
        let description = try JSONDecoder().decode(Description.self, from: Data(command._dumpHelp().utf8))
        var names: [String: String] = [:]
        for option in description.command.arguments ?? [] where option.kind == "option" && !option.isRepeating {
            let own = (option.names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name }
            for name in own { names[name] = own.first }
        }
        return names
    }
}
