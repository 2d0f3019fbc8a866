import Assistant

/// A typed line: a question, unless it begins with a slash. Two slashes begin a question with one.
enum TypedLine: Hashable, Sendable {
    case nothing
    case command(SessionCommand)
    /// A picture file for the unit's display.
    case picture(String)
    case help, quit
    case unknown(String)

    static let helpLines = [
        "/clear              clear the conversation",
        "/mode assistant     answer questions",
        "/mode translator    translate speech into English",
        "/cancel             cancel the question being answered",
        "/retry              ask the last failed question again",
        "/picture FILE       show a picture (PNG, JPEG, PPM) on the unit's display (Frame)",
        "/quit               end (also Ctrl-D, or Ctrl-C twice)",
        "For a new line press Alt-Enter or Ctrl-J, or end the line with a backslash; Up and Down recall earlier lines.",
    ]

    init(_ line: String) {
        let line = String(line.drop(while: \.isWhitespace))
        guard let first = line.first(where: { !$0.isWhitespace }) else {
            self = .nothing
            return
        }
        guard first == "/", !line.hasPrefix("//") else {
            self = .command(.ask(line.hasPrefix("//") ? String(line.dropFirst()) : line))
            return
        }
        let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
        if words[0] == "/picture" {
            let file = line.dropFirst(words[0].count).trimmingPrefix(while: \.isWhitespace)
            self = file.isEmpty ? .unknown(line) : .picture(String(file))
            return
        }
        self = switch words {
        case ["/help"]: .help
        case ["/quit"]: .quit
        case ["/clear"]: .command(.clearHistory)
        case ["/cancel"]: .command(.cancelAnswer)
        case ["/retry"]: .command(.retry)
        case let words where words.count == 2 && words[0] == "/mode":
            AssistantMode(rawValue: words[1]).map { .command(.switchMode($0)) } ?? .unknown(line)
        default: .unknown(line)
        }
    }
}
