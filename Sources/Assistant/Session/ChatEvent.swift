import Bluetooth
import Support

/// One turn of a conversation, a question and its answer, numbered from 1 in the order of asking.
public struct TurnID: Hashable, Sendable, Comparable, CustomStringConvertible {
    public let number: Int
    public init(number: Int) { self.number = number }
    public var description: String { "\(number)" }
    public static func < (left: TurnID, right: TurnID) -> Bool { left.number < right.number }
}

/// What a running chat session reports. Texts may come from the unit or from a server: escape them before a terminal shows them.
public enum ChatEvent: Sendable {
    /// - attempt: 1 for the first one of a session, and of every reconnection.
    case connecting(attempt: Int)
    /// The link is there; the unit's program is being looked at or started.
    case starting
    case connected(UnitStatus)
    /// The unit waits for its wearer: after every start and every reconnection.
    case ready
    /// The unit's program did not announce itself in its time; it gets nothing until it does.
    case silent
    /// The link, or an attempt at a new one, has failed.
    case lost(reason: String)
    case reconnecting(after: Duration)

    case listening
    /// The recording is no question.
    case recordingDropped(RecordingDrop)
    case photo(Photo)
    /// Of the unit's scripts, as its program tells it.
    case version(String)
    /// The unit has answered this ``SessionCommand/ping(_:)``.
    case pong(ConfirmationID)
    case notice(RelayNotice)
    case noticesLeftOut(count: Int)

    /// Printable; a line of more than 500 bytes comes in pieces.
    case console(String)
    case consoleLeftOut(lines: Int)
    /// Its lines came before.
    case raised(ProgramFault)
    /// The unit stands at its prompt.
    case programEnded

    case asked(TurnID, Question)
    case heard(TurnID, String)
    case thinking(TurnID)
    /// The server did not take the request; it is made again after a pause.
    case retrying(TurnID, after: Duration, because: AssistantError)
    case answerPiece(TurnID, String)
    /// The answer is whole, or as much of it as will come.
    case answered(TurnID, String, AnswerSummary.CutShort?)
    /// The unit does not show the answer, or the error, as it was written. Comes once, before ``sent(_:awaitsReceipt:)``.
    case folded(TurnID, TextFolding)
    /// The link has taken the last of the answer, or of the error.
    /// - awaitsReceipt: ``delivered(_:)``, ``repeated(_:_:)`` or ``undeliverable(_:_:)`` follows; else nothing does.
    case sent(TurnID, awaitsReceipt: Bool)
    /// The unit's program has accepted every byte of the answer, or of the error.
    case delivered(TurnID)
    /// It has not, and gets all of it once more.
    case repeated(TurnID, DeliveryLoss)
    /// Nor has it the second time.
    case undeliverable(TurnID, DeliveryLoss)
    /// No answer. ``SessionCommand/retry`` asks the same again.
    case failed(TurnID, any DiagnosableError)
    case cancelled(TurnID, Cancellation)

    case historyCleared(ClearReason)
    case mode(AssistantMode)
    /// So many answers wait for the unit to come back.
    case undelivered(Int)

    public enum Question: Sendable, Hashable {
        case typed(String)
        case spoken(seconds: Double, photo: Bool, cut: Utterance.Cut?)
        /// No question: a picture of so many rows for the unit's display.
        case picture(height: Int)
        /// No question: a text for the unit's display.
        case notice(String)
    }

    public enum Cancellation: String, Sendable, Hashable {
        case byUser
        /// The wearer tapped the request away: the unit did not confirm it.
        case byWearer
        /// A newer recording took its place.
        case superseded
        case nothingSaid
        case queueFull
        case noPictures
    }

    public enum RecordingDrop: String, Sendable, Hashable {
        case givenUp
        case empty
    }

    public enum ClearReason: String, Sendable, Hashable { case tokenLimit, modeSwitch, byUser }
}

/// What a terminal tells a running session.
public enum SessionCommand: Sendable, Hashable {
    /// A text that ``isQuestion(_:)`` refuses is ``ChatEvent/cancelled(_:_:)``.
    case ask(String)
    case clearHistory
    case switchMode(AssistantMode)
    case cancelAnswer
    /// Asks the last failed question again.
    case retry
    case show(DisplayPicture)
    /// Shows a text on the unit's display; nobody answers it.
    case tell(String)
    /// Has the unit's program answer; while it is not ready, nothing happens.
    case ping(ConfirmationID)
    /// Ends the session once everything asked so far is answered and on the unit.
    case finish

    /// Whether anything is left of a text without control characters and white space.
    public static func isQuestion(_ text: String) -> Bool { !PlainText.withoutLeadingSpace(PlainText.clean(text)).isEmpty }
}
