import Foundation

/// Records as JSON with ordered keys: one document, or a line for each record where they are many.
public enum JSONExport {
    public static let schema = "noafw.ledger/1"

    private struct Document: Encodable {
        var schema = JSONExport.schema
        var runs: [RunRecord]
    }

    public static func document(_ runs: some Sequence<RunRecord>) throws -> String {
        String(decoding: try encoder([.prettyPrinted]).encode(Document(runs: Array(runs))), as: UTF8.self) + "\n"
    }

    /// Newline-delimited JSON.
    public static func lines(_ runs: some Sequence<RunRecord>) throws -> String {
        let encoder = encoder([])
        return try runs.map { String(decoding: try encoder.encode($0), as: UTF8.self) + "\n" }.joined()
    }

    private static func encoder(_ form: JSONEncoder.OutputFormatting) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = form.union([.sortedKeys, .withoutEscapingSlashes])
        return encoder
    }
}
