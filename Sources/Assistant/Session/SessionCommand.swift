/// What a terminal tells a running session.
public enum SessionCommand: Sendable, Hashable {
    /// A text that ``isQuestion(_:)`` refuses is ``ChatEvent/cancelled(_:_:)``.
    case ask(String)
    case clearHistory
    case switchMode(AssistantMode)
    /// Gives up the question being worked on.
    case cancelAnswer
    /// Asks the last failed question again.
    case retry
    /// Shows a picture on the unit's display.
    case show(DisplayPicture)
    /// Shows a text on the unit's display; nobody answers it.
    case tell(String)
    /// Has the unit's program answer; while it is not ready, nothing happens.
    case ping(ConfirmationID)
    /// Ends the session once everything asked so far is answered and on the unit.
    case finish
}

extension SessionCommand {
    /// Whether anything is left of a text without control characters and white space.
    public static func isQuestion(_ text: String) -> Bool { !PlainText.withoutLeadingSpace(PlainText.clean(text)).isEmpty }
}
