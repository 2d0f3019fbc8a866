/// A regular expression of the kind that is found in linear time, whatever the expression and the text: all ways through it are
/// followed at once (Thompson 1968), so it knows no backreferences and no lookaround.
///
/// Literals, `.`, `[a-z]`, `\d \w \s` and their opposites, `\b \B`, `^ $`, groups, `|`, `* + ? {2,5}`, `(?i)` in front. Characters
/// are those that a person sees.
struct TextPattern: Sendable {
    struct Fault: Error, Hashable { let reason: String }

    enum Boundary: Sendable, Hashable { case start, end, word, noWord }

    enum Instruction: Sendable {
        case one(CharacterSet)
        /// Goes on at both.
        case either(Int, Int)
        case jump(Int)
        case at(Boundary)
        case found
    }

    /// So much of a text is looked at.
    static let textLimit = 20_000
    static let programLimit = 1000

    private let program: [Instruction]
    private let ignoresCase: Bool

    /// - Throws: ``Fault``.
    init(_ text: String) throws(Fault) {
        guard text.utf8.count <= 4 * Self.programLimit else { throw Fault(reason: "it is too long") }
        var parser = PatternParser(text)
        let node = try parser.parse()
        var compiler = PatternCompiler()
        try compiler.emit(node)
        (program, ignoresCase) = (compiler.program + [.found], parser.ignoresCase)
    }

    /// Whether it matches anywhere in a text.
    func isFound(in text: String) -> Bool {
        let text = text.prefix(Self.textLimit)
        let characters = Array(ignoresCase ? Substring(text.lowercased()) : text)
        var (here, next) = (Threads(count: program.count), Threads(count: program.count))
        for position in 0...characters.count {
            if follow(0, into: &here, characters, position) { return true }
            guard position < characters.count else { break }
            for index in here.list {
                guard case .one(let set) = program[index], set.contains(characters[position]) else { continue }
                if follow(index + 1, into: &next, characters, position + 1) { return true }
            }
            swap(&here, &next)
            next.removeAll()
        }
        return false
    }

    /// Adds an instruction and all that are reached from it without a character.
    /// - Returns: whether the end is among them.
    private func follow(_ start: Int, into threads: inout Threads, _ text: [Character], _ position: Int) -> Bool {
        var open = [start]
        while let index = open.popLast() {
            guard threads.insert(index) else { continue }
            switch program[index] {
            case .found: return true
            case .jump(let target): open.append(target)
            case .either(let first, let second): open += [second, first]
            case .at(let boundary): if Self.holds(boundary, text, position) { open.append(index + 1) }
            case .one: break
            }
        }
        return false
    }

    private static func holds(_ boundary: Boundary, _ text: [Character], _ position: Int) -> Bool {
        switch boundary {
        case .start: return position == 0
        case .end: return position == text.count
        case .word, .noWord:
            let before = position > 0 && CharacterSet.isWord(text[position - 1])
            let after = position < text.count && CharacterSet.isWord(text[position])
            return (before != after) == (boundary == .word)
        }
    }

    /// Instructions, each once.
    private struct Threads {
        private(set) var list: [Int] = []
        private var isThere: [Bool]

        init(count: Int) { isThere = Array(repeating: false, count: count) }

        mutating func insert(_ index: Int) -> Bool {
            guard !isThere[index] else { return false }
            isThere[index] = true
            list.append(index)
            return true
        }

        mutating func removeAll() {
            for index in list { isThere[index] = false }
            list.removeAll(keepingCapacity: true)
        }
    }
}
