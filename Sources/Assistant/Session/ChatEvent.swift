import Bluetooth
import Support

/// A question and its answer, numbered from 1 in the order of asking.
public struct TurnID: Hashable, Sendable, CustomStringConvertible {
    public let number: Int
    public init(number: Int) { self.number = number }
    public var description: String { "\(number)" }
}

/// Texts may come from the unit or from a server: escape them before a terminal shows them.
public enum ChatEvent: Sendable {
    /// - attempt: from 1, for the session and for every reconnection.
    case connecting(attempt: Int)
    /// The link is there; the program is being looked at or started.
    case starting
    case connected(UnitStatus)
    /// The unit waits for its wearer: after every start and reconnection.
    case ready
    /// The program did not announce itself in its time; it gets nothing until it does.
    case silent
    /// The link, or an attempt at a new one, has failed.
    case lost(reason: String)
    case reconnecting(after: Duration)

    case listening
    /// The recording is no question.
    case recordingDropped(RecordingDrop)
    case photo(Photo)
    /// Of the unit's scripts, as its program reports it.
    case version(String)
    /// Answers ``SessionCommand/ping(_:)``.
    case pong(ConfirmationID)
    case notice(RelayNotice)
    case noticesLeftOut(count: Int)

    /// Printable; a line of more than 500 bytes comes in pieces.
    case console(String)
    case consoleLeftOut(lines: Int)
    /// Its lines came before.
    case raised(ProgramFault)
    /// The unit is at its prompt.
    case programEnded

    case asked(TurnID, Question)
    case heard(TurnID, String)
    case thinking(TurnID)
    case retrying(TurnID, after: Duration, because: AssistantError)
    case answerPiece(TurnID, String)
    /// All of the answer that will come.
    case answered(TurnID, String, AnswerSummary.CutShort?)
    /// The unit does not show an answer or error as it was written. Comes once, before ``sent(_:awaitsReceipt:)``.
    case folded(TurnID, TextFolding)
    /// The link has taken the last of an answer or error.
    /// - awaitsReceipt: ``delivered(_:)``, ``repeated(_:_:)`` or ``undeliverable(_:_:)`` follows.
    case sent(TurnID, awaitsReceipt: Bool)
    /// The unit's program has accepted every byte.
    case delivered(TurnID)
    /// It has not, and gets all of it again.
    case repeated(TurnID, DeliveryLoss)
    /// Nor has it the second time.
    case undeliverable(TurnID, DeliveryLoss)
    /// ``SessionCommand/retry`` asks the same again.
    case failed(TurnID, any DiagnosableError)
    case cancelled(TurnID, Cancellation)

    case historyCleared(ClearReason)
    case mode(AssistantMode)
    /// So many answers wait for the unit's return.
    case undelivered(Int)

    public enum Question: Sendable, Hashable {
        case typed(String)
        case spoken(seconds: Double, photo: Bool, cut: Utterance.Cut?)
        /// No question: a picture for the unit's display, of so many rows.
        case picture(height: Int)
        /// No question: a text for the unit's display.
        case notice(String)
    }

    public enum Cancellation: String, Sendable, Hashable {
        case byUser
        /// The wearer tapped it away.
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

public enum SessionCommand: Sendable, Hashable {
    /// A text that ``isQuestion(_:)`` refuses is ``ChatEvent/cancelled(_:_:)``.
    case ask(String)
    case clearHistory
    case switchMode(AssistantMode)
    case cancelAnswer
    /// Asks the last failed question again.
    case retry
    case show(DisplayPicture)
    /// Only shows a text on the unit's display.
    case tell(String)
    /// Has the unit's program answer, if it is ready.
    case ping(ConfirmationID)
    /// Ends the session once all that was asked is answered and on the unit.
    case finish

    /// Whether anything is left of a text without control characters and white space.
    public static func isQuestion(_ text: String) -> Bool { !PlainText.withoutLeadingSpace(PlainText.clean(text)).isEmpty }
}
