import Support

/// The document of a command that no verb was found for, or begun.
enum ErrorDocument {
    static func text(_ error: Diagnosis) -> String {
        JSONText.object([("schema", .string("noafw.error/1")), ("error", ReportText.document(error))]).text
    }

    static func text(usage message: String) -> String {
        text(CommandError.usage(message).diagnosis)
    }

    /// Whether the command line asks for a document.
    static func isWanted(_ arguments: [String]) -> Bool {
        arguments.prefix { $0 != "--" }.contains { $0 == "--json" || $0.hasPrefix("--json=") }
    }
}
