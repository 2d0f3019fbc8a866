@testable import noafw

/// What a person sees on a terminal with deferred wrap, such as xterm. It knows the sequences that noafw draws with, and no other.
struct TerminalScreen {
    private(set) var rows: [[Character]] = [[]]
    private(set) var cursor = (row: 0, column: 0)
    /// Sequences that nothing of noafw's sends, and controls that act on more than a row.
    private(set) var foreign: [String] = []
    private var bellCount = 0
    private let columns: Int
    /// The right half of a wide character.
    private static let half: Character = "\u{0}"

    init(columns: Int) { self.columns = columns }

    var lines: [String] {
        rows.map { row in
            var text = String(row.filter { $0 != Self.half })
            while text.last == " " { text.removeLast() }
            return text
        }
    }

    mutating func write(_ text: String) {
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\r": cursor.column = 0
            case "\n": down()
            case "\u{07}": bellCount += 1
            case "\u{1B}": sequence(&rest)
            case _ where scalar.value < 0x20 || scalar.properties.generalCategory == .control: foreign.append("\(scalar.value)")
            default: put(scalar)
            }
        }
    }

    private mutating func down() {
        cursor.row += 1
        if cursor.row == rows.count { rows.append([]) }
    }

    private mutating func sequence(_ rest: inout Substring.UnicodeScalarView) {
        let start = String(rest.prefix(12))
        let form = /\[(\??)([0-9]*)([A-Za-z])/.matchingSemantics(.unicodeScalar)
        guard let match = start.prefixMatch(of: form) else { return foreign.append(start) }
        rest = rest.dropFirst(match.output.0.unicodeScalars.count)
        let number = Int(match.output.2) ?? 1
        switch match.output.3 {
        case "A" where number <= cursor.row: cursor.row -= number
        case "C" where cursor.column + number < columns: cursor.column += number
        case "J" where match.output.2.isEmpty:
            rows.removeLast(rows.count - 1 - cursor.row)
            rows[cursor.row] = Array(rows[cursor.row].prefix(cursor.column))
        case "J" where number == 2, "H": (rows, cursor) = ([[]], (0, 0))
        case "h", "l": if match.output.2 != "2004" { foreign.append(start) }
        default: foreign.append(start)
        }
    }

    private mutating func put(_ scalar: Unicode.Scalar) {
        if DisplayWidth.columns(Character(scalar)) == 0 {
            guard cursor.column > 0 else { return }
            let place = rows[cursor.row].lastIndex { $0 != Self.half } ?? 0
            return rows[cursor.row][place] = Character(String(rows[cursor.row][place]) + String(scalar))
        }
        let width = DisplayWidth.columns(Character(scalar))
        if cursor.column + width > columns {
            cursor.column = 0
            down()
        }
        while rows[cursor.row].count < cursor.column + width { rows[cursor.row].append(" ") }
        rows[cursor.row][cursor.column] = Character(scalar)
        if width == 2 { rows[cursor.row][cursor.column + 1] = Self.half }
        cursor.column += width
    }
}
