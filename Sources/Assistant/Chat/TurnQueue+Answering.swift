import Support

// The way of the turn being worked on.
extension TurnQueue {
    /// What a photo is asked when nothing was said with it.
    private static let photoQuestion = "What do you see in this picture?"
    private static let cutMark = " [cut off]"

    // MARK: - Understanding

    mutating func heard(_ result: Result<String, any Error>, work: Int, isUnitReady: Bool) -> [Effect] {
        guard let turn = current, case .transcribing(work, let mode) = turn.state else { return [] }
        switch result {
        case .success(let text): understood(turn.transcript(of: text, heardAs: mode), isUnitReady)
        case .failure(let error): fail(with: error)
        }
        return takeEffects()
    }

    mutating func understood(_ transcript: Turn.Transcript, _ isUnitReady: Bool) {
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

    /// The unit's program is ready, perhaps anew: whatever it was asked before, it has forgotten.
    mutating func unitBecameReady() -> [Effect] {
        confirm()
        return takeEffects()
    }

    /// Over the next link it is asked again.
    mutating func linkLost() {
        if current?.isUnconfirmed == true { current?.state = .transcribed }
    }

    private mutating func confirm() {
        guard current?.isUnconfirmed == true else { return }
        let id = makeConfirmation()
        current?.state = .confirming(id)
    }

    /// - Returns: `nil` when the turn being worked on does not wait for this.
    mutating func confirmed(_ id: ConfirmationID) -> [Effect]? {
        guard let turn = current, case .confirming(id) = turn.state, let transcript = turn.transcript else { return nil }
        if transcript.mode == .translator, !transcript.text.isEmpty {
            translated(turn, transcript.text)
        } else {
            answer(turn, transcript.text.isEmpty ? Self.photoQuestion : transcript.text)
        }
        return takeEffects()
    }

    mutating func expired(_ id: ConfirmationID) -> [Effect] {
        guard let turn = current, case .confirming(id) = turn.state else { return [] }
        giveUp(turn)
        report(.cancelled(turn.id, .byWearer))
        return takeEffects()
    }

    /// In translator mode what was heard is the answer: no model is asked.
    private mutating func translated(_ turn: Turn, _ text: String) {
        current = nil
        deliver(.begin(turn.id, link: turn.link))
        deliver(.append(text, to: turn.id))
        deliver(.end(turn.id))
        report(.answerPiece(turn.id, text))
        report(.answered(turn.id, text, nil))
    }

    // MARK: - Answering

    mutating func answer(_ turn: Turn, _ question: String) {
        let work = nextWork()
        current?.state = .answering(work: work, text: "")
        addQuestion(question, photo: turn.photo)
        deliver(.begin(turn.id, link: turn.link))
        report(.thinking(turn.id))
        act(.answer(work: work, conversation))
    }

    mutating func take(_ progress: ResponderProgress, of work: Int) -> [Effect] {
        guard let turn = current else { return [] }
        switch (progress, turn.state) {
        case (.text(let text), .answering(work, let answer)):
            let clean = PlainText.clean(text)
            let piece = answer.isEmpty ? PlainText.withoutLeadingSpace(clean) : clean
            guard !piece.isEmpty else { return [] }
            current?.state = .answering(work: work, text: answer + piece)
            deliver(.append(piece, to: turn.id))
            report(.answerPiece(turn.id, piece))
        case (.retrying(let delay, let error), .answering(work, _)), (.retrying(let delay, let error), .transcribing(work, _)):
            report(.retrying(turn.id, after: delay, because: error))
        case (.text, _), (.retrying, _): break
        }
        return takeEffects()
    }

    mutating func answered(_ result: Result<AnswerSummary, any Error>, work: Int) -> [Effect] {
        guard let turn = current, case .answering(work, let text) = turn.state else { return [] }
        switch result {
        case .failure(let error): fail(with: error)
        case .success where text.isEmpty: fail(with: AssistantError.emptyAnswer)
        case .success(let summary):
            current = nil
            if summary.cutShort != nil { deliver(.append(Self.cutMark, to: turn.id)) }
            deliver(.end(turn.id))
            report(.answered(turn.id, text, summary.cutShort))
            remember(text, totalTokens: summary.totalTokens)
        }
        return takeEffects()
    }

    // MARK: - Giving up

    mutating func failCurrent(_ error: any Error) -> [Effect] {
        fail(with: error)
        return takeEffects()
    }

    mutating func cancelCurrent() -> [Effect] {
        cancel(.byUser)
        return takeEffects()
    }

    private mutating func fail(with error: any Error) {
        guard let turn = current else { return }
        let known = error as? any DiagnosableError ?? AssistantError.notUnderstood("\(type(of: error))")
        giveUp(turn)
        deliver(.drop(turn.id))
        report(.failed(turn.id, known))
        tellUnit(known.diagnosis.message, about: turn)
    }

    mutating func cancel(_ reason: ChatEvent.Cancellation) {
        guard let turn = current else { return }
        act(.stopWork)
        giveUp(turn)
        deliver(.drop(turn.id))
        report(.cancelled(turn.id, reason))
        if reason == .byUser { tellUnit("Cancelled.", about: turn) }
    }

    private mutating func giveUp(_ turn: Turn) {
        if case .answering(_, let text) = turn.state { keepHistory(ofPart: text) }
        current = nil
        lastFailed = turn
        lastFailed?.state = .failed
    }
}
