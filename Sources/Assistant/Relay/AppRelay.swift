import Bluetooth
import Support

/// One family's app protocol as a state machine: packets and time in, events out; no I/O and no clock of its own.
///
/// The session knows a family by this alone. ``MonocleRelay`` speaks 4-character commands, ``FrameRelay`` messages behind 0x01.
public protocol AppRelay: Sendable {
    /// Where the app's messages are written, and where the unit's come from.
    var receive: AttributeID { get }
    var transmit: AttributeID { get }
    /// Where what the unit's program prints comes from; `nil` where it comes with its messages (``RelayEvent/printed(_:)``).
    var console: AttributeID? { get }
    /// What a link has to be before it is used.
    var security: LinkSecurity { get }

    /// The time between two packets to the unit, at most: ``RelayEvent/taken`` ends it.
    var pace: Duration { get }

    /// Asks a program that runs to announce itself; `nil` where there is no such message.
    var probe: [UInt8]? { get }

    /// Whether this is what ``probe`` asks for, asked or not.
    func answersProbe(_ packet: [UInt8]) -> Bool

    /// Whether this shows that the unit's program runs.
    func showsLife(_ packet: [UInt8]) -> Bool

    /// The unit's display takes pictures (``HostMessage/picture(_:)``).
    var takesPictures: Bool { get }

    /// Bytes of UTF-8 in one packet of text.
    var textCapacity: Int { get }

    /// The unit answers each completed message with what it accepted of it (``RelayEvent/receipt(_:)``).
    var givesReceipts: Bool { get }

    /// When ``advance(now:)`` has something to do.
    var nextDeadline: SessionClock.Instant? { get }

    /// A link is there.
    /// - Parameter payloadSize: bytes of one write or notification at most.
    mutating func linkUp(payloadSize: Int)

    /// The link is gone; a recording under way has ended here.
    mutating func linkDown() -> [RelayEvent]

    mutating func receive(_ packet: [UInt8], now: SessionClock.Instant) -> [RelayEvent]
    mutating func advance(now: SessionClock.Instant) -> [RelayEvent]

    /// Asks the unit whether the wearer still waits for an answer. A family that has no such question confirms at once.
    mutating func confirm(_ id: ConfirmationID, now: SessionClock.Instant) -> [RelayEvent]

    /// What became of the answer's or error's characters so far, of which ``packets(for:)`` made packets last.
    var folding: TextFolding { get }

    /// The packets that carry a message. An answer begins anew with its first piece.
    mutating func packets(for message: HostMessage) -> [[UInt8]]

    /// What the last packets asked a receipt for; `nil` when they did not.
    var awaitedReceipt: AnswerReceipt? { get }
}

extension AppRelay {
    public var security: LinkSecurity { .open }
    public var probe: [UInt8]? { nil }
    public var takesPictures: Bool { false }

    public func answersProbe(_ packet: [UInt8]) -> Bool { false }
    public func showsLife(_ packet: [UInt8]) -> Bool { true }
}

/// A confirmation that the unit was asked for; unguessable, so that a late answer cannot be taken for another.
public struct ConfirmationID: Hashable, Sendable, CustomStringConvertible {
    public let description: String
    public init(_ text: String) { description = text }
}

/// What the host has to say to the unit.
public enum HostMessage: Sendable, Hashable {
    /// A piece of an answer that fits ``AppRelay/textCapacity``, or the end of it with an empty text.
    case answer(String, isFirst: Bool, isLast: Bool)
    case error(String)
    /// For a unit that ``AppRelay/takesPictures``.
    case picture(DisplayPicture)
    /// What was shown of the last answer goes from the display: it comes again.
    case again
}

/// What a packet or the passing of time meant.
public enum RelayEvent: Sendable, Hashable {
    /// The unit's program has started, or has noticed the link: it takes text from now on.
    case ready
    /// It waits for its wearer again, and keeps what it shows.
    case idle
    /// The wearer takes a picture or speaks. Text sent before the recording's end would be lost.
    case recordingStarted
    /// A whole picture. Sound follows.
    case photo(Photo)
    /// A recording is complete.
    case utterance(Utterance)
    /// A recording ended with nothing in it.
    case nothingRecorded
    /// The wearer gave up what they were saying, or the question that waits for an answer.
    case givenUp
    case confirmed(ConfirmationID)
    /// No confirmation came in time: the wearer does not wait any more.
    case expired(ConfirmationID)
    /// A packet for the unit, such as an acknowledgement, that goes before everything else.
    case send([UInt8])
    /// As ``send(_:)``, but only between two messages: the unit would count its text as part of one.
    case complaint([UInt8])
    /// What the unit accepted since the last one, or since its display was cleared.
    case receipt(AnswerReceipt)
    /// The unit's program has the packet that was sent last, and can hold another.
    case taken
    /// The version of the unit's scripts, as its program tells it. Printable.
    case version(String)
    case printed(ProgramOutput)
    case notice(RelayNotice)
}

/// What a wearer said, and the picture that goes with it.
public struct Utterance: Sendable, Hashable {
    public var sound: Sound
    public var photo: Photo?
    /// What the unit's program asks in its wearer's name, beside what is said.
    public var text: String
    /// The recording did not come to its own end.
    public var cut: Cut?

    public enum Cut: String, Sendable, Hashable { case tooLong, linkLost, stalled, restarted }

    public init(sound: Sound, photo: Photo? = nil, text: String = "", cut: Cut? = nil) {
        (self.sound, self.photo, self.text, self.cut) = (sound, photo, text, cut)
    }
}

/// Something is not as it should be, but the conversation goes on. Text from the unit in here is printable.
public enum RelayNotice: Sendable, Hashable {
    case unknownCommand(String, byteCount: Int)
    case shortMessage(byteCount: Int)
    /// What should have been text is not UTF-8.
    case brokenText(command: String, String)
    case unknownConfirmation(String)
    case brokenReceipt(String)
    /// Nothing was sent that it could be for.
    case unexpectedReceipt
    case recordingTooLong(limitSeconds: Int)
    /// The picture is dropped.
    case photoTooLarge(limitBytes: Int)
    case photoIncomplete(byteCount: Int)
    /// The picture has no known form.
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
