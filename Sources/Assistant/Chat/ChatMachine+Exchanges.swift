import Bluetooth
import Support

// A question's way: asked → heard → confirmed → answered.
extension ChatMachine {
    /// What a photo is asked when nothing was said with it.
    private static let photoQuestion = "What do you see in this picture?"
    private static let cutMark = " [cut off]"

    mutating func take(_ command: ChatCommand) {
        switch command {
        case .ask(let text):
            let clean = PlainText.withoutLeadingSpace(PlainText.clean(text))
            ask(.typed(String(TextCutter.prefix(of: clean[...], atMostBytes: Self.typedLimit))), link: nil)
        case .clearHistory:
            conversation.clear()
            report(.historyCleared(.byUser))
        case .switchMode(let mode):
            guard conversation.switchMode(to: mode) else { return }
            report(.mode(mode))
            report(.historyCleared(.modeSwitch))
        case .cancelAnswer: cancelCurrent(.byUser)
        case .retry:
            guard let exchange = failed else { return }
            failed = nil
            queue.insert(exchange, at: 0)
            report(.asked(exchange.id, exchange.announcement))
        case .finish: isFinishing = true
        }
    }

    mutating func ask(_ question: Exchange.Question, link: Int?) {
        exchangeCount += 1
        let exchange = Exchange(id: ExchangeID(number: exchangeCount), question: question, link: link)
        report(.asked(exchange.id, exchange.announcement))
        if case .typed("") = question { return report(.cancelled(exchange.id, .nothingSaid)) }
        let count = queue.count + outbox.count + (current == nil ? 0 : 1)
        guard count < Self.questionLimit else {
            report(.cancelled(exchange.id, .queueFull))
            if exchange.isSpoken { tellUnit("Too many questions wait.", about: exchange) }
            return
        }
        queue.append(exchange)
    }

    mutating func startNext(now: SessionClock.Instant) {
        while current == nil, !queue.isEmpty {
            answerText = ""
            start(queue.removeFirst(), now: now)
        }
    }

    private mutating func start(_ exchange: Exchange, now: SessionClock.Instant) {
        switch exchange.question {
        case .typed(let text): answer(exchange, text)
        case .spoken(let utterance):
            if exchange.heard != nil || utterance.sound.samples.isEmpty {
                current = (exchange, .confirming(nil))
                understood(exchange.heard ?? "", now: now)
            } else {
                workCount += 1
                current = (exchange, .hearing(work: workCount))
                current?.exchange.mode = conversation.mode
                actions.append(.hear(work: workCount, utterance.sound, conversation.mode))
            }
        }
    }

    // MARK: - Hearing

    mutating func heard(_ result: Result<String, any Error>, work: Int, now: SessionClock.Instant) {
        guard case .hearing(work)? = current?.stage else { return }
        switch result {
        case .success(let text): understood(PlainText.withoutLeadingSpace(PlainText.clean(text)), now: now)
        case .failure(let error): fail(error)
        }
    }

    private mutating func understood(_ text: String, now: SessionClock.Instant) {
        guard let exchange = current?.exchange else { return }
        if text.isEmpty, exchange.photo == nil {
            report(.cancelled(exchange.id, .nothingSaid))
            tellUnit("Nothing was said.", about: exchange)
            return current = nil
        }
        current?.exchange.heard = text
        report(.heard(exchange.id, text))
        current?.stage = .confirming(nil)
        if isUp, isReady { confirm(now: now) }
    }

    /// Asks the unit whether its wearer still waits; over a new link it is asked again.
    mutating func confirm(now: SessionClock.Instant) {
        let id = newConfirmation()
        current?.stage = .confirming(id)
        for event in relay.confirm(id, now: now) {
            switch event {
            case .send(let packet): urgent.append(packet)
            case .confirmed(let id): confirmed(id)
            case .expired(let id): expired(id)
            default: break
            }
        }
    }

    mutating func confirmed(_ id: ConfirmationID) {
        guard let exchange = current?.exchange, case .confirming(id)? = current?.stage else { return }
        lossCount = 0
        let text = exchange.heard ?? ""
        if (exchange.mode ?? conversation.mode) == .translator, !text.isEmpty {
            translated(exchange, text)
        } else {
            answer(exchange, text.isEmpty ? Self.photoQuestion : text)
        }
    }

    mutating func expired(_ id: ConfirmationID) {
        guard let exchange = current?.exchange, case .confirming(id)? = current?.stage else { return }
        failed = exchange
        current = nil
        report(.cancelled(exchange.id, .byWearer))
    }

    /// In translator mode what was heard is the answer: no model is asked.
    private mutating func translated(_ exchange: Exchange, _ text: String) {
        current = nil
        beginDelivery(exchange)
        outbox.append(text, to: exchange.id)
        outbox.end(exchange.id)
        report(.answerPiece(exchange.id, text))
        report(.answered(exchange.id, text, nil))
    }

    // MARK: - Answering

    private mutating func answer(_ exchange: Exchange, _ text: String) {
        workCount += 1
        current = (exchange, .answering(work: workCount))
        conversation.ask(text, photo: exchange.photo)
        beginDelivery(exchange)
        report(.thinking(exchange.id))
        actions.append(.answer(work: workCount, conversation))
    }

    mutating func take(_ progress: ResponderProgress, of work: Int) {
        guard let (exchange, stage) = current else { return }
        switch (progress, stage) {
        case (.text(let text), .answering(work)):
            let clean = PlainText.clean(text)
            let piece = answerText.isEmpty ? PlainText.withoutLeadingSpace(clean) : clean
            guard !piece.isEmpty else { return }
            answerText += piece
            outbox.append(piece, to: exchange.id)
            report(.answerPiece(exchange.id, piece))
        case (.retrying(let delay, let error), .answering(work)), (.retrying(let delay, let error), .hearing(work)):
            report(.retrying(exchange.id, after: delay, because: error))
        default: break
        }
    }

    mutating func answered(_ result: Result<AnswerSummary, any Error>, work: Int) {
        guard let exchange = current?.exchange, case .answering(work)? = current?.stage else { return }
        switch result {
        case .failure(let error): fail(error)
        case .success where answerText.isEmpty: fail(AssistantError.emptyAnswer)
        case .success(let summary):
            current = nil
            if summary.cutShort != nil { outbox.append(Self.cutMark, to: exchange.id) }
            outbox.end(exchange.id)
            report(.answered(exchange.id, answerText, summary.cutShort))
            remember(totalTokens: summary.totalTokens)
        }
    }

    /// The answer joins its question; there is none when the history was cleared meanwhile.
    private mutating func remember(totalTokens: Int?) {
        guard conversation.messages.last?.role == .user else { return }
        if conversation.answered(answerText, totalTokens: totalTokens) { report(.historyCleared(.tokenLimit)) }
    }

    // MARK: - Giving up

    mutating func fail(_ error: any Error) {
        guard let exchange = current?.exchange else { return }
        let known = error as? any DiagnosableError ?? AssistantError.notUnderstood("\(type(of: error))")
        abandonAnswer()
        failed = exchange
        dropDelivery(of: exchange.id)
        report(.failed(exchange.id, known))
        tellUnit(known.diagnosis.message, about: exchange)
    }

    /// The wearer does not wait any more for what was asked over this link.
    mutating func dropQuestions(_ reason: ChatEvent.Cancellation) {
        for exchange in queue where exchange.link == link { report(.cancelled(exchange.id, reason)) }
        queue.removeAll { $0.link == link }
        if let exchange = current?.exchange, exchange.link == link { cancelCurrent(reason) }
        if outbox.deliveries.first?.link == link { stopDelivery() }
        for id in outbox.dropAll(of: link) { report(.cancelled(id, reason)) }
    }

    private mutating func cancelCurrent(_ reason: ChatEvent.Cancellation) {
        guard let exchange = current?.exchange else { return }
        failed = exchange
        actions.append(.stopWork)
        abandonAnswer()
        dropDelivery(of: exchange.id)
        report(.cancelled(exchange.id, reason))
        if reason == .byUser { tellUnit("Cancelled.", about: exchange) }
    }

    /// What was said so far stays in the conversation; a question without any of it is taken back.
    private mutating func abandonAnswer() {
        if case .answering? = current?.stage {
            if answerText.isEmpty { conversation.withdrawQuestion() } else { remember(totalTokens: nil) }
        }
        current = nil
    }

    private mutating func beginDelivery(_ exchange: Exchange) {
        if let dropped = outbox.begin(exchange.id, link: exchange.link) { report(.cancelled(dropped, .queueFull)) }
    }

    private mutating func dropDelivery(of id: ExchangeID) {
        if outbox.deliveries.first?.id == id { stopDelivery() }
        outbox.drop(id)
    }

    private mutating func tellUnit(_ text: String, about exchange: Exchange) {
        let sentence = text.prefix(1).uppercased() + text.dropFirst()
        if let dropped = outbox.add(error: sentence, for: exchange.id, link: exchange.link) { report(.cancelled(dropped, .queueFull)) }
    }
}
