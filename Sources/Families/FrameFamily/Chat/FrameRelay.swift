import Assistant
import Bluetooth
import REPL
import Support

/// The Frame's app protocol (``FrameMessage``). Messages and the program's output share one characteristic.
///
/// The firmware holds one message for the program; a second one replaces it. Our scripts answer each with ``FrameMessage/taken``, which
/// releases the next; other programs get one each 50 ms, as from the phone app. A receipt proves a complete answer or picture by count
/// and CRC-32.
///
/// A program announces its version at its start and on each new link. It is ready once it has answered ``FrameMessage/hello``, or ignored
/// it twice.
struct FrameRelay: AppRelay {
    let receive = LuaService.receive
    let transmit = LuaService.transmit
    let security = LinkSecurity.bonded
    let takesPictures = true
    var probe: [UInt8]? { FrameMessage.versionRequest.packet() }

    private static let plainPace = Duration.milliseconds(50)
    /// A program that draws or sends accepts a message when it is done.
    private static let takenTimeout = Duration.seconds(2)

    /// For an MTU of 23, the minimum.
    private var payloadSize = 20
    private var greeting = FrameGreeting()
    private var recorder: WearerRecorder
    private var pings = PendingPings()
    private var text = FrameText()
    /// Since the last start message.
    private var sent: [UInt8] = []
    private(set) var awaitedReceipt: AnswerReceipt?

    init(recording: RecordingLimits = RecordingLimits()) {
        recorder = WearerRecorder(limits: recording, framesPhotos: false, develop: FrameMessage.photo)
    }

    var pace: Duration { givesReceipts ? Self.takenTimeout : Self.plainPace }
    var textCapacity: Int { max(4, payloadSize - 2) }
    var givesReceipts: Bool { greeting.isAnswered }
    var folding: TextFolding { text.folding }

    var nextDeadline: SessionClock.Instant? {
        [greeting.deadline, recorder.stallDeadline, pings.nextDeadline].compactMap { $0 }.min()
    }

    mutating func linkUp(payloadSize: Int) {
        self.payloadSize = min(payloadSize, 244)
        greeting = FrameGreeting()
        recorder.forget()
    }

    mutating func linkDown() -> [RelayEvent] {
        pings = PendingPings()
        return recorder.abandon(.linkLost)
    }

    mutating func advance(now: SessionClock.Instant) -> [RelayEvent] {
        greeting.advance(now: now) + pings.advance(now: now) + recorder.advance(now: now)
    }

    /// A program that does not answer pings is assumed to wait.
    mutating func confirm(_ id: ConfirmationID, now: SessionClock.Instant) -> [RelayEvent] {
        givesReceipts ? pings.ask(id, capacity: textCapacity, now: now) { FrameMessage.ping.packet($0) } : [.confirmed(id)]
    }

    // MARK: - To the unit

    mutating func packets(for message: HostMessage) -> [[UInt8]] {
        switch message {
        case .answer(let piece, let isFirst, let isLast):
            return (isFirst ? [start()] : []) + pieces(of: piece) + (isLast ? closing() : [])
        case .error(let message): return [start()] + pieces(of: message) + closing()
        case .picture(let picture):
            let begin = start()
            let header = picture.palette + [UInt8(picture.height >> 8), UInt8(picture.height & 0xFF)]
            sent = header + picture.rows
            // The vendor's program shows each message as one row (`append_image`).
            let size = givesReceipts ? textCapacity : min(textCapacity, DisplayPicture.bytesPerRow)
            let rows = stride(from: 0, to: picture.rows.count, by: size).map {
                FrameMessage.rows.packet(picture.rows[$0..<min(picture.rows.count, $0 + size)])
            }
            return [begin, FrameMessage.palette.packet(header)] + rows + closing()
        // A start message clears the display.
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
        return PlainText.pieces(of: shown, atMostBytes: textCapacity).map { FrameMessage.text.packet($0.utf8) }
    }

    private mutating func closing() -> [[UInt8]] {
        awaitedReceipt = givesReceipts && !sent.isEmpty ? AnswerReceipt(crcOf: sent) : nil
        return [FrameMessage.end.packet()] + (awaitedReceipt == nil ? [] : [FrameMessage.receipt.packet()])
    }

    // MARK: - From the unit

    func answersProbe(_ packet: [UInt8]) -> Bool { packet.starts(with: FrameMessage.version.packet()) }

    func showsLife(_ packet: [UInt8]) -> Bool { packet.first == FrameMessage.mark }

    mutating func receive(_ packet: [UInt8], now: SessionClock.Instant) -> [RelayEvent] {
        guard packet.first == FrameMessage.mark else { return Self.printed(packet).map { .printed($0) } }
        guard packet.count > 1 else { return [.notice(.shortMessage(byteCount: 0))] }
        recorder.notePacket(now: now)
        let data = packet.dropFirst(2)
        switch FrameMessage(rawValue: packet[1]) {
        case .start: return recorder.begins(now: now)
        case .image: return recorder.takePhoto(data)
        case .audio: return recorder.takeSound(data, now: now)
        case .text: return recorder.takeText(data, now: now)
        case .end: return recorder.ends()
        case .version: return announced(data, now: now)
        case .hello: return greeting.answered() + [.taken]
        case .cancel:
            recorder.forget()
            return [.givenUp, .send(FrameMessage.cancel.packet())]
        case .taken: return [.taken]
        case .receipt: return [AnswerReceipt.event(data)]
        case .ping:
            guard let text = String(validating: data, as: UTF8.self), let id = pings.take(ConfirmationID(text)) else {
                return [.notice(.unknownConfirmation(PrintableText.of(data.prefix(60))))]
            }
            return [.confirmed(id)]
        case .palette, .rows, .versionRequest, nil:
            return [.notice(.unknownCommand("0x" + HexText.encode([packet[1]]), byteCount: packet.count - 1))]
        }
    }

    /// A program that announces itself again has restarted.
    private mutating func announced(_ data: ArraySlice<UInt8>, now: SessionClock.Instant) -> [RelayEvent] {
        // The unit's pieces are as large as possible, down to a multiple of 4; the last one is shorter.
        let isWhole = data.count < (payloadSize - 2) / 4 * 4
        guard let version = greeting.take(version: data, isWhole: isWhole) else { return [] }
        return recorder.abandon(.restarted) + [.version(version)] + greeting.ask(attempt: 1, now: now)
    }

    /// Printed text, or the text of an error (frame-codebase, `luaport.c`).
    private static func printed(_ bytes: [UInt8]) -> [ProgramOutput] {
        let exception = LuaException(bytes)
        let line = ProgramOutput.line(PrintableText.of(bytes.prefix(500)))
        if exception.isInterruption { return [line, .ended] }
        if exception.endsProgram { return [line, .raised(ProgramFault(exception)), .ended] }
        return exception.message.wholeMatch(of: /\[string ".*"\]:[0-9]+: .*/) == nil ? [line] : [line, .raised(ProgramFault(exception))]
    }
}

extension AnswerReceipt {
    init(crcOf bytes: [UInt8]) { self.init(bytes.count, check: CRC32.of(bytes)) }
}

/// The program's version, our ``FrameMessage/hello``, its answer.
private struct FrameGreeting {
    private enum State {
        case silent
        case asked(attempt: Int, until: SessionClock.Instant)
        case ready(isAnswered: Bool)
    }

    private static let timeout = Duration.seconds(1)
    private static let attempts = 2
    private static let versionLimit = 200

    private var state = State.silent
    private var version: [UInt8] = []

    var isAnswered: Bool { if case .ready(isAnswered: true) = state { true } else { false } }

    var deadline: SessionClock.Instant? { if case .asked(_, let deadline) = state { deadline } else { nil } }

    /// - Returns: the complete version. Printable.
    mutating func take(version data: ArraySlice<UInt8>, isWhole: Bool) -> String? {
        version = Array((version + data).prefix(Self.versionLimit))
        guard isWhole else { return nil }
        defer { version = [] }
        return PrintableText.of(version)
    }

    mutating func ask(attempt: Int, now: SessionClock.Instant) -> [RelayEvent] {
        state = .asked(attempt: attempt, until: now.advanced(by: Self.timeout))
        return [.send(FrameMessage.hello.packet())]
    }

    mutating func answered() -> [RelayEvent] {
        guard case .asked = state else { return [] }
        state = .ready(isAnswered: true)
        return [.ready]
    }

    mutating func advance(now: SessionClock.Instant) -> [RelayEvent] {
        guard case .asked(let attempt, let deadline) = state, deadline <= now else { return [] }
        if attempt < Self.attempts { return ask(attempt: attempt + 1, now: now) }
        state = .ready(isAnswered: false)
        return [.ready]
    }
}
