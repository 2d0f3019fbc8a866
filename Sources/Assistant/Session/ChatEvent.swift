import Bluetooth
import Support

/// Numbers a question and its answer from 1, in the order of asking.
public struct TurnID: Hashable, Sendable, CustomStringConvertible {
    public let number: Int
    public init(number: Int) { self.number = number }
    public var description: String { "\(number)" }
}

/// Texts may come from the unit or from a server: escape them for a terminal.
public enum ChatEvent: Sendable {
    /// - attempt: from 1, for the session and for every reconnection.
    case connecting(attempt: Int)
    /// The link exists; the program is being checked or started.
    case starting
    case connected(UnitStatus)
    /// The unit waits for its wearer: after every start and reconnection.
    case ready
    /// The program did not announce itself in time; it gets nothing until it does.
    case silent
    /// The link, or an attempt at a new one, has failed.
    case lost(reason: String)
    case reconnecting(after: Duration)

    case listening
    /// The recording is not a question.
    case recordingDropped(RecordingDrop)
    case photo(Photo)
    /// The scripts' version as the program reports it.
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
    /// The complete answer.
    case answered(TurnID, String, AnswerSummary.CutShort?)
    /// The unit does not show an answer or error as written. Comes once, before ``sent(_:awaitsReceipt:)``.
    case folded(TurnID, TextFolding)
    /// The link has accepted the end of an answer or error.
    /// - awaitsReceipt: ``delivered(_:)``, ``repeated(_:_:)`` or ``undeliverable(_:_:)`` follows.
    case sent(TurnID, awaitsReceipt: Bool)
    /// The unit's program has accepted every byte.
    case delivered(TurnID)
    /// It has not; everything is sent again.
    case repeated(TurnID, DeliveryLoss)
    /// The second attempt failed, too.
    case undeliverable(TurnID, DeliveryLoss)
    /// ``SessionCommand/retry`` asks again.
    case failed(TurnID, any DiagnosableError)
    case cancelled(TurnID, Cancellation)

    case historyCleared(ClearReason)
    case mode(AssistantMode)
    /// The number of answers that wait for the unit's return.
    case undelivered(Int)

    public enum Question: Sendable, Hashable {
        case typed(String)
        case spoken(seconds: Double, photo: Bool, cut: Utterance.Cut?)
        /// No question: a picture for the unit's display.
        case picture(height: Int)
        /// No question: a text for the unit's display.
        case notice(String)
    }

    public enum Cancellation: String, Sendable, Hashable {
        case byUser
        /// The wearer tapped it away.
        case byWearer
        /// A newer recording replaced it.
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
    /// Shows a text on the unit's display.
    case tell(String)
    /// Makes the unit's program answer, if it is ready.
    case ping(ConfirmationID)
    /// Ends the session when every question is answered and on the unit.
    case finish

    /// Whether a text holds more than control characters and white space.
    public static func isQuestion(_ text: String) -> Bool { !PlainText.withoutLeadingSpace(PlainText.clean(text)).isEmpty }
}
