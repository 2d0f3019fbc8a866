/// Why a script does not compile.
public struct SyntaxMistake: Sendable, Hashable {
    public let file: String
    /// Beginning with 1; `nil` where the compiler names none.
    public let line: Int?
    /// The compiler's words: untrusted text.
    public let says: String

    public init(file: String, line: Int?, says: String) { (self.file, self.line, self.says) = (file, line, says) }

    /// Both compilers read standard input, and call it so.
    init(file: String, compilerSays text: String) {
        if let found = text.prefixMatch(of: #/File "<stdin>", line (\d+)(?:, in .*?)?: /#) {
            self.init(file: file, line: Int(found.1), says: String(text[found.range.upperBound...]))
        } else if let found = text.prefixMatch(of: #/stdin:(\d+): /#) {
            self.init(file: file, line: Int(found.1), says: String(text[found.range.upperBound...]))
        } else {
            self.init(file: file, line: nil, says: text)
        }
    }

    /// As editors and build logs take it.
    public var place: String { line.map { "\(file):\($0)" } ?? file }
}
