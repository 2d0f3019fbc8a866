import Bluetooth
import REPL
import Support

/// One family's app protocol as a state machine: packets and time in, events out. The session knows nothing else about a family.
public protocol AppRelay: Sendable {
    /// Takes the app's messages.
    var receive: AttributeID { get }
    var transmit: AttributeID { get }
    /// Sends the program's output; `nil` when it comes with the messages (``RelayEvent/printed(_:)``).
    var console: AttributeID? { get }
    var security: LinkSecurity { get }
    /// The time between two packets to the unit, unless ``RelayEvent/taken`` comes first.
    var pace: Duration { get }
    /// Makes a running program announce itself; `nil` without such a message.
    var probe: [UInt8]? { get }
    /// Whether a packet is the answer to ``probe``, requested or not.
    func answersProbe(_ packet: [UInt8]) -> Bool
    /// Whether a packet shows that the unit's program runs.
    func showsLife(_ packet: [UInt8]) -> Bool
    var takesPictures: Bool { get }
    /// Bytes of UTF-8 in one packet of text.
    var textCapacity: Int { get }
    var nextDeadline: SessionClock.Instant? { get }

    /// - Parameter payloadSize: bytes of one write or notification.
    mutating func linkUp(payloadSize: Int)
    /// Ends the current recording.
    mutating func linkDown() -> [RelayEvent]
    mutating func receive(_ packet: [UInt8], now: SessionClock.Instant) -> [RelayEvent]
    mutating func advance(now: SessionClock.Instant) -> [RelayEvent]
    /// Asks the unit whether its wearer still waits. A family without such a message confirms at once.
    mutating func confirm(_ id: ConfirmationID, now: SessionClock.Instant) -> [RelayEvent]
    /// What became of the characters of the answer or error so far.
    var folding: TextFolding { get }
    /// The packets of a message. An answer restarts with its first piece.
    mutating func packets(for message: HostMessage) -> [[UInt8]]
    /// The receipt that the last packets requested, if any.
    var awaitedReceipt: AnswerReceipt? { get }
}

extension AppRelay {
    public var console: AttributeID? { nil }
    public var security: LinkSecurity { .open }
    public var probe: [UInt8]? { nil }
    public var takesPictures: Bool { false }
    public func answersProbe(_ packet: [UInt8]) -> Bool { false }
    public func showsLife(_ packet: [UInt8]) -> Bool { true }
}

public enum HostMessage: Sendable, Hashable {
    /// A piece of an answer that fits ``AppRelay/textCapacity``, or an empty text at its end.
    case answer(String, isFirst: Bool, isLast: Bool)
    case error(String)
    case picture(DisplayPicture)
    /// Clears the last answer from the display; it is sent again.
    case again
}

/// The meaning of a packet, or of time that passed.
public enum RelayEvent: Sendable, Hashable {
    /// The unit's program accepts text from now on.
    case ready
    /// It waits for its wearer again and keeps its display.
    case idle
    /// The wearer takes a picture or speaks. Text sent before the end would be lost.
    case recordingStarted
    /// A complete picture. Sound follows.
    case photo(Photo)
    case utterance(Utterance)
    /// An empty recording ended.
    case nothingRecorded
    /// The wearer cancelled the recording, or the question that waits for an answer.
    case givenUp
    case confirmed(ConfirmationID)
    /// The wearer no longer waits.
    case expired(ConfirmationID)
    /// A packet that precedes everything else, such as an acknowledgement.
    case send([UInt8])
    /// Like ``send(_:)``, but only between two messages: the unit would count it as part of one.
    case complaint([UInt8])
    /// Covers what the unit accepted since the last receipt or since its display was cleared.
    case receipt(AnswerReceipt)
    /// The unit's program can hold another packet.
    case taken
    /// The scripts' version as the program reports it. Printable.
    case version(String)
    case printed(ProgramOutput)
    case notice(RelayNotice)
}

public struct Utterance: Sendable, Hashable {
    public var sound: Sound
    public var photo: Photo?
    /// The program's own text besides the sound.
    public var text = ""
    /// Why the recording was cut.
    public var cut: Cut?

    public enum Cut: String, Sendable, Hashable { case tooLong, linkLost, stalled, restarted }
}

/// A problem that does not end the conversation. The unit's text is printable.
public enum RelayNotice: Sendable, Hashable {
    case unknownCommand(String, byteCount: Int)
    case shortMessage(byteCount: Int)
    case brokenText(command: String, String)
    case unknownConfirmation(String)
    case brokenReceipt(String)
    case unexpectedReceipt
    case recordingTooLong(limitSeconds: Int)
    case photoTooLarge(limitBytes: Int)
    case photoIncomplete(byteCount: Int)
    case photoUnreadable(byteCount: Int)
    case recordingStalled(seconds: Double)

    /// One sentence without a full stop.
    public var message: String {
        switch self {
        case .unknownCommand(let command, let count): "the unit sent an unknown command '\(command)' (\(count) bytes)"
        case .shortMessage(let count): "the unit sent a message of \(count) bytes, too few to mean anything"
        case .brokenText(let command, let text): "the unit sent text in '\(command)' that is not UTF-8: \(text)"
        case .unknownConfirmation(let id): "the unit confirmed an unknown or expired question: \(id)"
        case .brokenReceipt(let text): "the unit sent an unreadable receipt: \(text)"
        case .unexpectedReceipt: "the unit sent a receipt that was not expected"
        case .recordingTooLong(let limit): "the recording did not end; it was cut after \(limit) s"
        case .photoTooLarge(let limit): "the picture did not end; it was dropped after \(limit) bytes"
        case .photoIncomplete(let count): "the picture is incomplete; its \(count) bytes were dropped"
        case .photoUnreadable(let count): "the picture has no known form; its \(count) bytes were dropped"
        case .recordingStalled(let seconds): "the recording stopped after \(Int(seconds)) s without an end"
        }
    }
}

/// What became of a text's characters, as a reader counts them, for a display that cannot show them all.
public struct TextFolding: Sendable, Hashable {
    /// Shown by similar ones: "é" as "e", "щ" as "shch".
    public var similar: Int
    /// Shown as `?`.
    public var unknown: Int
    public var omitted: Int

    public init(similar: Int = 0, unknown: Int = 0, omitted: Int = 0) {
        (self.similar, self.unknown, self.omitted) = (similar, unknown, omitted)
    }

    var isExact: Bool { similar == 0 && unknown == 0 && omitted == 0 }

    package mutating func count(_ shown: ASCIIFold.Shown) -> String {
        switch shown {
        case .asIs(let text): return text
        case .similar(let text):
            similar += 1
            return text
        case .unknown:
            unknown += 1
            return "?"
        }
    }
}

/// What a unit's program prints. Texts are printable.
public enum ProgramOutput: Sendable, Hashable {
    case line(String)
    case raised(ProgramFault)
    /// The unit is at its prompt.
    case ended

    init(_ event: ConsoleReader.Event) {
        self = switch event {
        case .line(let line): .line(line)
        case .raised(let exception): .raised(ProgramFault(exception))
        case .ended: .ended
        }
    }
}

/// An exception or error, uncaught or printed by the program.
public struct ProgramFault: Sendable, Hashable {
    /// Such as `ValueError: data will overflow the space reserved for the app`.
    public let lastLine: String
    /// Lines separated by `\n`; the last one is ``lastLine``.
    public let traceback: String

    public init(_ exception: PythonException) { (lastLine, traceback) = (exception.lastLine, exception.traceback) }

    public init(_ exception: LuaException) { (lastLine, traceback) = (exception.programMessage, exception.programMessage) }
}
