import Bluetooth
import Support

/// One turn of a conversation, a question and its answer, numbered from 1 in the order of asking.
public struct TurnID: Hashable, Sendable, Comparable, CustomStringConvertible {
    public let number: Int
    public init(number: Int) { self.number = number }
    public var description: String { "\(number)" }
    public static func < (left: TurnID, right: TurnID) -> Bool { left.number < right.number }
}

/// What a chat session tells while it runs. Texts may come from the unit or from a server: escape them before a terminal
/// shows them.
public enum ChatEvent: Sendable {
    // The link.
    /// - attempt: 1 for the first one of a session, and of every reconnection.
    case connecting(attempt: Int)
    /// The link is there; the unit's program is being looked at or started.
    case starting
    /// The program runs.
    case connected(UnitStatus)
    /// The unit says that it waits for its wearer, after every start and every reconnection.
    case ready
    /// The unit's program has not announced itself in its time; it gets nothing until it does.
    case silent
    /// The link, or an attempt at a new one, has failed.
    case lost(reason: String)
    case reconnecting(after: Duration)

    // What the unit does.
    case listening
    /// What it was listening to is nobody's question.
    case recordingDropped(RecordingDrop)
    case photo(Photo)
    /// The version of the unit's scripts, as the program tells it.
    case version(String)
    /// The unit has answered this ``SessionCommand/ping(_:)``.
    case pong(ConfirmationID)
    case notice(RelayNotice)
    /// There were so many more.
    case noticesLeftOut(count: Int)

    // What the unit's program prints.
    /// Printable; a line of more than 500 bytes comes in pieces.
    case console(String)
    /// It printed so many more.
    case consoleLeftOut(lines: Int)
    /// An exception or error that nobody caught, or that the program printed; its lines came before.
    case raised(ProgramFault)
    /// The unit stands at its prompt.
    case programEnded

    // One turn.
    case asked(TurnID, Question)
    /// Speech has become text.
    case heard(TurnID, String)
    /// The question is with the assistant.
    case thinking(TurnID)
    /// The server did not take the request; it is made again after a pause.
    case retrying(TurnID, after: Duration, because: AssistantError)
    case answerPiece(TurnID, String)
    /// The answer is whole, or as much of it as will come.
    case answered(TurnID, String, AnswerSummary.CutShort?)
    /// The unit shows the answer, or the error, otherwise than it was written. Comes once, before ``sent(_:awaitsReceipt:)``.
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

    // The conversation.
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
        /// From the terminal.
        case byUser
        /// The wearer tapped the request away: the unit did not confirm it.
        case byWearer
        /// A newer recording took its place.
        case superseded
        case nothingSaid
        /// Too many questions wait already.
        case queueFull
        /// The unit's display takes no pictures.
        case noPictures
    }

    public enum RecordingDrop: String, Sendable, Hashable {
        /// The wearer tapped it away.
        case givenUp
        case empty
    }

    public enum ClearReason: String, Sendable, Hashable { case tokenLimit, modeSwitch, byUser }
}
