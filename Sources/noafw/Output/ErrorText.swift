import Support

/// An error in three lines: code and message, cause, next action.
enum ErrorText {
    static func lines(_ error: Diagnosis, style: TextStyle) -> [String] {
        [
            "\(style.paint("error \(error.code)", .bad)): \(UntrustedText.escape(error.message))",
            "  cause: \(UntrustedText.escape(error.cause))",
            "  next:  \(UntrustedText.escape(error.remedy, limit: UntrustedText.commandLimit))",
        ]
    }
}

extension Diagnosis {
    /// In one line: the code first, and what to do next however long the message is.
    var notice: String { "\(code): \(UntrustedText.cut(message)); next: \(remedy)" }
}
