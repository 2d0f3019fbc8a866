/// Joins lines of Python to statements: a line, or a block with all that is indented below it. As in a file, a blank line ends no
/// block, and what is within brackets or long strings goes on.
struct PythonStatements {
    /// Bytes of one statement: the unit holds it twice in a heap of 40 kB.
    static let limit = 16_384

    private static let compounds: Set<Substring> = ["if", "for", "while", "try", "with", "def", "class", "async"]

    private var block: [String] = []
    private var scan = PythonScan()

    /// - Returns: what the line completes: the block before it, itself, or both.
    mutating func take(_ line: String) throws(CommandError) -> [String] {
        guard line.utf8.count <= Self.limit else { throw .statementTooLong(limit: Self.limit) }
        let isEmpty = !scan.isOpen && line.first { !$0.isWhitespace }.map { $0 == "#" } ?? true
        if block.isEmpty, isEmpty { return [] }
        if !block.isEmpty, scan.isOpen || isEmpty || goesOn(line) {
            block.append(line)
            if !isEmpty { scan.read(line) }
            guard block.reduce(0, { $0 + $1.utf8.count + 1 }) <= Self.limit else { throw .statementTooLong(limit: Self.limit) }
            return isWhole ? finish() : []
        }
        let complete = finish()
        block = [line]
        scan.read(line)
        return complete + (isWhole ? finish() : [])
    }

    /// - Returns: the block that the end of the input completes.
    mutating func finish() -> [String] {
        defer { (block, scan) = ([], PythonScan()) }
        return block.isEmpty ? [] : [block.joined(separator: "\n") + (block.count > 1 ? "\n" : "")]
    }

    /// Whether a text is a block, which has no value.
    static func isBlock(_ statement: String) -> Bool {
        statement.hasPrefix("@") || compounds.contains(statement.prefix { $0.isLetter })
    }

    /// A bracket, a long string or a line that goes on.
    var isOpen: Bool { scan.isOpen }

    /// Nothing can follow what is no block and has no open end.
    private var isWhole: Bool { !scan.isOpen && !Self.isBlock(block[0]) }

    private func goesOn(_ line: String) -> Bool {
        if line.first?.isWhitespace == true || block.last?.hasPrefix("@") == true { return true }
        return ["elif", "else", "except", "finally"].contains(line.prefix { $0.isLetter })
    }
}

/// What stays open at the end of a line of Python: brackets, a long string, a backslash.
struct PythonScan {
    private var depth = 0
    /// Of a string with three quotation marks.
    private var quote: Character?
    private var isContinued = false

    var isOpen: Bool { depth > 0 || quote != nil || isContinued }

    mutating func read(_ line: String) {
        isContinued = false
        var rest = line[...]
        while let character = rest.popFirst() {
            if let open = quote {
                if character == "\\" { rest = rest.dropFirst() } else if character == open, rest.hasPrefix("\(open)\(open)") {
                    rest = rest.dropFirst(2)
                    quote = nil
                }
                continue
            }
            switch character {
            case "#": return
            case "(", "[", "{": depth += 1
            case ")", "]", "}": depth = max(0, depth - 1)
            case "'", "\"": rest = string(character, rest)
            case "\\": isContinued = rest.isEmpty
            default: break
            }
        }
    }

    /// - Returns: what follows a string that ends on its line.
    private mutating func string(_ mark: Character, _ text: Substring) -> Substring {
        if text.hasPrefix("\(mark)\(mark)") {
            quote = mark
            return text.dropFirst(2)
        }
        var rest = text
        while let character = rest.popFirst(), character != mark {
            if character == "\\" {
                isContinued = rest.isEmpty
                rest = rest.dropFirst()
            }
        }
        return rest
    }
}
