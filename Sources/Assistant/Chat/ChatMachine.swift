import Bluetooth
import REPL
import Support

/// The conversation's state machine, which joins those of the link, the turns, the outbox and the console.
struct ChatMachine {
    enum Input: Sendable {
        case linkUp(payloadSize: Int, UnitStatus)
        case linkDown(reason: String)
        case packet([UInt8])
        /// The program's output, cut anywhere.
        case console([UInt8])
        /// The link has accepted the last packet.
        case sent
        case command(SessionCommand)
        case progress(work: Int, ResponderProgress)
        case heard(work: Int, Result<String, any Error>)
        case answered(work: Int, Result<AnswerSummary, any Error>)
        case told(ChatEvent)
        case tick
    }

    enum Action: Sendable {
        case report(ChatEvent)
        case send([UInt8])
        case hear(work: Int, Sound, AssistantMode)
        case answer(work: Int, Conversation)
        case stopWork
        /// The next link starts the program again.
        case endLink
    }

    /// Links lost in a row while the same message waits for the unit. Without a limit a unit that accepts nothing would be tried for
    /// ever.
    static let lossLimit = 5

    private var relay: any AppRelay
    private let readyTimeout: Duration
    private(set) var link: UnitLink?
    /// The program never announced itself over the last or present link.
    private var isSilent: Bool { link.map { $0.program == .silent } ?? wasSilent }
    private var wasSilent = false
    private var hasStartedAgain = false
    private var linkCount = 0
    private(set) var lossCount = 0
    private(set) var turns: TurnQueue
    private(set) var outbox = Outbox()
    private var console = ConsoleReader()
    private(set) var limit = ReportLimit()
    private var isFinishing = false
    private var actions: [Action] = []

    init(
        relay: any AppRelay, conversation: Conversation, readyTimeout: Duration,
        newConfirmation: @escaping @Sendable () -> ConfirmationID
    ) {
        self.relay = relay
        self.readyTimeout = readyTimeout
        turns = TurnQueue(conversation: conversation, newConfirmation: newConfirmation)
    }

    /// Every question is answered, and no more will come.
    var isFinished: Bool {
        isFinishing && turns.isEmpty && (outbox.isEmpty || isSilent) && link?.isBusy != true
    }

    var nextDeadline: SessionClock.Instant? {
        [relay.nextDeadline, limit.nextDeadline, link?.readyDeadline, outbox.receiptDeadline, sendDeadline].compactMap { $0 }.min()
    }

    private var sendDeadline: SessionClock.Instant? {
        guard let link else { return nil }
        return link.line.isFree && link.takesText ? outbox.textDeadline : link.line.pauseDeadline
    }

    mutating func handle(_ input: Input, now: SessionClock.Instant) -> [Action] {
        take(input, now: now)
        for event in relay.advance(now: now) { take(event, now: now) }
        if let deadline = link?.readyDeadline, deadline <= now { missSign(now: now) }
        report(outbox.advance(now: now))
        turns.startNext(isUnitReady: link?.isReady == true)
        settle(now: now)
        send(now: now)
        defer { actions = [] }
        return limit.bound(actions, now: now)
    }

    private mutating func take(_ input: Input, now: SessionClock.Instant) {
        switch input {
        case .linkUp(let payloadSize, let status): linkUp(payloadSize, status, now: now)
        case .linkDown(let reason): linkDown(reason, now: now)
        case .packet(let packet):
            guard link != nil else { return }
            for event in relay.receive(packet, now: now) { take(event, now: now) }
        case .console(let bytes): for event in console.receive(bytes) { reportPrinted(ProgramOutput(event)) }
        case .sent:
            let pace = relay.pace
            if link?.line.taken(pause: pace, now: now) == true { reportDelivery(outbox.packetTaken(now: now)) }
        case .command(let command): take(command, now: now)
        case .progress(let work, let progress): turns.take(progress, of: work)
        case .heard(let work, let result): turns.heard(result, work: work, isUnitReady: link?.isReady == true)
        case .answered(let work, let result): turns.answered(result, work: work)
        case .told(let event): report(event)
        case .tick: break
        }
        settle(now: now)
    }

    private mutating func take(_ command: SessionCommand, now: SessionClock.Instant) {
        switch command {
        case .ask(let text): turns.ask(typed: text, undeliveredCount: outbox.count)
        case .clearHistory: turns.clearHistory()
        case .switchMode(let mode): turns.switchMode(to: mode)
        case .cancelAnswer: turns.cancelCurrent(.byUser)
        case .retry: turns.retry()
        case .finish: isFinishing = true
        case .show(let picture): turns.show(picture, isPossible: relay.takesPictures, undeliveredCount: outbox.count)
        case .tell(let text): turns.tell(text, undeliveredCount: outbox.count)
        case .ping(let id): if link?.isReady == true { confirm(id, now: now) }
        }
    }

    // MARK: - The link

    private mutating func linkUp(_ payloadSize: Int, _ status: UnitStatus, now: SessionClock.Instant) {
        linkCount += 1
        link = UnitLink(readyBy: now.advanced(by: readyTimeout))
        relay.linkUp(payloadSize: payloadSize)
        outbox.rewind()
        console = ConsoleReader()
        report(.connected(status))
    }

    private mutating func linkDown(_ reason: String, now: SessionClock.Instant) {
        report(.lost(reason: reason))
        let events = link == nil ? [] : relay.linkDown()
        let wasReady = link?.isReady == true
        (wasSilent, link) = (isSilent, nil)
        outbox.rewind()
        for event in events { take(event, now: now) }
        turns.linkLost()
        if wasReady { countLoss(reason, now: now) }
        if !outbox.isEmpty { report(.undelivered(outbox.count)) }
    }

    /// Gives up the message that lost so many links.
    private mutating func countLoss(_ reason: String, now: SessionClock.Instant) {
        let isConfirming = turns.current?.isUnconfirmed == true
        lossCount = isConfirming || !outbox.isEmpty ? lossCount + 1 : 0
        guard lossCount == Self.lossLimit else { return }
        lossCount = 0
        if isConfirming {
            turns.failCurrent(LinkError.disconnected(reason))
            settle(now: now)
        } else {
            report(outbox.giveUpFirst(.linksLost(count: Self.lossLimit, reason: reason)))
        }
    }

    /// One sign may be lost on its way.
    private mutating func missSign(now: SessionClock.Instant) {
        guard hasStartedAgain else {
            hasStartedAgain = true
            let deadline = now.advanced(by: readyTimeout)
            link?.wait(until: deadline)
            return actions.append(.endLink)
        }
        link?.fallSilent()
        report(.silent)
    }

    // MARK: - The unit

    private mutating func take(_ event: RelayEvent, now: SessionClock.Instant) {
        switch event {
        case .ready:
            // A unit which restarted during a link shows nothing of what it got.
            if link?.isReady == true { outbox.rewind() }
            link?.becomeReady()
            hasStartedAgain = false
            report(.ready)
            turns.confirm()
        case .idle: link?.isRecording = false
        case .recordingStarted:
            link?.isRecording = true
            drop(.superseded, now: now)
            // The display no longer shows anything else.
            outbox.rewind()
            report(.listening)
        case .givenUp:
            endRecording(.givenUp)
            drop(.byWearer, now: now)
        case .photo(let photo): report(.photo(photo))
        case .utterance(let utterance):
            link?.isRecording = false
            turns.ask(.spoken(utterance), link: linkCount, undeliveredCount: outbox.count)
        case .nothingRecorded: endRecording(.empty)
        case .confirmed(let id): if turns.confirmed(id) { lossCount = 0 } else { report(.pong(id)) }
        case .expired(let id): turns.expired(id)
        case .complaint(let packet): if !outbox.isDelivering { queue(packet) }
        case .send(let packet): queue(packet)
        case .receipt(let receipt): reportDelivery(outbox.receive(receipt))
        case .taken: link?.line.acknowledged()
        case .version(let version): report(.version(version))
        case .printed(let output): reportPrinted(output)
        case .notice(let notice): report(.notice(notice))
        }
        settle(now: now)
    }

    private mutating func queue(_ packet: [UInt8]) {
        if let link, link.line.urgent.count < PacketLine.urgentLimit { self.link?.line.queue(packet) }
    }

    private mutating func endRecording(_ reason: ChatEvent.RecordingDrop) {
        if link?.isRecording == true { report(.recordingDropped(reason)) }
        link?.isRecording = false
    }

    /// The wearer no longer waits for this link's questions.
    private mutating func drop(_ reason: ChatEvent.Cancellation, now: SessionClock.Instant) {
        turns.drop(link: linkCount, reason)
        settle(now: now)
        for id in outbox.dropAll(of: linkCount) { report(.cancelled(id, reason)) }
    }

    // MARK: - Actions

    private mutating func report(_ event: ChatEvent) { actions.append(.report(event)) }
    private mutating func report(_ events: [ChatEvent]) { actions += events.map(Action.report) }

    private mutating func reportPrinted(_ output: ProgramOutput) {
        switch output {
        case .line(""): break
        case .line(let line): report(.console(line))
        case .raised(let fault): report(.raised(fault))
        case .ended: report(.programEnded)
        }
    }

    private mutating func reportDelivery(_ events: [ChatEvent]) {
        for event in events {
            switch event {
            case .delivered, .sent(_, awaitsReceipt: false): lossCount = 0
            default: break
            }
        }
        report(events)
    }

    /// Performs the turns' effects.
    private mutating func settle(now: SessionClock.Instant) {
        for effect in turns.takeEffects() {
            switch effect {
            case .act(let action): actions.append(action)
            case .deliver(let order): if let dropped = outbox.take(order) { report(.cancelled(dropped, .queueFull)) }
            case .confirm(let id): confirm(id, now: now)
            }
        }
    }

    private mutating func confirm(_ id: ConfirmationID, now: SessionClock.Instant) {
        for event in relay.confirm(id, now: now) {
            // The question goes out however many acknowledgements wait.
            if case .send(let packet) = event { link?.line.queue(packet) } else { take(event, now: now) }
        }
    }

    private mutating func send(now: SessionClock.Instant) {
        link?.line.advance(now: now)
        if let packet = link?.line.takeUrgent() { return actions.append(.send(packet)) }
        guard let link, link.line.isFree, link.takesText else { return }
        let next = outbox.nextPacket(through: &relay, now: now)
        reportDelivery(next.events)
        guard let packet = next.packet else { return }
        self.link?.line.beginText()
        actions.append(.send(packet))
    }
}
