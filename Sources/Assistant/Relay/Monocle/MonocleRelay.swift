import Bluetooth
import REPL
import Support

/// The Monocle's app protocol: 4-character commands, then data (noa-for-ios, `Controller.swift`).
///
/// Our scripts add some, which an app that does not know them passes over: `can:`, the wearer gave up; it is answered by
/// `ick:`, after which nothing of the old question comes. A program that says `got` in its `rdy:` answers `end:` with `got:`,
/// the count and the check of the text that it accepted since the last one (``AnswerReceipt``), and begins a page after `new:`,
/// which it also gets first of all: from then on only `end:` ends an answer, not a pause.
///
/// Text goes out as the display's font has it (``DisplayText``). Noa's own program keeps all that came since the last recording,
/// appends to it whatever comes (of any packet, the bytes from the fifth on), and says `rdy:` anew whenever it has shown that;
/// ours begin anew by themselves, keep the newest rows only, and say `rdy:` once a link, with the words `rolls` for that and `got`.
///
/// Lenient where a lost message explains what comes: sound without `ast:` begins a recording, `aen:` without sound ends none.
public struct MonocleRelay: AppRelay {
    public struct Limits: Sendable, Hashable {
        public var recording = RecordingLimits()
        /// From `pin:` to `pon:`.
        public var confirmation = Duration.seconds(6)
        /// Confirmations asked for at the same time.
        public var confirmations = 8
        /// At most one complaint on the unit in this time.
        public var complaints = Duration.seconds(10)
        /// Heap that a program has for its text when it keeps all of it. Of 39,936 bytes Noa's scripts, the modules they
        /// import and a frame leave about 19,000; a quarter of that is for fragments. About 1300 characters.
        public var textHeap = 14_000
        /// Beyond that, for errors on a full display.
        public var errorHeap = 1500

        public init() {}
    }

    static let commandLength = 4
    private static let acknowledgement = Array("ick:".utf8)
    private static let newPage = Array("new:".utf8)
    /// Bytes of an announcement that are looked at.
    private static let announcementLimit = 64

    public let receive = AppService.receive
    public let transmit = AppService.transmit
    public let console: AttributeID? = REPLService.transmit
    /// MicroPython's scheduler holds 4 callbacks and drops the rest; the scripts look at what came every 40 ms.
    public let pace = Duration.milliseconds(50)

    let limits: Limits
    private var payloadSize = 23 - 3
    /// The unit's program has announced itself over this link.
    private var hasAnnounced = false
    private var recorder: WearerRecorder
    private var page: MonoclePage
    private var receipts = MonocleReceipts()
    private var pings = PendingPings()
    private var complainedAt: SessionClock.Instant?

    public init(limits: Limits = Limits()) {
        self.limits = limits
        (recorder, page) = (Self.recorder(limits), MonoclePage(limits: limits))
    }

    private static func recorder(_ limits: Limits) -> WearerRecorder {
        WearerRecorder(limits: limits.recording, framesPhotos: true) { Photo(jpeg: $0) }
    }

    public var textCapacity: Int { max(4, payloadSize - Self.commandLength) }
    public var givesReceipts: Bool { receipts.areGiven }
    public var awaitedReceipt: AnswerReceipt? { receipts.awaited }
    public var folding: TextFolding { page.folding }

    public var nextDeadline: SessionClock.Instant? { [pings.nextDeadline, recorder.stallDeadline].compactMap { $0 }.min() }

    public mutating func linkUp(payloadSize: Int) {
        self.payloadSize = payloadSize
        hasAnnounced = false
        (recorder, page, receipts) = (Self.recorder(limits), MonoclePage(limits: limits), MonocleReceipts())
    }

    /// Confirmations that were asked for are forgotten in silence: the one who asked asks again over the next link.
    public mutating func linkDown() -> [RelayEvent] {
        pings = PendingPings()
        page.clear()
        return recorder.abandon(.linkLost)
    }

    public mutating func advance(now: SessionClock.Instant) -> [RelayEvent] {
        pings.advance(now: now) + recorder.advance(now: now)
    }

    public mutating func confirm(_ id: ConfirmationID, now: SessionClock.Instant) -> [RelayEvent] {
        let expired = pings.add(id, until: now.advanced(by: limits.confirmation), limit: limits.confirmations)
        let text = TextChunker.prefix(of: id.description[...], atMostBytes: textCapacity)
        return expired + [.send(Array("pin:\(text)".utf8))]
    }
}

// MARK: - To the unit

extension MonocleRelay {
    public mutating func packets(for message: HostMessage) -> [[UInt8]] {
        switch message {
        case .answer(let text, let isFirst, let isLast):
            let pieces = page.pieces(ofAnswer: text, isFirst: isFirst, capacity: textCapacity)
            if isFirst { receipts.beginAnswer() }
            receipts.note(pieces)
            return pieces.map { Array("res:\($0)".utf8) } + (isLast ? receipts.requestPackets() : [])
        case .error(let text):
            let shown = page.error(text, capacity: textCapacity, isAnswer: true).map { [$0] } ?? []
            receipts.beginAnswer()
            receipts.note(shown)
            return shown.map(Self.errorPacket) + receipts.requestPackets()
        case .picture: return []
        case .again:
            guard givesReceipts else { return [] }
            page.clear()
            return [Self.newPage]
        }
    }

    private static func errorPacket(_ text: String) -> [UInt8] { Array("err:\(text)".utf8) }

    /// Not an answer to anything.
    private mutating func remark(_ text: String) -> [[UInt8]] {
        page.error(text, capacity: textCapacity, isAnswer: false).map { [Self.errorPacket($0)] } ?? []
    }

    /// Tells both ends; the wearer only now and then, and not while they speak or read.
    private mutating func complain(_ notice: RelayNotice, _ text: String, now: SessionClock.Instant) -> [RelayEvent] {
        guard recorder.phase == .idle, !page.showsAnswer,
            complainedAt.map({ $0.advanced(by: limits.complaints) <= now }) ?? true
        else { return [.notice(notice)] }
        complainedAt = now
        return [.notice(notice)] + remark(text).map { .complaint($0) }
    }
}

// MARK: - From the unit

extension MonocleRelay {
    private static let notUnderstood = "The app does not understand this unit."

    public mutating func receive(_ packet: [UInt8], now: SessionClock.Instant) -> [RelayEvent] {
        guard packet.count >= Self.commandLength else {
            return complain(.shortMessage(byteCount: packet.count), Self.notUnderstood, now: now)
        }
        let data = packet.dropFirst(Self.commandLength)
        recorder.notePacket(now: now)
        switch String(decoding: packet.prefix(Self.commandLength), as: UTF8.self) {
        case "rdy:": return announced(data)
        case "ast:": return relayed(recorder.begins(now: now))
        case "dat:": return relayed(recorder.takeSound(data, now: now))
        case "aen:": return relayed(recorder.ends())
        case "ist:": return relayed(recorder.photoStarts(now: now))
        case "idt:": return relayed(recorder.takePhoto(data))
        case "ien:": return photoEnded(now: now)
        case "got:": return receipt(data)
        case "pon:": return confirmation(data, now: now)
        case "can:":
            recorder.forget()
            page.clear()
            return [.givenUp, .send(Self.acknowledgement)]
        default:
            let command = PrintableText.of(packet.prefix(Self.commandLength))
            return complain(.unknownCommand(command, byteCount: packet.count), Self.notUnderstood, now: now)
        }
    }

    private mutating func photoEnded(now: SessionClock.Instant) -> [RelayEvent] {
        var events = relayed(recorder.photoEnds(now: now))
        events.insert(.send(Self.acknowledgement), at: events.first == .recordingStarted ? 1 : 0)
        return events
    }

    private mutating func relayed(_ events: [WearerRecorder.Event]) -> [RelayEvent] {
        var result: [RelayEvent] = []
        for event in events {
            switch event {
            case .relay(let event): result.append(event)
            case .displayCleared: page.clear()
            // The scripts end a recording when they show an error.
            case .overflowed: result += remark("The recording was too long.").map { .send($0) }
            }
        }
        return result
    }

    /// A second `rdy:` after text comes from a program that has shown it and keeps it, not from one that has begun anew.
    private mutating func announced(_ data: ArraySlice<UInt8>) -> [RelayEvent] {
        let cut = recorder.abandon(.restarted)
        let words = data.prefix(Self.announcementLimit).split(separator: 0x20)
        page.rolls = words.contains { $0.elementsEqual("rolls".utf8) }
        receipts.areGiven = words.contains { $0.elementsEqual("got".utf8) }
        if !page.rolls, hasAnnounced, !page.isEmpty { return cut + [.idle] }
        hasAnnounced = true
        page.clear()
        return cut + [.ready] + (givesReceipts ? [.send(Self.newPage)] : [])
    }

    private func receipt(_ data: ArraySlice<UInt8>) -> [RelayEvent] {
        guard let receipt = AnswerReceipt(parsing: data.prefix(20)) else {
            return [.notice(.brokenReceipt(PrintableText.of(data.prefix(60))))]
        }
        return [.receipt(receipt)]
    }

    private mutating func confirmation(_ data: ArraySlice<UInt8>, now: SessionClock.Instant) -> [RelayEvent] {
        let shown = PrintableText.of(data.prefix(60))
        guard let text = String(validating: data, as: UTF8.self) else {
            return complain(.brokenText(command: "pon:", shown), Self.notUnderstood, now: now)
        }
        guard let id = pings.take(ConfirmationID(text)) else {
            return complain(.unknownConfirmation(shown), "That question was given up. Ask again.", now: now)
        }
        return [.confirmed(id)]
    }
}
