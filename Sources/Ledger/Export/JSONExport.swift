import Foundation
import Support

/// Records as JSON with ordered keys: one document, or one line per record.
public enum JSONExport {
    public static let schema = "noafw.ledger/1"

    /// The layout of `JSONEncoder` for an object with `runs` and `schema`.
    static func write(_ source: some RunSource, _ filter: RunFilter, to write: (String) throws -> Void) throws -> Int {
        let encoder = encoder([.prettyPrinted])
        var count = 0
        try write("{\n  \"runs\" : [")
        try source.forEach(filter, of: nil) { run in
            try write((count == 0 ? "\n" : ",\n") + indented(try text(run, encoder)))
            count += 1
        }
        try write((count == 0 ? "\n" : "") + "\n  ],\n  \"schema\" : \"\(schema)\"\n}\n")
        return count
    }

    /// Newline-delimited JSON.
    static func writeLines(_ source: some RunSource, _ filter: RunFilter, to write: (String) throws -> Void) throws -> Int {
        let encoder = encoder([])
        var count = 0
        try source.forEach(filter, of: nil) { run in
            count += 1
            try write(try text(run, encoder) + "\n")
        }
        return count
    }

    /// Escapes unprintable characters by number: the same text to a JSON reader, harmless on a terminal.
    static func text(_ value: some Encodable, _ encoder: JSONEncoder) throws -> String {
        let text = String(decoding: try encoder.encode(value), as: UTF8.self)
        guard !text.unicodeScalars.allSatisfy({ $0 == "\n" || PrintableText.isPrintable($0) }) else { return text }
        return text.unicodeScalars.map { scalar in
            guard scalar != "\n", !PrintableText.isPrintable(scalar) else { return String(scalar) }
            return String(scalar).utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }.joined()
    }

    private static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "    " + $0 }.joined(separator: "\n")
    }

    static func encoder(_ form: JSONEncoder.OutputFormatting) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = form.union([.sortedKeys, .withoutEscapingSlashes])
        return encoder
    }
}
