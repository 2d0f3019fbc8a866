import REPL

/// A unit's prompt as a person types at it.
extension PromptLanguage {
    var prompt: String { self == .python ? ">>> " : "> " }
    var continuation: String { self == .python ? "... " : ">> " }

    /// Bytes of one input.
    var inputLimit: Int { self == .python ? PythonStatements.limit : LuaStatements.limit }

    /// The name of its history.
    var historyName: String { "console-\(rawValue)" }

    var greeting: String {
        "\(self == .python ? "Python" : "Lua") on the unit. Ctrl-C breaks what runs, Ctrl-D leaves, help explains."
    }

    var help: [String] {
        let block = self == .python
            ? "A block ends with a blank line; brackets and long strings go on until they are closed."
            : "A statement that goes on asks for more. Locals live in their statement."
        let own = self == .python ? ["Ctrl-\\ twice restarts the unit into safe mode, without its program."] : []
        return [
            "The value of an expression is shown. \(block)",
            "Tab completes names on the unit. Up, Down and Ctrl-R find earlier inputs; what is pasted is one input.",
            "Ctrl-C breaks what runs. exit, Ctrl-D or Ctrl-X leaves; the unit's program then starts again, unless --stay was given.",
        ] + own + [self == .python ? "import device; device.battery_level() is an example." : "frame.battery_level() is an example."]
    }

    /// Words that are no names on the unit.
    var keywords: [String] {
        let words = self == .python
            ? "False None True and as assert async await break class continue def del elif else except finally for from global if import "
                + "in is lambda nonlocal not or pass raise return try while with yield exit help"
            : "and break do else elseif end false for function goto if in local nil not or repeat return then true until while exit help"
        return words.split(separator: " ").map(String.init)
    }

    /// Whether an input may run as it is. Only the unit knows where a statement of Lua ends.
    func isWhole(_ text: String) -> Bool { self == .lua || PythonInput.isWhole(text) }

    /// What a new line after this text begins with.
    func indentation(after text: some StringProtocol) -> String {
        guard self == .python, let line = text.split(separator: "\n", omittingEmptySubsequences: false).last else { return "" }
        let blanks = String(line.prefix { $0 == " " })
        return line.last { $0 != " " } == ":" ? blanks + String(repeating: " ", count: PythonInput.indent) : blanks
    }

    /// The parts of an input that run one after the other.
    func statements(of text: String) throws(CommandError) -> [String] { self == .lua ? [text] : try PythonInput.statements(text) }
}

/// What a person typed or pasted at a Python prompt.
enum PythonInput {
    static let indent = 4

    /// Nothing is open, and a block ends with a blank line.
    static func isWhole(_ text: String) -> Bool {
        var statements = PythonStatements()
        let lines = lines(of: text)
        let before = try? lines.flatMap { line throws(CommandError) in try statements.take(line) }
        guard before != nil, !statements.isOpen, let last = statements.finish().last else { return !statements.isOpen }
        return !PythonStatements.isBlock(last) || lines.count > 1 && lines.last?.allSatisfy(\.isWhitespace) == true
    }

    static func statements(_ text: String) throws(CommandError) -> [String] {
        var statements = PythonStatements()
        var all: [String] = []
        for line in lines(of: text) { all += try statements.take(line) }
        return all + statements.finish()
    }

    /// Without what all of them are indented by.
    private static func lines(of text: String) -> [String] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let blanks = lines.first { $0.contains { !$0.isWhitespace } }?.prefix { $0 == " " } ?? ""
        return lines.map { String($0.hasPrefix(blanks) ? $0.dropFirst(blanks.count) : $0) }
    }
}
