/// Puts lines of Python together to what is run at once: a line, or a block with all that is indented below it.
///
/// Blank lines end no block, as in a file. Brackets and quotation marks over several lines are not understood.
struct PythonStatements {
    /// Bytes of one block.
    static let limit = 4096

    enum Failure: Error { case tooLong }

    private var block: [String] = []

    /// - Returns: what the line completes: the block before it, itself, or both.
    mutating func take(_ line: String) throws(Failure) -> [String] {
        let isBlank = line.allSatisfy(\.isWhitespace)
        if block.isEmpty {
            guard !isBlank, line.first(where: { !$0.isWhitespace }) != "#" else { return [] }
        } else if isBlank || Self.goesOn(line, after: block) {
            block.append(line)
            guard block.reduce(0, { $0 + $1.utf8.count + 1 }) <= Self.limit else { throw .tooLong }
            return []
        }
        let complete = finish()
        guard line.utf8.count <= Self.limit else { throw .tooLong }
        guard Self.opensBlock(line) else { return complete + [line] }
        block = [line]
        return complete
    }

    /// - Returns: the block that the end of the input completes.
    mutating func finish() -> [String] {
        defer { block = [] }
        return block.isEmpty ? [] : [block.joined(separator: "\n") + "\n"]
    }

    private static func opensBlock(_ line: String) -> Bool {
        line.hasPrefix("@") || line.prefix { $0 != "#" }.last { !$0.isWhitespace } == ":"
    }

    private static func goesOn(_ line: String, after block: [String]) -> Bool {
        if line.first?.isWhitespace == true || block.last?.hasPrefix("@") == true { return true }
        let word = line.prefix { $0.isLetter }
        return ["elif", "else", "except", "finally"].contains(word)
    }
}
