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
        /// One recording; the scripts make 6 s.
        public var recordingSeconds = 60
        /// One picture; the camera makes 20 to 60 KB.
        public var photoBytes = 256 << 10
        /// Silence on the link within a recording after which it counts as ended.
        public var stall = Duration.seconds(8)
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

    /// Sound that is worth an answer although its recording was cut, in seconds.
    private static let leastSeconds = 0.5
    static let rate = 8000
    private static let commandLength = 4
    private static let newPage = Array("new:".utf8)
    /// Bytes of an announcement that are looked at.
    private static let announcementLimit = 64

    enum Recording: Equatable {
        case none
        case photo
        case sound
        /// Too long, and cut; what still comes of it is passed over.
        case overflowing
    }

    public let receive = AppService.receive
    public let transmit = AppService.transmit
    public let console = REPLService.transmit
    /// MicroPython's scheduler holds 4 callbacks and drops the rest; the scripts look at what came every 40 ms.
    public let pace = Duration.milliseconds(50)

    let limits: Limits
    private var payloadSize = 23 - 3
    private var recording = Recording.none
    private var sound: [UInt8] = []
    private var incoming: [UInt8] = []
    private var photo: [UInt8]?
    private var stallsAt: SessionClock.Instant?
    private var pings: [(id: ConfirmationID, expires: SessionClock.Instant)] = []
    private var complainedAt: SessionClock.Instant?
    /// The display shows an answer, which a complaint would replace.
    private var showsAnswer = false
    /// The unit's program has announced itself over this link.
    private var hasAnnounced = false
    /// It keeps the newest rows only, however much comes. Others keep all of it until the next recording.
    private var rolls = false
    public private(set) var givesReceipts = false
    public private(set) var awaitedReceipt: AnswerReceipt?
    /// Text of the answer under way.
    private var text: [UInt8] = []
    /// Heap that holds the text since the display was cleared for certain.
    private var heldHeap = 0
    private var answer = DisplayText(room: .init())
    public private(set) var folding = TextFolding()

    public init(limits: Limits = Limits()) { self.limits = limits }

    public var textCapacity: Int { max(4, payloadSize - Self.commandLength) }

    public var nextDeadline: SessionClock.Instant? { (pings.map(\.expires) + [stallsAt].compactMap { $0 }).min() }

    public mutating func linkUp(payloadSize: Int) {
        self.payloadSize = payloadSize
        forget()
        clearDisplay()
        (hasAnnounced, rolls, givesReceipts) = (false, false, false)
        (awaitedReceipt, text) = (nil, [])
    }

    /// Confirmations that were asked for are forgotten in silence: the one who asked asks again over the next link.
    public mutating func linkDown() -> [RelayEvent] {
        pings = []
        clearDisplay()
        return abandon(.linkLost)
    }

    public mutating func receive(_ packet: [UInt8], now: SessionClock.Instant) -> [RelayEvent] {
        guard packet.count >= Self.commandLength else {
            return complain(.shortMessage(byteCount: packet.count), "The app does not understand this unit.", now: now)
        }
        let data = packet.dropFirst(Self.commandLength)
        if recording != .none { stallsAt = now.advanced(by: limits.stall) }
        switch String(decoding: packet.prefix(Self.commandLength), as: UTF8.self) {
        case "rdy:": return announced(data)
        case "ast:": return soundStarts(now: now)
        case "dat:": return takeSound(data, now: now)
        case "aen:": return soundEnds()
        case "ist:": return photoStarts(now: now)
        case "idt:": return takePhoto(data)
        case "ien:": return photoEnds(now: now)
        case "got:": return takeReceipt(data)
        case "pon:": return takeConfirmation(data, now: now)
        case "can:":
            forget()
            clearDisplay()
            return [.givenUp, .send(Array("ick:".utf8))]
        default:
            let command = PrintableText.of(packet.prefix(Self.commandLength))
            return complain(.unknownCommand(command, byteCount: packet.count), "The app does not understand this unit.", now: now)
        }
    }

    /// Tells both ends; the wearer only now and then, and not while they speak or read.
    private mutating func complain(_ notice: RelayNotice, _ text: String, now: SessionClock.Instant) -> [RelayEvent] {
        guard recording == .none, !showsAnswer, complainedAt.map({ $0.advanced(by: limits.complaints) <= now }) ?? true else {
            return [.notice(notice)]
        }
        complainedAt = now
        return [.notice(notice)] + error(text).packets.map { .complaint($0) }
    }

    public mutating func advance(now: SessionClock.Instant) -> [RelayEvent] {
        let expired = pings.filter { $0.expires <= now }
        pings.removeAll { $0.expires <= now }
        var events = expired.map { RelayEvent.expired($0.id) }
        if let stallsAt, stallsAt <= now {
            if recording == .sound { events.append(.notice(.recordingStalled(seconds: seconds))) }
            events += abandon(.stalled)
        }
        return events
    }

    public mutating func confirm(_ id: ConfirmationID, now: SessionClock.Instant) -> [RelayEvent] {
        var events: [RelayEvent] = []
        if pings.count >= limits.confirmations { events.append(.expired(pings.removeFirst().id)) }
        pings.append((id, now.advanced(by: limits.confirmation)))
        let text = TextCutter.prefix(of: id.description[...], atMostBytes: textCapacity)
        return events + [.send(Array("pin:\(text)".utf8))]
    }

    public mutating func packets(for message: HostMessage) -> [[UInt8]] {
        switch message {
        case .answer(let text, let isFirst, let isLast):
            if isFirst { answer = DisplayText(room: .init(heap: heap(of: limits.textHeap))) }
            let shown = answer.take(text)
            folding = answer.folding
            if isFirst { (self.text, awaitedReceipt) = ([], nil) }
            if shown.isEmpty { return isLast ? receiptRequest() : [] }
            showsAnswer = true
            let pieces = TextCutter.pieces(of: separated(shown, if: isFirst), atMostBytes: textCapacity)
            self.text += pieces.flatMap(\.utf8)
            return pieces.map { Array("res:\($0)".utf8) } + (isLast ? receiptRequest() : [])
        case .error(let text):
            let shown = error(text)
            folding = shown.folding
            self.text = shown.packets.flatMap { $0.dropFirst(Self.commandLength) }
            return shown.packets + receiptRequest()
        case .again:
            guard givesReceipts else { return [] }
            clearDisplay()
            return [Self.newPage]
        case .bitmap(let bytes):
            let pieces = stride(from: 0, to: bytes.count, by: textCapacity).map { start in
                Array("bdt:".utf8) + bytes[start..<min(start + textCapacity, bytes.count)]
            }
            return [Array("bst:".utf8)] + pieces + [Array("ben:".utf8)]
        }
    }

    private mutating func receiptRequest() -> [[UInt8]] {
        awaitedReceipt = givesReceipts && !text.isEmpty ? AnswerReceipt(of: text) : nil
        text = []
        return awaitedReceipt == nil ? [] : [Array("end:".utf8)]
    }

    /// One packet: a second `err:` would replace the first.
    private mutating func error(_ text: String) -> (packets: [[UInt8]], folding: TextFolding) {
        let room = DisplayText.Room(
            bytes: textCapacity - (heldHeap > 0 ? 1 : 0), heap: heap(of: limits.textHeap + limits.errorHeap))
        let shown = DisplayText.whole(text, room: room)
        guard !shown.text.isEmpty else { return ([], shown.folding) }
        showsAnswer = false
        return ([Array("err:\(separated(shown.text, if: true))".utf8)], shown.folding)
    }

    private func heap(of limit: Int) -> Int { rolls ? .max : limit - heldHeap }

    /// A new text goes to a line of its own: a program may append it to what it shows. Ours pass over a line end at the top.
    private mutating func separated(_ text: String, if isFirst: Bool) -> String {
        let result = isFirst && heldHeap > 0 ? "\n\(text)" : text
        heldHeap += DisplayText.HeapBytes.held(by: result)
        return result
    }

    private mutating func clearDisplay() { (showsAnswer, heldHeap) = (false, 0) }
}

// MARK: - What the unit sends

extension MonocleRelay {
    private var seconds: Double { Double(sound.count) / Double(Self.rate) }

    private mutating func forget() {
        recording = .none
        stallsAt = nil
        (sound, incoming, photo) = ([], [], nil)
    }

    /// A second `rdy:` after text comes from a program that has shown it and keeps it, not from one that has begun anew.
    private mutating func announced(_ data: ArraySlice<UInt8>) -> [RelayEvent] {
        let cut = abandon(.restarted)
        let words = data.prefix(Self.announcementLimit).split(separator: 0x20)
        rolls = words.contains { $0.elementsEqual("rolls".utf8) }
        givesReceipts = words.contains { $0.elementsEqual("got".utf8) }
        if !rolls, hasAnnounced, heldHeap > 0 { return cut + [.idle] }
        hasAnnounced = true
        clearDisplay()
        return cut + [.ready] + (givesReceipts ? [.send(Self.newPage)] : [])
    }

    /// What there is of a recording that will not go on: an utterance where it is long enough to hold words.
    private mutating func abandon(_ cut: Utterance.Cut) -> [RelayEvent] {
        defer { forget() }
        if !incoming.isEmpty { return [.notice(.photoIncomplete(byteCount: incoming.count)), .nothingRecorded] }
        guard recording == .sound, seconds >= Self.leastSeconds || photo != nil else {
            return recording == .sound || recording == .photo ? [.nothingRecorded] : []
        }
        return [.utterance(Utterance(sound: Sound(bytes: sound, rate: Self.rate), photo: photo, cut: cut))]
    }

    private mutating func begin(_ kind: Recording, now: SessionClock.Instant) -> [RelayEvent] {
        let isNew = recording == .none || recording == .overflowing
        recording = kind
        stallsAt = now.advanced(by: limits.stall)
        clearDisplay()
        return isNew ? [.recordingStarted] : []
    }

    private mutating func soundStarts(now: SessionClock.Instant) -> [RelayEvent] {
        recording = .none
        forget()
        return begin(.sound, now: now)
    }

    private mutating func takeSound(_ data: ArraySlice<UInt8>, now: SessionClock.Instant) -> [RelayEvent] {
        guard recording != .overflowing else { return [] }
        let events = recording == .sound ? [] : begin(.sound, now: now)
        let room = limits.recordingSeconds * Self.rate - sound.count
        sound += data.prefix(room)
        guard data.count > room else { return events }
        let utterance = Utterance(sound: Sound(bytes: sound, rate: Self.rate), photo: photo, cut: .tooLong)
        forget()
        recording = .overflowing
        // The scripts end a recording when they show an error.
        let stop = error("The recording was too long.").packets.map { RelayEvent.send($0) }
        return events + [.notice(.recordingTooLong(limitSeconds: limits.recordingSeconds))] + stop + [.utterance(utterance)]
    }

    private mutating func soundEnds() -> [RelayEvent] {
        defer { forget() }
        if recording == .overflowing { return [] }
        if sound.isEmpty, photo == nil { return [.nothingRecorded] }
        return [.utterance(Utterance(sound: Sound(bytes: sound, rate: Self.rate), photo: photo))]
    }

    private mutating func photoStarts(now: SessionClock.Instant) -> [RelayEvent] {
        (incoming, photo) = ([], nil)
        return begin(.photo, now: now)
    }

    private mutating func takePhoto(_ data: ArraySlice<UInt8>) -> [RelayEvent] {
        // Without its beginning a JPEG is nothing.
        guard recording == .photo else { return [] }
        guard incoming.count + data.count <= limits.photoBytes else {
            incoming = []
            recording = .sound
            return [.notice(.photoTooLarge(limitBytes: limits.photoBytes))]
        }
        incoming += data
        return []
    }

    private mutating func photoEnds(now: SessionClock.Instant) -> [RelayEvent] {
        let acknowledgement = RelayEvent.send(Array("ick:".utf8))
        let events = begin(.sound, now: now)
        sound = []
        guard !incoming.isEmpty else { return events + [acknowledgement] }
        photo = incoming
        incoming = []
        return events + [acknowledgement, .photo(photo ?? [])]
    }

    private func takeReceipt(_ data: ArraySlice<UInt8>) -> [RelayEvent] {
        guard let receipt = AnswerReceipt(parsing: data.prefix(20)) else {
            return [.notice(.brokenReceipt(PrintableText.of(data.prefix(60))))]
        }
        return [.receipt(receipt)]
    }

    private mutating func takeConfirmation(_ data: ArraySlice<UInt8>, now: SessionClock.Instant) -> [RelayEvent] {
        let shown = PrintableText.of(data.prefix(60))
        guard let text = String(validating: data, as: UTF8.self) else {
            return complain(.brokenText(command: "pon:", shown), "The app does not understand this unit.", now: now)
        }
        let id = ConfirmationID(text)
        guard let index = pings.firstIndex(where: { $0.id == id }) else {
            return complain(.unknownConfirmation(shown), "That question was given up. Ask again.", now: now)
        }
        pings.remove(at: index)
        return [.confirmed(id)]
    }
}
