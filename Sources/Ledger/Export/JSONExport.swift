import Foundation

/// Records as JSON with ordered keys: one document, or a line for each record where they are many.
public enum JSONExport {
    public static let schema = "noafw.ledger/1"

    /// As `JSONEncoder` lays out an object with `runs` and `schema`.
    static func write(_ source: some RunSource, _ filter: RunFilter, to write: (String) throws -> Void) throws -> Int {
        let encoder = encoder([.prettyPrinted])
        var count = 0
        try write("{\n  \"runs\" : [")
        try source.forEach(filter, of: nil) { run in
            try write((count == 0 ? "\n" : ",\n") + indented(String(decoding: try encoder.encode(run), as: UTF8.self)))
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
            try write(String(decoding: try encoder.encode(run), as: UTF8.self) + "\n")
        }
        return count
    }

    private static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "    " + $0 }.joined(separator: "\n")
    }

    private static func encoder(_ form: JSONEncoder.OutputFormatting) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = form.union([.sortedKeys, .withoutEscapingSlashes])
        return encoder
    }
}
