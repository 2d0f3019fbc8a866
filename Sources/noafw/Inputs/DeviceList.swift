import Bluetooth
import Provisioning
import Support

/// A unit as a person names it: by address or by name.
struct ListedUnit: Sendable, Hashable, CustomStringConvertible {
    /// Bytes of a name.
    static let nameLimit = 64

    let selector: UnitSelector
    let description: String

    init(_ text: String) {
        if let address = DeviceAddress(text) {
            (selector, description) = (.address(address), address.description)
        } else {
            (selector, description) = (.name(text), text)
        }
    }

    /// A unit that people of this station have named is known by its address.
    var resolved: ListedUnit {
        guard case .name(let name) = selector else { return self }
        return UnitLabels.known.first { $0.value.lowercased() == name.lowercased() }.map { ListedUnit("\($0.key)") } ?? self
    }
}

/// The file of `--devices`: a unit a line; `#` at the beginning of a line or behind a blank begins a comment.
enum DeviceList {
    static let sizeLimit = 1 << 20
    static let unitLimit = 10_000

    static func read(_ path: NamedPath) throws -> [ListedUnit] {
        try parse(InputFile.read(path, limit: sizeLimit), path.name)
    }

    /// - Throws: ``DeviceListError``.
    static func parse(_ bytes: [UInt8], _ path: String) throws(DeviceListError) -> [ListedUnit] {
        var lines: [ListedUnit: Int] = [:]
        var units: [ListedUnit] = []
        for (index, line) in InputFile.withoutByteOrderMark(bytes).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        {
            guard let text = String(validating: line, as: UTF8.self) else { throw .notText(path: path, line: index + 1) }
            let name = content(of: text)
            guard !name.isEmpty else { continue }
            guard name.utf8.count <= ListedUnit.nameLimit, name.unicodeScalars.allSatisfy(PrintableText.isPrintable) else {
                throw .badName(path: path, line: index + 1)
            }
            let unit = ListedUnit(name)
            if let first = lines[unit] { throw .duplicate(path: path, unit: unit.description, lines: [first, index + 1]) }
            guard units.count < unitLimit else { throw .tooMany(path: path, limit: unitLimit) }
            lines[unit] = index + 1
            units.append(unit)
        }
        guard !units.isEmpty else { throw .empty(path: path) }
        return units
    }

    private static func content(of line: String) -> String {
        var end = line.startIndex
        var isBehindBlank = true
        while end < line.endIndex, !(line[end] == "#" && isBehindBlank) {
            isBehindBlank = line[end].isWhitespace
            end = line.index(after: end)
        }
        let blanks = line[..<end].drop(while: \.isWhitespace)
        return String(blanks.reversed().drop(while: \.isWhitespace).reversed())
    }
}

/// What is wrong with a list of units.
enum DeviceListError: Error, Sendable, Hashable {
    case notText(path: String, line: Int)
    case badName(path: String, line: Int)
    case duplicate(path: String, unit: String, lines: [Int])
    case tooMany(path: String, limit: Int)
    case empty(path: String)
    /// Where only addresses are taken.
    case nameAtLine(path: String, unit: String)
}

extension DeviceListError: DiagnosableError {
    private static let form = "write one address or name a line; # begins a comment"

    var diagnosis: Diagnosis {
        switch self {
        case .notText(let path, let line):
            Diagnosis(
                "NOA-0040", .badData, nil, "line \(line) of \(path) is not UTF-8 text",
                cause: "the file is damaged, in another encoding, or not a list of units", remedy: "save it as UTF-8; \(Self.form)")
        case .badName(let path, let line):
            Diagnosis(
                "NOA-0041", .badData, nil, "line \(line) of \(path) names no unit",
                cause: "a name has at most \(ListedUnit.nameLimit) bytes and no control characters", remedy: Self.form)
        case .duplicate(let path, let unit, let lines):
            Diagnosis(
                "NOA-0042", .badData, nil,
                "\(path) names \(unit) twice: lines \(lines.map(String.init).joined(separator: " and "))",
                cause: "a unit that is listed twice would be worked on twice, or another one was meant",
                remedy: "correct or remove one of these lines")
        case .tooMany(let path, let limit):
            Diagnosis(
                "NOA-0043", .badData, nil, "\(path) names more than \(limit) units",
                cause: "it is not a list of units, or it is one for many stations", remedy: "divide the list")
        case .empty(let path):
            Diagnosis(
                "NOA-0044", .unavailable, nil, "\(path) names no unit",
                cause: "every line is empty or a comment", remedy: Self.form)
        case .nameAtLine(let path, let unit):
            Diagnosis(
                "NOA-0050", .badData, nil, "\(path) names \(unit), which is no address",
                cause: "--watch takes addresses alone, as any device may have any name", remedy: "give its address; see noafw scan")
        }
    }
}
