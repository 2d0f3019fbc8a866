import Foundation

/// An error as docs/errors.md has it: words in capitals stand for the names and numbers of a case.
struct ErrorEntry: Sendable, Hashable, Codable {
    var code: String
    var exit: Int32
    var message: String
    var cause: String
    var remedy: String

    /// Every error of this version, by code; several of one code differ in words alone.
    static let all: [ErrorEntry] = ErrorRows.all.flatMap { rows in
        rows.split(separator: "\n").compactMap { row in
            let cells = row.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard cells.count == 5, let exit = Int32(cells[1]) else { return nil }
            return ErrorEntry(code: cells[0], exit: exit, message: cells[2], cause: cells[3], remedy: cells[4])
        }
    }

    /// Codes of earlier versions, with those that took their meaning over.
    static let merged: [String: String] = ErrorRows.merged.split(separator: "\n").reduce(into: [:]) { codes, row in
        let cells = row.split(separator: "\t")
        if cells.count == 2 { codes[String(cells[0])] = String(cells[1]) }
    }

    private static let families = Set(all.map { String($0.code.prefix { $0 != "-" }) })

    /// The code that a person means: in any case, without its mark and the zeros before its number.
    static func code(_ text: String) -> String {
        let word = text.uppercased().filter { $0.isLetter || $0.isNumber }
        let family = families.filter(word.hasPrefix).max { $0.count < $1.count }
        let number = word.dropFirst(family?.count ?? 0)
        guard let family, (1...4).contains(number.count), number.allSatisfy(\.isHexDigit) else { return text.uppercased() }
        return "\(family)-\(String(repeating: "0", count: 4 - number.count))\(number)"
    }

    /// The entries of a code. The bootloader's numbers that noafw does not know have one for all.
    static func entries(of code: String) -> [ErrorEntry] {
        let code = merged[code] ?? code
        let found = all.filter { $0.code == code }
        guard found.isEmpty, let group = ["DFU-00", "DFU-0B"].first(where: code.hasPrefix), code.count == 8 else { return found }
        return all.filter { $0.code == group + "FF" }
    }
}
