import Assistant
import Bluetooth
import Cryptography
import REPL
import Support

/// The Monocle's app protocol: 4-character commands, then data (noa-for-ios, `Controller.swift`).
///
/// Our scripts add some, which other apps ignore. `can:` means that the wearer gave up; the answer is `ick:`, after which nothing of the
/// old question comes. A program with `got` in its `rdy:` answers `end:` with `got:`, the count and the check of the text accepted since
/// the last one (``AnswerReceipt``). It begins a page after `new:`, which it also gets first; from then on only `end:` ends an answer,
/// not a pause.
///
/// Noa's own program keeps everything since the last recording, appends whatever comes (each packet's bytes from the fifth on), and sends
/// `rdy:` again whenever it has shown that. Ours begin pages by themselves, keep the newest rows, and send `rdy:` once a link, with the
/// words `rolls` and `got`.
///
/// Tolerates lost messages: sound without `ast:` begins a recording, `aen:` without sound ends none.
struct MonocleRelay: AppRelay {
    private static let commandLength = 4
    private static let acknowledgement = Array("ick:".utf8)
    private static let newPage = Array("new:".utf8)
    /// Bytes of an announcement that are read.
    private static let announcementLimit = 64
    /// Between two complaints on the unit.
    private static let complaintInterval = Duration.seconds(10)

    let receive = AppService.receive
    let transmit = AppService.transmit
    let console: AttributeID? = REPLService.transmit
    /// MicroPython's scheduler holds 4 callbacks and drops the rest; the scripts check for input every 40 ms.
    let pace = Duration.milliseconds(50)

    /// For an MTU of 23, the minimum.
    private var payloadSize = 20
    /// Over this link.
    private var hasAnnounced = false
    private var recorder = WearerRecorder(framesPhotos: true) { Photo(jpeg: $0) }
    private var page = MonoclePage()
    private var pings = PendingPings()
    private var complainedAt: SessionClock.Instant?
    /// The program's announcement promises them.
    private(set) var givesReceipts = false
    private(set) var awaitedReceipt: AnswerReceipt?
    /// Text since the last request for a receipt.
    private var sent: [UInt8] = []

    init() {}

    var textCapacity: Int { max(4, payloadSize - Self.commandLength) }
    var folding: TextFolding { page.folding }
    var nextDeadline: SessionClock.Instant? { [pings.nextDeadline, recorder.stallDeadline].compactMap { $0 }.min() }

    mutating func linkUp(payloadSize: Int) {
        (self.payloadSize, hasAnnounced) = (payloadSize, false)
        recorder.forget()
        (page, givesReceipts, awaitedReceipt, sent) = (MonoclePage(), false, nil, [])
    }

    /// Forgets pending confirmations silently: their turn asks again over the next link.
    mutating func linkDown() -> [RelayEvent] {
        pings = PendingPings()
        page.clear()
        return recorder.abandon(.linkLost)
    }

    mutating func advance(now: SessionClock.Instant) -> [RelayEvent] {
        pings.advance(now: now) + recorder.advance(now: now)
    }

    mutating func confirm(_ id: ConfirmationID, now: SessionClock.Instant) -> [RelayEvent] {
        pings.ask(id, capacity: textCapacity, now: now) { Array("pin:".utf8) + $0 }
    }

    // MARK: - To the unit

    mutating func packets(for message: HostMessage) -> [[UInt8]] {
        switch message {
        case .answer(let text, let isFirst, let isLast):
            let pieces = page.pieces(ofAnswer: text, isFirst: isFirst, capacity: textCapacity)
            if isFirst { (sent, awaitedReceipt) = ([], nil) }
            sent += pieces.joined().utf8
            return pieces.map { Array("res:\($0)".utf8) } + (isLast ? closing() : [])
        case .error(let text):
            let shown = page.error(text, capacity: textCapacity, isAnswer: true)
            sent = Array((shown ?? "").utf8)
            return (shown.map { [Self.errorPacket($0)] } ?? []) + closing()
        case .picture: return []
        case .again:
            guard givesReceipts else { return [] }
            page.clear()
            return [Self.newPage]
        }
    }

    private mutating func closing() -> [[UInt8]] {
        awaitedReceipt = givesReceipts && !sent.isEmpty ? AnswerReceipt(of: sent) : nil
        sent = []
        return awaitedReceipt == nil ? [] : [Array("end:".utf8)]
    }

    private static func errorPacket(_ text: String) -> [UInt8] { Array("err:\(text)".utf8) }

    private mutating func remark(_ text: String) -> [UInt8]? {
        page.error(text, capacity: textCapacity, isAnswer: false).map(Self.errorPacket)
    }

    /// Shows a complaint only now and then, and not while the wearer speaks or reads.
    private mutating func complain(_ notice: RelayNotice, _ text: String, now: SessionClock.Instant) -> [RelayEvent] {
        guard recorder.phase == .idle, !page.showsAnswer, complainedAt.map({ $0.advanced(by: Self.complaintInterval) <= now }) ?? true
        else { return [.notice(notice)] }
        complainedAt = now
        return [.notice(notice)] + (remark(text).map { [.complaint($0)] } ?? [])
    }

    // MARK: - From the unit

    private static let notUnderstood = "The app does not understand this unit."

    mutating func receive(_ packet: [UInt8], now: SessionClock.Instant) -> [RelayEvent] {
        guard packet.count >= Self.commandLength else {
            return complain(.shortMessage(byteCount: packet.count), Self.notUnderstood, now: now)
        }
        let data = packet.dropFirst(Self.commandLength)
        recorder.notePacket(now: now)
        let command = String(decoding: packet.prefix(Self.commandLength), as: UTF8.self)
        // The unit has cleared its display.
        if ["ast:", "ist:", "ien:"].contains(command) || command == "dat:" && recorder.phase == .idle { page.clear() }
        switch command {
        case "rdy:": return announced(data)
        case "ast:": return recorder.begins(now: now)
        case "dat:": return sound(data, now: now)
        case "aen:": return recorder.ends()
        case "ist:": return recorder.photoStarts(now: now)
        case "idt:": return recorder.takePhoto(data)
        case "ien:":
            var events = recorder.photoEnds(now: now)
            events.insert(.send(Self.acknowledgement), at: events.first == .recordingStarted ? 1 : 0)
            return events
        case "got:": return [AnswerReceipt.event(data)]
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

    /// The scripts end a recording when they show an error.
    private mutating func sound(_ data: ArraySlice<UInt8>, now: SessionClock.Instant) -> [RelayEvent] {
        var events = recorder.takeSound(data, now: now)
        if let notice = events.firstIndex(where: { if case .notice(.recordingTooLong) = $0 { true } else { false } }),
            let packet = remark("The recording was too long.") {
            events.insert(.send(packet), at: notice + 1)
        }
        return events
    }

    /// After text, a second `rdy:` comes from a program that has shown and keeps it, not from a restarted one.
    private mutating func announced(_ data: ArraySlice<UInt8>) -> [RelayEvent] {
        let cut = recorder.abandon(.restarted)
        let words = data.prefix(Self.announcementLimit).split(separator: 0x20)
        page.rolls = words.contains { $0.elementsEqual("rolls".utf8) }
        givesReceipts = words.contains { $0.elementsEqual("got".utf8) }
        if !page.rolls, hasAnnounced, !page.isEmpty { return cut + [.idle] }
        hasAnnounced = true
        page.clear()
        return cut + [.ready] + (givesReceipts ? [.send(Self.newPage)] : [])
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

extension AnswerReceipt {
    /// The check is the first four bytes of the SHA-256.
    init(of bytes: [UInt8]) { self.init(bytes.count, check: UInt32(truncatingIfNeeded: SHA256.number(of: bytes))) }
}
