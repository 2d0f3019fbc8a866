import Support

/// The conversation's turns as a state machine: one is worked on, the others wait.
struct TurnQueue {
    enum Effect {
        case act(ChatMachine.Action)
        /// Ask the unit whether its wearer still waits.
        case confirm(ConfirmationID)
        case deliver(Outbox.Order)
    }

    /// Questions that wait, answers that wait, and the question being worked on.
    static let limit = 16
    /// Bytes of one typed question.
    static let typedLimit = 8 << 10

    private(set) var conversation: Conversation
    private(set) var waiting: [Turn] = []
    var current: Turn?
    /// Asked again on request.
    var lastFailed: Turn?
    private var turnCount = 0
    private(set) var workCount = 0
    private let newConfirmation: @Sendable () -> ConfirmationID
    private var effects: [Effect] = []

    init(conversation: Conversation, newConfirmation: @escaping @Sendable () -> ConfirmationID) {
        (self.conversation, self.newConfirmation) = (conversation, newConfirmation)
    }

    var isEmpty: Bool { waiting.isEmpty && current == nil }

    // MARK: - Effects

    mutating func report(_ event: ChatEvent) { effects.append(.act(.report(event))) }
    mutating func act(_ action: ChatMachine.Action) { effects.append(.act(action)) }
    mutating func deliver(_ order: Outbox.Order) { effects.append(.deliver(order)) }

    /// An error for the unit's display: a sentence without a full stop.
    mutating func tellUnit(_ text: String, about turn: Turn) {
        deliver(.error(text.prefix(1).uppercased() + text.dropFirst(), for: turn.id, link: turn.link))
    }

    mutating func takeEffects() -> [Effect] {
        defer { effects = [] }
        return effects
    }

    mutating func nextWork() -> Int {
        workCount += 1
        return workCount
    }

    // MARK: - Questions

    /// - Parameter undeliveredCount: answers that wait for the unit.
    mutating func ask(_ question: Turn.Question, link: Int?, undeliveredCount: Int) -> [Effect] {
        turnCount += 1
        let turn = Turn(id: TurnID(number: turnCount), question: question, link: link)
        report(.asked(turn.id, turn.announcement))
        if case .typed("") = question {
            report(.cancelled(turn.id, .nothingSaid))
        } else if waiting.count + undeliveredCount + (current == nil ? 0 : 1) < Self.limit {
            waiting.append(turn)
        } else {
            report(.cancelled(turn.id, .queueFull))
            if turn.isSpoken { tellUnit("Too many questions are waiting.", about: turn) }
        }
        return takeEffects()
    }

    /// - Parameter text: as it was typed.
    mutating func ask(typed text: String, undeliveredCount: Int) -> [Effect] {
        let clean = PlainText.withoutLeadingSpace(PlainText.clean(text))
        let question = String(PlainText.prefix(of: clean[...], atMostBytes: Self.typedLimit))
        return ask(.typed(question), link: nil, undeliveredCount: undeliveredCount)
    }

    // MARK: - What nobody asks

    /// - Parameter isPossible: whether the unit's display takes pictures.
    mutating func show(_ picture: DisplayPicture, isPossible: Bool, undeliveredCount: Int) -> [Effect] {
        beginDelivery(.picture(height: picture.height), undeliveredCount, isPossible ? nil : .noPictures) { .picture(picture, for: $0) }
    }

    mutating func tell(_ text: String, undeliveredCount: Int) -> [Effect] {
        let clean = PlainText.clean(text)
        return beginDelivery(.notice(clean), undeliveredCount, clean.isEmpty ? .nothingSaid : nil) { .notice(clean, for: $0) }
    }

    private mutating func beginDelivery(
        _ kind: ChatEvent.Question, _ undeliveredCount: Int, _ obstacle: ChatEvent.Cancellation?, order: (TurnID) -> Outbox.Order
    ) -> [Effect] {
        turnCount += 1
        let id = TurnID(number: turnCount)
        report(.asked(id, kind))
        if let obstacle = obstacle ?? (undeliveredCount < Self.limit ? nil : .queueFull) {
            report(.cancelled(id, obstacle))
        } else {
            deliver(order(id))
        }
        return takeEffects()
    }

    mutating func retry() -> [Effect] {
        guard var turn = lastFailed else { return [] }
        lastFailed = nil
        turn.state = .waiting
        waiting.insert(turn, at: 0)
        report(.asked(turn.id, turn.announcement))
        return takeEffects()
    }

    mutating func startNext(isUnitReady: Bool) -> [Effect] {
        while current == nil, !waiting.isEmpty {
            let turn = waiting.removeFirst()
            current = turn
            switch turn.question {
            case .typed(let text): answer(turn, text)
            case .spoken(let utterance): start(turn, utterance, isUnitReady)
            }
        }
        return takeEffects()
    }

    private mutating func start(_ turn: Turn, _ utterance: Utterance, _ isUnitReady: Bool) {
        if let transcript = turn.transcript { return understood(transcript, isUnitReady) }
        let mode = conversation.mode
        if utterance.sound.samples.isEmpty { return understood(turn.transcript(of: "", heardAs: mode), isUnitReady) }
        let work = nextWork()
        current?.state = .transcribing(work: work, mode)
        act(.hear(work: work, utterance.sound, mode))
    }

    // MARK: - The conversation

    mutating func clearHistory() -> [Effect] {
        conversation.clear()
        report(.historyCleared(.byUser))
        return takeEffects()
    }

    mutating func switchMode(to mode: AssistantMode) -> [Effect] {
        guard conversation.switchMode(to: mode) else { return [] }
        report(.mode(mode))
        report(.historyCleared(.modeSwitch))
        return takeEffects()
    }

    mutating func addQuestion(_ text: String, photo: Photo?) { conversation.ask(text, photo: photo) }

    /// What was said so far stays in the conversation; a question without any of it is taken back.
    mutating func keepHistory(ofPart text: String) {
        if text.isEmpty { conversation.withdrawQuestion() } else { remember(text, totalTokens: nil) }
    }

    /// The answer joins its question; there is none when the history was cleared meanwhile.
    mutating func remember(_ answer: String, totalTokens: Int?) {
        guard conversation.messages.last?.role == .user else { return }
        if conversation.answered(answer, totalTokens: totalTokens) { report(.historyCleared(.tokenLimit)) }
    }

    // MARK: - Wearers who do not wait

    /// Drops what was asked over this link.
    mutating func drop(link: Int, _ reason: ChatEvent.Cancellation) -> [Effect] {
        for turn in waiting where turn.link == link { report(.cancelled(turn.id, reason)) }
        waiting.removeAll { $0.link == link }
        if current?.link == link { cancel(reason) }
        return takeEffects()
    }

    mutating func makeConfirmation() -> ConfirmationID {
        let id = newConfirmation()
        effects.append(.confirm(id))
        return id
    }
}
