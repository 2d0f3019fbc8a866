import Bluetooth
import REPL
import Support

/// One family's app protocol as a state machine: packets and time in, events out. The session knows a family by this alone.
public protocol AppRelay: Sendable {
    /// Where the app's messages go to, and where the unit's come from.
    var receive: AttributeID { get }
    var transmit: AttributeID { get }
    /// Where the program's prints come from; `nil` where they come with its messages (``RelayEvent/printed(_:)``).
    var console: AttributeID? { get }
    var security: LinkSecurity { get }
    /// Between two packets to the unit, unless ``RelayEvent/taken`` comes before.
    var pace: Duration { get }
    /// Asks a running program to announce itself; `nil` where there is no such message.
    var probe: [UInt8]? { get }
    /// This is what ``probe`` asks for, asked or not.
    func answersProbe(_ packet: [UInt8]) -> Bool
    /// This shows that the unit's program runs.
    func showsLife(_ packet: [UInt8]) -> Bool
    var takesPictures: Bool { get }
    /// Bytes of UTF-8 in one packet of text.
    var textCapacity: Int { get }
    var nextDeadline: SessionClock.Instant? { get }

    /// - Parameter payloadSize: bytes of one write or notification.
    mutating func linkUp(payloadSize: Int)
    /// A recording under way ends here.
    mutating func linkDown() -> [RelayEvent]
    mutating func receive(_ packet: [UInt8], now: SessionClock.Instant) -> [RelayEvent]
    mutating func advance(now: SessionClock.Instant) -> [RelayEvent]
    /// Asks the unit whether its wearer still waits. A family without such a question confirms at once.
    mutating func confirm(_ id: ConfirmationID, now: SessionClock.Instant) -> [RelayEvent]
    /// What became of the characters of the answer or error so far.
    var folding: TextFolding { get }
    /// The packets that carry a message. An answer begins anew with its first piece.
    mutating func packets(for message: HostMessage) -> [[UInt8]]
    /// What the last packets asked a receipt for, if they did.
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
    /// A piece of an answer that fits ``AppRelay/textCapacity``, or the end of it with an empty text.
    case answer(String, isFirst: Bool, isLast: Bool)
    case error(String)
    case picture(DisplayPicture)
    /// The display forgets the last answer: it comes again.
    case again
}

/// What a packet or the passing of time meant.
public enum RelayEvent: Sendable, Hashable {
    /// The unit's program takes text from now on.
    case ready
    /// It waits for its wearer again, and keeps what it shows.
    case idle
    /// The wearer takes a picture or speaks. Text sent before the end would be lost.
    case recordingStarted
    /// A whole picture. Sound follows.
    case photo(Photo)
    case utterance(Utterance)
    /// A recording ended with nothing in it.
    case nothingRecorded
    /// The wearer gave up the recording, or the question that waits for an answer.
    case givenUp
    case confirmed(ConfirmationID)
    /// The wearer does not wait any more.
    case expired(ConfirmationID)
    /// A packet that goes before everything else, such as an acknowledgement.
    case send([UInt8])
    /// As ``send(_:)``, but only between two messages: the unit would count it as part of one.
    case complaint([UInt8])
    /// For what it accepted since the last one, or since its display was cleared.
    case receipt(AnswerReceipt)
    /// The unit's program can hold another packet.
    case taken
    /// Of the unit's scripts, as its program reports it. Printable.
    case version(String)
    case printed(ProgramOutput)
    case notice(RelayNotice)
}

public struct Utterance: Sendable, Hashable {
    public var sound: Sound
    public var photo: Photo?
    /// What the unit's program asks beside that.
    public var text: String
    /// Why the recording did not come to its own end.
    public var cut: Cut?

    public enum Cut: String, Sendable, Hashable { case tooLong, linkLost, stalled, restarted }

    public init(sound: Sound, photo: Photo? = nil, text: String = "", cut: Cut? = nil) {
        (self.sound, self.photo, self.text, self.cut) = (sound, photo, text, cut)
    }
}

/// A problem that does not end the conversation. Its text from the unit is printable.
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

/// An exception or error that nobody caught, or that the program printed.
public struct ProgramFault: Sendable, Hashable {
    /// Such as `ValueError: data will overflow the space reserved for the app`.
    public let lastLine: String
    /// Lines parted by `\n`; the last one is ``lastLine``.
    public let traceback: String

    public init(_ exception: PythonException) { (lastLine, traceback) = (exception.lastLine, exception.traceback) }

    public init(_ exception: LuaException) { (lastLine, traceback) = (exception.programMessage, exception.programMessage) }
}
