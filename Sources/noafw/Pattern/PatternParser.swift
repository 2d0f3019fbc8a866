/// Compiles a regular expression into instructions; a counted repetition is unrolled.
struct PatternParser {
    typealias Program = [TextPattern.Instruction]

    private static let nestingLimit = 50
    static let tooLong = TextPattern.Fault(reason: "it is too long")
    private static let badCounts = TextPattern.Fault(reason: "{ needs numbers, such as {2,5}")

    private(set) var ignoresCase = false
    private var rest: Substring
    private var depth = 0

    init(_ text: String) { rest = text[...] }

    mutating func parse() throws(TextPattern.Fault) -> Program {
        ignoresCase = take("(?i)")
        let program = try choice()
        guard rest.isEmpty else { throw fault("a ) has no (") }
        return program
    }

    private mutating func choice() throws(TextPattern.Fault) -> Program {
        var branches = [try sequence()]
        while take("|") { branches.append(try sequence()) }
        var program = branches.removeLast()
        while let branch = branches.popLast() {
            program = try bounded([.either(1, branch.count + 2)] + branch + [.jump(program.count + 1)] + program)
        }
        return program
    }

    private mutating func sequence() throws(TextPattern.Fault) -> Program {
        var program: Program = []
        while let next = rest.first, next != "|", next != ")" {
            let atom = try atom()
            program = try bounded(program + repetition(of: atom, isGroup: next == "("))
        }
        return program
    }

    private mutating func repetition(of atom: Program, isGroup: Bool) throws(TextPattern.Fault) -> Program {
        let (least, most): (Int, Int?)
        if take("*") {
            (least, most) = (0, nil)
        } else if take("+") {
            (least, most) = (1, nil)
        } else if take("?") {
            (least, most) = (0, 1)
        } else if take("{") {
            (least, most) = try counts()
        } else {
            return atom
        }
        if !isGroup, case .at? = atom.first { throw fault("a place cannot be repeated") }
        // Greediness does not affect whether there is a match.
        _ = take("?")
        if let next = rest.first, "*+?{".contains(next) { throw fault("\(next) follows a repetition") }
        // Repetitions of nothing also count.
        let atom = atom.isEmpty ? [.jump(1)] : atom
        guard atom.count * (most ?? least) <= TextPattern.programLimit else { throw Self.tooLong }
        let needed = Array(repeatElement(atom, count: least).joined())
        guard let most else { return needed + [.either(1, atom.count + 2)] + atom + [.jump(-atom.count - 1)] }
        return needed + Array(repeatElement([.either(1, atom.count + 1)] + atom, count: most - least).joined())
    }

    private func bounded(_ program: Program) throws(TextPattern.Fault) -> Program {
        guard program.count <= TextPattern.programLimit else { throw Self.tooLong }
        return program
    }

    private mutating func counts() throws(TextPattern.Fault) -> (Int, Int?) {
        let least = try number()
        if take("}") { return (least, least) }
        guard take(",") else { throw Self.badCounts }
        if take("}") { return (least, nil) }
        let most = try number()
        guard take("}"), least <= most else { throw Self.badCounts }
        return (least, most)
    }

    private mutating func number() throws(TextPattern.Fault) -> Int {
        let digits = rest.prefix { ("0"..."9").contains($0) }
        guard (1...3).contains(digits.count), let number = Int(digits) else { throw Self.badCounts }
        rest = rest.dropFirst(digits.count)
        return number
    }

    // MARK: - One place

    private mutating func atom() throws(TextPattern.Fault) -> Program {
        let character = rest.removeFirst()
        switch character {
        case "(": return try group()
        case "[": return [.one(try bracket())]
        case ".": return [.one(.init(members: [.any]))]
        case "^": return [.at(.start)]
        case "$": return [.at(.end)]
        case "*", "+", "?", "{": throw fault("\(character) has nothing to repeat")
        case "\\":
            if take("b") { return [.at(.word)] }
            if take("B") { return [.at(.noWord)] }
            return [.one(.init(members: [try escaped()]))]
        default: return [.one(.init(members: [.character(folded(character))]))]
        }
    }

    private mutating func group() throws(TextPattern.Fault) -> Program {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.nestingLimit else { throw fault("it is nested too deeply") }
        if !take("?:"), rest.first == "?" { throw fault("(? is not known, but for (?: and a first (?i)") }
        let program = try choice()
        guard take(")") else { throw fault("a ( has no )") }
        return program
    }

    private mutating func bracket() throws(TextPattern.Fault) -> TextPattern.CharacterSet {
        var set = TextPattern.CharacterSet(members: [], isNegated: take("^"))
        // A leading ] is one of the characters.
        repeat {
            guard !rest.isEmpty else { throw fault("a [ has no ]") }
            let first = try member()
            guard rest.first == "-", rest.dropFirst().first.map({ $0 != "]" }) == true else {
                set.members.append(first)
                continue
            }
            rest.removeFirst()
            guard case .character(let low) = first, case .character(let high) = try member(),
                let start = scalar(low), let end = scalar(high), start <= end
            else { throw fault("a range goes from one character to a later one, such as [a-z]") }
            set.members.append(.range(start...end))
        } while !take("]")
        return set
    }

    private mutating func member() throws(TextPattern.Fault) -> TextPattern.CharacterSet.Member {
        let character = rest.removeFirst()
        return character == "\\" ? try escaped() : .character(folded(character))
    }

    private mutating func escaped() throws(TextPattern.Fault) -> TextPattern.CharacterSet.Member {
        guard let character = rest.popFirst() else { throw fault("nothing follows the \\") }
        switch character {
        case "d": return .digit(true)
        case "D": return .digit(false)
        case "w": return .word(true)
        case "W": return .word(false)
        case "s": return .space(true)
        case "S": return .space(false)
        case "n": return .character("\n")
        case "t": return .character("\t")
        default:
            guard !character.isLetter, !character.isNumber else { throw fault("\\\(character) is not known") }
            return .character(character)
        }
    }

    // MARK: - Text

    private func scalar(_ character: Character) -> Unicode.Scalar? {
        character.unicodeScalars.count == 1 ? character.unicodeScalars.first : nil
    }

    private func folded(_ character: Character) -> Character {
        let lower = character.lowercased()
        return ignoresCase && lower.count == 1 ? Character(lower) : character
    }

    private mutating func take(_ text: String) -> Bool {
        guard rest.hasPrefix(text) else { return false }
        rest = rest.dropFirst(text.count)
        return true
    }

    private func fault(_ reason: String) -> TextPattern.Fault { TextPattern.Fault(reason: reason) }
}
