import Support

/// An error in three lines: code and message, cause, next action.
enum ErrorText {
    static func lines(_ error: Diagnosis, style: TextStyle) -> [String] {
        [
            "\(style.paint("error \(error.code)", .bad)): \(UntrustedText.escape(UnitLabels.labelled(error.message)))",
            "  cause: \(UntrustedText.escape(error.cause))",
            "  next:  \(UntrustedText.escape(error.remedy, limit: UntrustedText.commandLimit))",
        ]
    }
}

extension Diagnosis {
    /// In one line: the code first, and what to do next however long the message is.
    var notice: String { "\(code): \(UntrustedText.cut(message)); next: \(remedy)" }
}

/// The document of a command that no verb was found for, or begun.
struct ErrorDocument: Encodable, Sendable {
    let schema = "noafw.error/1"
    var error: Diagnosis

    init(_ error: Diagnosis) { self.error = error }

    static func text(_ error: Diagnosis) -> String { JSONWriter.text(ErrorDocument(error)) }

    static func text(usage message: String) -> String { text(CommandError.usage(message).diagnosis) }

    /// Whether the command line asks for a document.
    static func isWanted(_ arguments: [String]) -> Bool {
        arguments.prefix { $0 != "--" }.contains { $0 == "--json" || $0.hasPrefix("--json=") }
    }
}

/// As a member of a document: one that is read back has neither cause nor category of its own.
extension Diagnosis: Codable {
    private enum CodingKeys: CodingKey { case code, message, hint }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(code, forKey: .code)
        try members.encode(message, forKey: .message)
        try members.encode(remedy, forKey: .hint)
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try members.decode(String.self, forKey: .code), .unitFailed, nil,
            try members.decode(String.self, forKey: .message), cause: "", remedy: try members.decode(String.self, forKey: .hint))
    }
}
