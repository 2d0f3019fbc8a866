import Support

/// The document of a command that no verb was found for, or begun.
enum ErrorDocument {
    static func text(_ error: Diagnosis) -> String {
        JSONText.object([("schema", .string("noafw.error/1")), ("error", ReportText.document(error))]).text
    }

    static func text(usage message: String) -> String {
        text(Diagnosis(
            code: "NOA-0064", category: .usage, fault: nil, message: message, cause: "the command line is not complete or not right",
            remedy: "see noafw --help, or the verb's own --help"))
    }

    /// Whether the command line asks for a document.
    static func isWanted(_ arguments: [String]) -> Bool {
        arguments.prefix { $0 != "--" }.contains("--json")
    }
}
