import Bluetooth
import Provisioning
import Support

/// What may differ: the file of `--allow`, a line of CSV each: unit or pattern, part, allowed value, reason, expires.
struct AllowList: Sendable {
    struct Entry: Sendable, Hashable {
        /// Of the file.
        var line: Int
        /// With `*` for any text and `?` for any character: an address or a name.
        var unit: String
        /// `nil` is any.
        var component: Component?
        /// A version, a digest's beginning as the table shows it, a difference as `--deep` tells it; with `*` and `?`.
        var value: String
        var reason: String
        /// The last day, such as `2026-12-31`; `nil` for never.
        var expires: String?

        func isExpired(on today: String) -> Bool { expires.map { $0 < today } ?? false }

        func allows(_ deviation: String, in component: Component, of unit: UnitIdentity) -> Bool {
            guard self.component == nil || self.component == component else { return false }
            guard Glob.matches(self.unit, unit.address.description, ignoringCase: true) || Glob.matches(self.unit, unit.name) else {
                return false
            }
            return Glob.matches(value, deviation) || Glob.matches(value, ComponentFormatter.version(deviation))
        }
    }

    private static let sizeLimit = 1 << 20
    private static let fieldLimit = 500

    let name: String
    let entries: [Entry]

    static func read(_ path: NamedPath) throws -> AllowList { try AllowList(InputFile.read(path, limit: sizeLimit), name: path.name) }

    /// - Throws: ``ComparisonError``.
    init(_ bytes: [UInt8], name: String) throws(ComparisonError) {
        guard let text = String(validating: InputFile.withoutByteOrderMark(bytes), as: UTF8.self) else {
            throw .badAllowance(path: name, line: 1, reason: "it is not UTF-8 text")
        }
        var entries: [Entry] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let content = line.drop { $0.isWhitespace }
            guard !content.isEmpty, content.first != "#" else { continue }
            guard let fields = CSVLine.fields(content) else {
                throw .badAllowance(path: name, line: index + 1, reason: "a quote is not closed")
            }
            entries.append(try Self.entry(fields, line: index + 1, name))
        }
        (self.name, self.entries) = (name, entries)
    }

    private static func entry(_ fields: [String], line: Int, _ name: String) throws(ComparisonError) -> Entry {
        func fault(_ reason: String) -> ComparisonError { .badAllowance(path: name, line: line, reason: reason) }
        guard fields.count == 5 else { throw fault("it has \(fields.count) of 5 fields: unit, part, value, reason, last day") }
        guard fields.allSatisfy({ $0.count <= fieldLimit }) else { throw fault("a field is longer than \(fieldLimit) characters") }
        let component = FamilyList.supported.components.first { $0.name == fields[1] }
        guard component != nil || fields[1] == "*" else {
            throw fault("its part is none of \(FamilyList.supported.components.map(\.name).joined(separator: ", ")) and *")
        }
        guard !fields[0].isEmpty, !fields[2].isEmpty, !fields[3].isEmpty else { throw fault("unit, value and reason must not be empty") }
        guard fields[4].isEmpty || fields[4].wholeMatch(of: /[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])/) != nil else {
            throw fault("its last day is not of the form 2026-12-31")
        }
        return Entry(
            line: line, unit: fields[0], component: component, value: fields[2], reason: fields[3],
            expires: fields[4].isEmpty ? nil : fields[4])
    }
}

/// Patterns with `*` for any text and `?` for one character, matched in linear memory and without recursion.
enum Glob {
    static func matches(_ pattern: String, _ text: String, ignoringCase: Bool = false) -> Bool {
        let wanted = Array(ignoringCase ? pattern.lowercased() : pattern)
        let given = Array(ignoringCase ? text.lowercased() : text)
        var (at, place) = (0, 0)
        var star: (pattern: Int, text: Int)?
        while place < given.count {
            if at < wanted.count, wanted[at] == "*" {
                star = (at, place)
                at += 1
            } else if at < wanted.count, wanted[at] == "?" || wanted[at] == given[place] {
                (at, place) = (at + 1, place + 1)
            } else if let last = star {
                star = (last.pattern, last.text + 1)
                (at, place) = (last.pattern + 1, last.text + 1)
            } else {
                return false
            }
        }
        return wanted[at...].allSatisfy { $0 == "*" }
    }
}

/// One line of CSV (RFC 4180), blanks around fields that are not quoted left out.
enum CSVLine {
    /// - Returns: `nil` where a quote is not closed, or followed by more.
    static func fields(_ line: Substring) -> [String]? {
        var fields: [String] = []
        var rest = line
        while true {
            rest = rest.drop { $0 == " " || $0 == "\t" }
            let field: String
            if rest.first == "\"" {
                guard let (text, end) = quoted(rest.dropFirst()) else { return nil }
                (field, rest) = (text, end.drop { $0 == " " || $0 == "\t" })
                guard rest.isEmpty || rest.first == "," else { return nil }
            } else {
                let text = rest.prefix { $0 != "," }
                rest = rest[text.endIndex...]
                field = String(text.reversed().drop { $0.isWhitespace }.reversed())
            }
            fields.append(field)
            guard rest.first == "," else { return fields }
            rest = rest.dropFirst()
        }
    }

    private static func quoted(_ text: Substring) -> (String, Substring)? {
        var (content, rest) = ("", text)
        while let end = rest.firstIndex(of: "\"") {
            content += rest[..<end]
            rest = rest[rest.index(after: end)...]
            guard rest.first == "\"" else { return (content, rest) }
            content += "\""
            rest = rest.dropFirst()
        }
        return nil
    }
}
