import Support

/// Sources/noafw/Explain/Rows: the same errors as docs/errors.md, for `noafw explain`.
enum ErrorRowsFile {
    private static let parts = 4
    private static let head = "// Written by: make errors\n\n"

    /// The files with their text, by name.
    static func all(_ errors: [CataloguedError]) -> [String: String] {
        let rows = Set(errors.map(\.diagnosis).map(row)).sorted()
        let size = (rows.count + parts - 1) / parts
        let names = (1...parts).map { "part\($0)" }
        var files = ["ErrorRows.swift": base(names)]
        for (index, name) in names.enumerated() {
            let own = rows.dropFirst(index * size).prefix(size)
            files["ErrorRows+\(index + 1).swift"] = head + "extension ErrorRows {\n    static let \(name) = #\"\"\"\n" + block(own) + "}\n"
        }
        return files
    }

    private static func base(_ names: [String]) -> String {
        let merged = mergedCodes.sorted { $0.key < $1.key }.map { "\($0.key)\t\($0.value)" }
        return head + """
            /// Each error of this version: code, exit code, message, cause, remedy, with tabs between them.
            enum ErrorRows {
                static let all = [\(names.joined(separator: ", "))]

                /// Codes of earlier versions, and what they are called now.
                static let merged = #\"""

            """ + block(merged[...]) + "}\n"
    }

    private static func block(_ rows: some Sequence<String>) -> String {
        (Array(rows) + ["\"\"\"#"]).map { "        \($0)\n" }.joined()
    }

    private static func row(_ error: Diagnosis) -> String {
        let words = [error.message, error.cause, error.remedy].map { $0.split(whereSeparator: { "\n\t".contains($0) }).joined(separator: " ") }
        return (["\(error.code)", "\(error.category.rawValue)"] + words).joined(separator: "\t")
    }
}
