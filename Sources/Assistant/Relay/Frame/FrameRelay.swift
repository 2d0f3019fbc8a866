import Bluetooth
import REPL
import Support

/// The Frame's app protocol (``FrameMessage``). Messages and what the program prints come over one characteristic.
///
/// The firmware holds one message for the program, and a second one replaces it. Our scripts therefore say ``FrameMessage/taken`` of
/// each, and the next one goes when they have; other programs get one each 50 ms, as the phone app does it. A receipt proves a
/// whole answer or picture, by count and CRC-32.
///
/// A program announces itself by its version when it starts and when a link comes. It is ready when it has answered ``FrameMessage/hello``,
/// or when it has left that unanswered twice.
public struct FrameRelay: AppRelay {
    public struct Limits: Sendable, Hashable {
        public var recording = RecordingLimits()
        /// From ``FrameMessage/ping`` to its answer.
        public var confirmation = Duration.seconds(6)
        /// Confirmations asked for at the same time.
        public var confirmations = 8

        public init() {}
    }

    public let receive = LuaService.receive
    public let transmit = LuaService.transmit
    public let console: AttributeID? = nil
    public let security = LinkSecurity.bonded
    public let takesPictures = true
    public var probe: [UInt8]? { FrameMessage.versionRequest.packet() }

    /// How the phone app parts its messages.
    private static let plainPace = Duration.milliseconds(50)
    /// A program that draws or sends takes a message when it is done.
    private static let takenTimeout = Duration.seconds(2)
    /// A unit's MTU is 23 until it was asked for more.
    private static let leastPayload = 23 - 3

    let limits: Limits
    var payloadSize = leastPayload
    var greeting = FrameGreeting()
    var recorder: WearerRecorder
    var pings = PendingPings()
    private var text = FrameText()
    /// Accepted since the last start message, if all went well.
    private var sent: [UInt8] = []
    public private(set) var awaitedReceipt: AnswerReceipt?

    public init(limits: Limits = Limits()) {
        self.limits = limits
        recorder = Self.recorder(limits)
    }

    private static func recorder(_ limits: Limits) -> WearerRecorder {
        WearerRecorder(limits: limits.recording, framesPhotos: false) { FramePhoto.photo(of: $0) }
    }

    public var pace: Duration { greeting.isAnswered ? Self.takenTimeout : Self.plainPace }
    public var textCapacity: Int { max(4, payloadSize - 2) }
    public var givesReceipts: Bool { greeting.isAnswered }
    public var folding: TextFolding { text.folding }

    public var nextDeadline: SessionClock.Instant? {
        [greeting.deadline, recorder.stallDeadline, pings.nextDeadline].compactMap { $0 }.min()
    }

    public mutating func linkUp(payloadSize: Int) {
        self.payloadSize = min(payloadSize, 244)
        (greeting, recorder) = (FrameGreeting(), Self.recorder(limits))
    }

    public mutating func linkDown() -> [RelayEvent] {
        pings = PendingPings()
        return recorder.abandon(.linkLost)
    }

    public mutating func advance(now: SessionClock.Instant) -> [RelayEvent] {
        greeting.advance(now: now) + pings.advance(now: now) + recorder.advance(now: now)
    }

    /// A program that does not answer pings is taken to wait.
    public mutating func confirm(_ id: ConfirmationID, now: SessionClock.Instant) -> [RelayEvent] {
        guard greeting.isAnswered else { return [.confirmed(id)] }
        let expired = pings.add(id, until: now.advanced(by: limits.confirmation), limit: limits.confirmations)
        let name = TextChunker.prefix(of: id.description[...], atMostBytes: textCapacity)
        return expired + [.send(FrameMessage.ping.packet(name.utf8))]
    }
}

// MARK: - To the unit

extension FrameRelay {
    public mutating func packets(for message: HostMessage) -> [[UInt8]] {
        switch message {
        case .answer(let piece, let isFirst, let isLast):
            return (isFirst ? [start()] : []) + pieces(of: piece) + (isLast ? closing() : [])
        case .error(let message): return [start()] + pieces(of: message) + closing()
        case .picture(let picture):
            let begin = start()
            sent = picture.header + picture.rows
            // The vendor's program takes each message for one row (`append_image`).
            let size = greeting.isAnswered ? textCapacity : min(textCapacity, DisplayPicture.bytesPerRow)
            let rows = stride(from: 0, to: picture.rows.count, by: size).map {
                FrameMessage.rows.packet(picture.rows[$0..<min(picture.rows.count, $0 + size)])
            }
            return [begin, FrameMessage.palette.packet(picture.header)] + rows + closing()
        // A start message begins anew.
        case .again: return []
        }
    }

    private mutating func start() -> [UInt8] {
        (text, sent, awaitedReceipt) = (FrameText(), [], nil)
        return FrameMessage.start.packet()
    }

    private mutating func pieces(of piece: String) -> [[UInt8]] {
        let shown = text.take(piece)
        sent += shown.utf8
        return TextChunker.pieces(of: shown, atMostBytes: textCapacity).map { FrameMessage.text.packet($0.utf8) }
    }

    private mutating func closing() -> [[UInt8]] {
        awaitedReceipt = greeting.isAnswered && !sent.isEmpty ? AnswerReceipt(crcOf: sent) : nil
        return [FrameMessage.end.packet()] + (awaitedReceipt == nil ? [] : [FrameMessage.receipt.packet()])
    }
}
