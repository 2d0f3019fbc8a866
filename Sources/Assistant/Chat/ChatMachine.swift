import Bluetooth
import Support

/// The whole conversation as a state machine: what comes from the link, the terminal and the responder goes in, what is to be
/// done comes out. One question is worked on at a time; the others wait.
struct ChatMachine {
    enum Input: Sendable {
        case linkUp(payloadSize: Int, UnitStatus)
        case linkDown(reason: String)
        case packet([UInt8])
        /// Printed by the unit's program, cut anywhere.
        case console([UInt8])
        /// The packet handed out last is on the unit.
        case sent
        case command(ChatCommand)
        case progress(work: Int, ResponderProgress)
        case heard(work: Int, Result<String, any Error>)
        case answered(work: Int, Result<AnswerSummary, any Error>)
        /// Something of the link to tell, and nothing to do.
        case told(ChatEvent)
        case tick
    }

    enum Action: Sendable {
        case report(ChatEvent)
        case send([UInt8])
        case hear(work: Int, Sound, AssistantMode)
        case answer(work: Int, Conversation)
        case stopWork
    }

    enum Stage {
        case hearing(work: Int)
        /// `nil`: asked as soon as the unit is there.
        case confirming(ConfirmationID?)
        case answering(work: Int)
    }

    /// Questions that wait, answers that wait, and the one being worked on.
    static let questionLimit = 16
    /// Acknowledgements that wait: more come only from a unit that does not wait for them.
    static let urgentLimit = 16
    /// Bytes of one typed question.
    static let typedLimit = 8 << 10
    /// From the request for a receipt to the receipt. The scripts look for requests every 40 ms; an exception costs them 1 s.
    static let receiptPatience = Duration.seconds(5)
    /// Links that are lost in a row while the same thing waits for the unit: one that is ready and takes nothing would be tried for ever.
    static let lossLimit = 5

    var relay: any AppRelay
    var conversation: Conversation
    let readyTimeout: Duration
    let newConfirmation: @Sendable () -> ConfirmationID

    /// Counts links; 0 before the first.
    var link = 0
    var isUp = false
    var isReady = false
    /// The program has not announced itself in its time: it gets nothing until it does.
    var isSilent = false
    var readyBy: SessionClock.Instant?
    var isRecording = false

    var exchangeCount = 0
    var workCount = 0
    var queue: [Exchange] = []
    var current: (exchange: Exchange, stage: Stage)?
    /// The answer of ``current`` so far.
    var answerText = ""
    var failed: Exchange?
    var isFinishing = false

    var console = ConsoleWatch()
    var outbox = Outbox()
    /// Packets that go before any text.
    var urgent: [[UInt8]] = []
    /// The rest of a message that takes several packets.
    var rest: [[UInt8]] = []
    var isSending = false
    /// Whether the packet being sent belongs to ``outbox``.
    var isSendingText = false
    var maySendAt: SessionClock.Instant?
    /// When the first delivery's receipt has to be there.
    var receiptBy: SessionClock.Instant?
    /// It overtook the link's word that its request is on the unit.
    var earlyReceipt: AnswerReceipt?
    /// Links in a row that were ready and were lost with something waiting for the unit.
    var lossCount = 0

    var actions: [Action] = []

    init(
        relay: any AppRelay, conversation: Conversation, readyTimeout: Duration,
        newConfirmation: @escaping @Sendable () -> ConfirmationID
    ) {
        self.relay = relay
        self.conversation = conversation
        self.readyTimeout = readyTimeout
        self.newConfirmation = newConfirmation
    }

    /// Everything asked is answered, and nobody will ask more.
    var isFinished: Bool {
        isFinishing && queue.isEmpty && current == nil && (outbox.isEmpty || isSilent) && !isRecording && !isSending && urgent.isEmpty
    }

    var nextDeadline: SessionClock.Instant? {
        var deadlines = [relay.nextDeadline, console.nextDeadline, readyBy, receiptBy].compactMap { $0 }
        if isUp, !isSending {
            if let maySendAt {
                deadlines.append(maySendAt)
            } else if isReady, !isRecording, let patience = outbox.nextDeadline {
                deadlines.append(patience)
            }
        }
        return deadlines.min()
    }

    mutating func handle(_ input: Input, now: SessionClock.Instant) -> [Action] {
        take(input, now: now)
        for event in relay.advance(now: now) { take(event, now: now) }
        console.advance(now: now).forEach { report($0) }
        if let readyBy, readyBy <= now {
            // Data before the program's own sign may meet a callback that is no more.
            report(.silent)
            (self.readyBy, isSilent) = (nil, true)
        }
        if let receiptBy, receiptBy <= now { lost(.noReceipt) }
        startNext(now: now)
        send(now: now)
        defer { actions = [] }
        return actions
    }

    private mutating func take(_ input: Input, now: SessionClock.Instant) {
        switch input {
        case .linkUp(let payloadSize, let status): linkUp(payloadSize, status, now: now)
        case .linkDown(let reason): linkDown(reason, now: now)
        case .packet(let packet):
            guard isUp else { return }
            for event in relay.receive(packet, now: now) { take(event, now: now) }
        case .console(let bytes): console.receive(bytes, now: now).forEach { report($0) }
        case .sent: didSend(now: now)
        case .command(let command): take(command)
        case .progress(let work, let progress): take(progress, of: work)
        case .heard(let work, let result): heard(result, work: work, now: now)
        case .answered(let work, let result): answered(result, work: work)
        case .told(let event): report(event)
        case .tick: break
        }
    }

    mutating func report(_ event: ChatEvent) { actions.append(.report(event)) }

    // MARK: - The link

    private mutating func linkUp(_ payloadSize: Int, _ status: UnitStatus, now: SessionClock.Instant) {
        link += 1
        isUp = true
        (isReady, isSilent) = (false, false)
        readyBy = now.advanced(by: readyTimeout)
        relay.linkUp(payloadSize: payloadSize)
        console.beginAnew()
        report(.connected(status))
    }

    private mutating func linkDown(_ reason: String, now: SessionClock.Instant) {
        report(.lost(reason: reason))
        let events = isUp ? relay.linkDown() : []
        let wasReady = isReady
        (isUp, isReady, isRecording, isSending, isSendingText) = (false, false, false, false, false)
        (readyBy, maySendAt) = (nil, nil)
        urgent = []
        rewind()
        for event in events { take(event, now: now) }
        if let current, case .confirming = current.stage { self.current?.stage = .confirming(nil) }
        if wasReady { countLoss(reason) }
        if !outbox.isEmpty { report(.undelivered(outbox.count)) }
    }

    /// What so many links were lost with is given up.
    private mutating func countLoss(_ reason: String) {
        let isConfirming = if case .confirming? = current?.stage { true } else { false }
        lossCount = isConfirming || !outbox.isEmpty ? lossCount + 1 : 0
        guard lossCount == Self.lossLimit else { return }
        lossCount = 0
        if isConfirming { return fail(LinkError.disconnected(reason)) }
        guard let id = outbox.deliveries.first?.id else { return }
        outbox.removeFirst()
        report(.undeliverable(id, .linksLost(count: Self.lossLimit, reason: reason)))
    }

    /// The first delivery is on the unit.
    private mutating func removeDelivery() {
        outbox.removeFirst()
        lossCount = 0
    }

    /// The unit takes text from now on.
    private mutating func becomeReady(now: SessionClock.Instant) {
        (readyBy, isReady, isSilent) = (nil, true, false)
        if let current, case .confirming = current.stage { confirm(now: now) }
    }

    private mutating func take(_ event: RelayEvent, now: SessionClock.Instant) {
        switch event {
        case .ready:
            // A unit that restarted under a link shows nothing of what it got.
            if isReady { rewind() }
            isRecording = false
            report(.ready)
            becomeReady(now: now)
        case .idle: isRecording = false
        case .recordingStarted:
            isRecording = true
            dropQuestions(.superseded)
            // What else the unit was showing is gone from its display.
            rewind()
            report(.listening)
        case .givenUp:
            dropRecording(.givenUp)
            dropQuestions(.byWearer)
        case .photo(let jpeg): report(.photo(jpeg))
        case .utterance(let utterance):
            isRecording = false
            ask(.spoken(utterance), link: link)
        case .nothingRecorded: dropRecording(.empty)
        case .confirmed(let id): confirmed(id)
        case .expired(let id): expired(id)
        case .complaint(let packet): if !outbox.isDelivering { take(.send(packet), now: now) }
        case .send(let packet): if isUp, urgent.count < Self.urgentLimit { urgent.append(packet) }
        case .receipt(let receipt): take(receipt)
        case .notice(let notice): report(.notice(notice))
        }
    }

    private mutating func rewind() {
        stopDelivery()
        outbox.rewind()
    }

    /// What is under way of the first delivery is not sent, and no receipt counts.
    mutating func stopDelivery() { (rest, receiptBy, earlyReceipt) = ([], nil, nil) }

    private mutating func dropRecording(_ reason: ChatEvent.RecordingDrop) {
        if isRecording { report(.recordingDropped(reason)) }
        isRecording = false
    }

    // MARK: - Sending

    private mutating func send(now: SessionClock.Instant) {
        guard isUp, !isSending, maySendAt.map({ $0 <= now }) ?? true else { return }
        maySendAt = nil
        if !urgent.isEmpty { return hand(urgent.removeFirst(), isText: false) }
        while isReady, !isRecording {
            if !rest.isEmpty { return hand(rest.removeFirst(), isText: true) }
            guard let message = outbox.next(capacity: relay.textCapacity, now: now) else { return }
            if case .answer(_, isFirst: true, _) = message, outbox.deliveries.first?.isRepeated == true {
                rest = relay.packets(for: .again)
            }
            rest += relay.packets(for: message)
            if rest.isEmpty { sentAll(now: now) }
        }
    }

    private mutating func hand(_ packet: [UInt8], isText: Bool) {
        (isSending, isSendingText) = (true, isText)
        actions.append(.send(packet))
    }

    private mutating func didSend(now: SessionClock.Instant) {
        guard isSending else { return }
        isSending = false
        maySendAt = now.advanced(by: relay.pace)
        if isSendingText, rest.isEmpty { sentAll(now: now) }
        isSendingText = false
    }

    /// The link has taken all packets that there were.
    private mutating func sentAll(now: SessionClock.Instant) {
        guard receiptBy == nil, let delivery = outbox.deliveries.first, delivery.hasEnded else { return }
        let awaitsReceipt = relay.awaitedReceipt != nil
        if !delivery.isRepeated {
            if !relay.folding.isExact { report(.folded(delivery.id, relay.folding)) }
            report(.sent(delivery.id, awaitsReceipt: awaitsReceipt))
        }
        guard awaitsReceipt else { return removeDelivery() }
        receiptBy = now.advanced(by: Self.receiptPatience)
        if let early = earlyReceipt {
            earlyReceipt = nil
            take(early)
        }
    }

    // MARK: - Receipts

    private mutating func take(_ receipt: AnswerReceipt) {
        guard let expected = relay.awaitedReceipt else { return report(.notice(.unexpectedReceipt)) }
        if receiptBy != nil, let id = outbox.deliveries.first?.id {
            guard receipt == expected else { return lost(.accepted(byteCount: receipt.byteCount, sent: expected.byteCount)) }
            receiptBy = nil
            removeDelivery()
            report(.delivered(id))
        } else if isSendingText, rest.isEmpty, outbox.deliveries.first?.hasEnded == true {
            earlyReceipt = receipt
        } else {
            report(.notice(.unexpectedReceipt))
        }
    }

    /// The first delivery has not arrived: once, all of it is sent again.
    private mutating func lost(_ loss: DeliveryLoss) {
        stopDelivery()
        guard let id = outbox.deliveries.first?.id else { return }
        if outbox.repeatFirst() { return report(.repeated(id, loss)) }
        outbox.removeFirst()
        report(.undeliverable(id, loss))
    }
}
