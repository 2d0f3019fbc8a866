import Support

/// The conversation's turns: one is active, the others wait. Results collect as effects.
struct TurnQueue {
    enum Effect {
        case act(ChatMachine.Action)
        /// Ask the unit whether its wearer still waits.
        case confirm(ConfirmationID)
        case deliver(Outbox.Order)
    }

    /// Waiting questions and answers, and the active question.
    static let limit = 16
    static let typedLimit = 8 << 10
    private static let photoQuestion = "What do you see in this picture?"
    private static let cutMark = " [cut off]"

    private(set) var conversation: Conversation
    private(set) var waiting: [Turn] = []
    private(set) var current: Turn?
    private var lastFailed: Turn?
    private var turnCount = 0
    private(set) var workCount = 0
    private let newConfirmation: @Sendable () -> ConfirmationID
    private var effects: [Effect] = []

    init(conversation: Conversation, newConfirmation: @escaping @Sendable () -> ConfirmationID) {
        (self.conversation, self.newConfirmation) = (conversation, newConfirmation)
    }

    var isEmpty: Bool { waiting.isEmpty && current == nil }

    mutating func takeEffects() -> [Effect] {
        defer { effects = [] }
        return effects
    }

    private mutating func report(_ event: ChatEvent) { effects.append(.act(.report(event))) }
    private mutating func deliver(_ order: Outbox.Order) { effects.append(.deliver(order)) }

    /// Shows an error on the unit: a sentence without a full stop.
    private mutating func tellUnit(_ text: String, about turn: Turn) {
        let sentence = text.prefix(1).uppercased() + text.dropFirst()
        deliver(.add(Outbox.Delivery(turn.id, .error, link: turn.link, text: sentence, isWhole: true)))
    }

    private mutating func nextTurn() -> TurnID {
        turnCount += 1
        return TurnID(number: turnCount)
    }

    private mutating func nextWork() -> Int {
        workCount += 1
        return workCount
    }

    // MARK: - Questions

    /// - Parameter undeliveredCount: answers that wait for the unit.
    mutating func ask(_ question: Turn.Question, link: Int?, undeliveredCount: Int) {
        let turn = Turn(id: nextTurn(), question: question, link: link)
        report(.asked(turn.id, turn.announcement))
        if case .typed("") = question {
            report(.cancelled(turn.id, .nothingSaid))
        } else if waiting.count + undeliveredCount + (current == nil ? 0 : 1) < Self.limit {
            waiting.append(turn)
        } else {
            report(.cancelled(turn.id, .queueFull))
            if turn.link != nil { tellUnit("Too many questions are waiting.", about: turn) }
        }
    }

    mutating func ask(typed text: String, undeliveredCount: Int) {
        let clean = PlainText.withoutLeadingSpace(PlainText.clean(text))
        let question = String(PlainText.prefix(of: clean[...], atMostBytes: Self.typedLimit))
        ask(.typed(question), link: nil, undeliveredCount: undeliveredCount)
    }

    mutating func retry() {
        guard var turn = lastFailed else { return }
        lastFailed = nil
        turn.state = .waiting
        waiting.insert(turn, at: 0)
        report(.asked(turn.id, turn.announcement))
    }

    mutating func startNext(isUnitReady: Bool) {
        while current == nil, !waiting.isEmpty {
            let turn = waiting.removeFirst()
            current = turn
            switch turn.question {
            case .typed(let text): answer(turn, text)
            case .spoken(let utterance): start(turn, utterance, isUnitReady)
            }
        }
    }

    private mutating func start(_ turn: Turn, _ utterance: Utterance, _ isUnitReady: Bool) {
        if let transcript = turn.transcript { return understood(transcript, isUnitReady) }
        let mode = conversation.mode
        if utterance.sound.samples.isEmpty { return understood(turn.transcript(of: "", heardAs: mode), isUnitReady) }
        let work = nextWork()
        current?.state = .transcribing(work: work, mode)
        effects.append(.act(.hear(work: work, utterance.sound, mode)))
    }

    // MARK: - What nobody asks

    mutating func show(_ picture: DisplayPicture, isPossible: Bool, undeliveredCount: Int) {
        announce(.picture(height: picture.height), .picture(picture), "", undeliveredCount, isPossible ? nil : .noPictures)
    }

    mutating func tell(_ text: String, undeliveredCount: Int) {
        let clean = PlainText.clean(text)
        announce(.notice(clean), .answer, clean, undeliveredCount, clean.isEmpty ? .nothingSaid : nil)
    }

    private mutating func announce(
        _ question: ChatEvent.Question, _ kind: Outbox.Delivery.Kind, _ text: String, _ undeliveredCount: Int,
        _ obstacle: ChatEvent.Cancellation?
    ) {
        let id = nextTurn()
        report(.asked(id, question))
        if let obstacle = obstacle ?? (undeliveredCount < Self.limit ? nil : .queueFull) { return report(.cancelled(id, obstacle)) }
        deliver(.add(Outbox.Delivery(id, kind, link: nil, text: text, isWhole: true)))
    }

    // MARK: - Understanding

    mutating func heard(_ result: Result<String, any Error>, work: Int, isUnitReady: Bool) {
        guard let turn = current, case .transcribing(work, let mode) = turn.state else { return }
        switch result {
        case .success(let text): understood(turn.transcript(of: text, heardAs: mode), isUnitReady)
        case .failure(let error): failCurrent(error)
        }
    }

    private mutating func understood(_ transcript: Turn.Transcript, _ isUnitReady: Bool) {
        guard let turn = current else { return }
        if transcript.text.isEmpty, turn.photo == nil {
            report(.cancelled(turn.id, .nothingSaid))
            tellUnit("Nothing was said.", about: turn)
            current = nil
            return
        }
        report(.heard(turn.id, transcript.text))
        current?.transcript = transcript
        current?.state = .transcribed
        if isUnitReady { confirm() }
    }

    // MARK: - Confirming

    /// A program that has just become ready has forgotten earlier requests.
    mutating func confirm() {
        guard current?.isUnconfirmed == true else { return }
        let id = newConfirmation()
        current?.state = .confirming(id)
        effects.append(.confirm(id))
    }

    /// The next link asks again.
    mutating func linkLost() {
        if current?.isUnconfirmed == true { current?.state = .transcribed }
    }

    /// - Returns: `false` when the active turn does not wait for this.
    mutating func confirmed(_ id: ConfirmationID) -> Bool {
        guard let turn = current, case .confirming(id) = turn.state, let transcript = turn.transcript else { return false }
        if transcript.mode == .translator, !transcript.text.isEmpty {
            translated(turn, transcript.text)
        } else {
            answer(turn, transcript.text.isEmpty ? Self.photoQuestion : transcript.text)
        }
        return true
    }

    mutating func expired(_ id: ConfirmationID) {
        guard let turn = current, case .confirming(id) = turn.state else { return }
        giveUp(turn)
        report(.cancelled(turn.id, .byWearer))
    }

    private mutating func translated(_ turn: Turn, _ text: String) {
        current = nil
        deliver(.add(Outbox.Delivery(turn.id, link: turn.link, text: text, isWhole: true)))
        report(.answerPiece(turn.id, text))
        report(.answered(turn.id, text, nil))
    }

    // MARK: - Answering

    private mutating func answer(_ turn: Turn, _ question: String) {
        let work = nextWork()
        current?.state = .answering(work: work, text: "")
        conversation.ask(question, photo: turn.photo)
        deliver(.add(Outbox.Delivery(turn.id, link: turn.link)))
        report(.thinking(turn.id))
        effects.append(.act(.answer(work: work, conversation)))
    }

    mutating func take(_ progress: ResponderProgress, of work: Int) {
        guard let turn = current else { return }
        switch (progress, turn.state) {
        case (.text(let text), .answering(work, let answer)):
            let clean = PlainText.clean(text)
            let piece = answer.isEmpty ? PlainText.withoutLeadingSpace(clean) : clean
            guard !piece.isEmpty else { return }
            current?.state = .answering(work: work, text: answer + piece)
            deliver(.append(piece, to: turn.id))
            report(.answerPiece(turn.id, piece))
        case (.retrying(let delay, let error), .answering(work, _)), (.retrying(let delay, let error), .transcribing(work, _)):
            report(.retrying(turn.id, after: delay, because: error))
        case (.text, _), (.retrying, _): break
        }
    }

    mutating func answered(_ result: Result<AnswerSummary, any Error>, work: Int) {
        guard let turn = current, case .answering(work, let text) = turn.state else { return }
        switch result {
        case .failure(let error): failCurrent(error)
        case .success where text.isEmpty: failCurrent(AssistantError.emptyAnswer)
        case .success(let summary):
            current = nil
            if summary.cutShort != nil { deliver(.append(Self.cutMark, to: turn.id)) }
            deliver(.end(turn.id))
            report(.answered(turn.id, text, summary.cutShort))
            remember(text, totalTokens: summary.totalTokens)
        }
    }

    // MARK: - Giving up

    mutating func failCurrent(_ error: any Error) {
        guard let turn = current else { return }
        let known = error as? any DiagnosableError ?? AssistantError.notUnderstood("\(type(of: error))")
        giveUp(turn)
        deliver(.drop(turn.id))
        report(.failed(turn.id, known))
        tellUnit(known.diagnosis.message, about: turn)
    }

    mutating func cancelCurrent(_ reason: ChatEvent.Cancellation) {
        guard let turn = current else { return }
        effects.append(.act(.stopWork))
        giveUp(turn)
        deliver(.drop(turn.id))
        report(.cancelled(turn.id, reason))
        if reason == .byUser { tellUnit("Cancelled.", about: turn) }
    }

    /// Keeps what was answered so far in the conversation; removes a question without any answer.
    private mutating func giveUp(_ turn: Turn) {
        if case .answering(_, let text) = turn.state {
            if text.isEmpty { conversation.withdrawQuestion() } else { remember(text, totalTokens: nil) }
        }
        current = nil
        lastFailed = turn
    }

    mutating func drop(link: Int, _ reason: ChatEvent.Cancellation) {
        for turn in waiting where turn.link == link { report(.cancelled(turn.id, reason)) }
        waiting.removeAll { $0.link == link }
        if current?.link == link { cancelCurrent(reason) }
    }

    // MARK: - The conversation

    mutating func clearHistory() {
        conversation.clear()
        report(.historyCleared(.byUser))
    }

    mutating func switchMode(to mode: AssistantMode) {
        guard conversation.switchMode(to: mode) else { return }
        report(.mode(mode))
        report(.historyCleared(.modeSwitch))
    }

    /// Unless the history was cleared meanwhile.
    private mutating func remember(_ answer: String, totalTokens: Int?) {
        guard conversation.messages.last?.role == .user else { return }
        if conversation.answered(answer, totalTokens: totalTokens) { report(.historyCleared(.tokenLimit)) }
    }
}
