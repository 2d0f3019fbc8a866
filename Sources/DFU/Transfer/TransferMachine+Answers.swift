/// Answers, and those that do not come.
extension TransferMachine {
    /// Any that does not show the whole object may be late, or the zeros of a packet that found the flash queue full.
    mutating func receipt(_ checksum: Checksum) -> [TransferAction] {
        guard case .awaitingReceipt(let object) = state else { return [] }
        if isWhole(object, checksum) {
            summary.receipts += 1
            receiptTime = max(now - sentAt, (receiptTime ?? .zero) * 9 / 10)
            return proved(object)
        }
        if Int(checksum.offset) <= object.proved, checksum.offset > 0 { return [] }
        return pause(pacing.restTime, then: .ask(object))
    }

    /// An answer to an older SELECT counts only when it shows all that is hoped for, or when no other comes.
    mutating func selected(limit: UInt32, _ checksum: Checksum) -> [TransferAction] {
        if case .asking(let object) = state, isWhole(object, checksum) {
            // The receipt was late, not lost.
            if object.isCounted, object.packets == packetsPerObject { receiptTime = min(now - sentAt, .seconds(1)) }
            return proved(object)
        }
        if case .asking(let object) = state, hasPassed(object, checksum) {
            pacing.notePassage()
            silences = 0
            var object = object
            object.proved = object.sent
            return send(object)
        }
        if case .saving(let end) = state { return execute(.save(end)) }
        guard openSelects.isEmpty else {
            olderAnswer = (limit, checksum)
            return []
        }
        olderAnswer = nil
        switch state {
        case .selecting(.command): return resumeInitPacket(limit: limit, checksum)
        case .selecting(.data): return resumeImage(limit: limit, checksum)
        case .checkingBase(let object): return checkBase(of: object, checksum)
        case .asking(let object): return lost(object, checksum)
        default: return []
        }
    }

    private func isWhole(_ object: OpenObject, _ checksum: Checksum) -> Bool {
        Int(checksum.offset) == object.range.upperBound && object.sent == object.range.upperBound
            && source(object.kind).matches(checksum)
    }

    /// The packet that was risked has arrived.
    private func hasPassed(_ object: OpenObject, _ checksum: Checksum) -> Bool {
        Int(checksum.offset) == object.sent && object.sent < object.range.upperBound && source(object.kind).matches(checksum)
    }

    private mutating func proved(_ object: OpenObject) -> [TransferAction] {
        let isClean = setbacks == 0
        (setbacks, silences) = (0, 0)
        guard object.kind == .data else { return execute(.initPacket(isKept: false)) }
        if isClean { pacing.noteCleanObject() }
        provedImageBytes = object.range.upperBound
        reached = max(reached, provedImageBytes)
        return [.progress(provedImageBytes)] + execute(.object(end: provedImageBytes, isFound: false))
    }

    /// When only the tail is missing, the object stays open and goes on from there; else it is created again.
    private mutating func lost(_ object: OpenObject, _ checksum: Checksum) -> [TransferAction] {
        let offset = Int(checksum.offset)
        let isTailMissing =
            offset >= object.range.lowerBound && offset < object.sent && offset % 4 == 0
            && source(object.kind).matches(checksum)
        if isTailMissing, object.kind == .data, offset > reached { (setbacks, reached) = (0, offset) }
        setbacks += 1
        summary.losses += 1
        guard setbacks < (offset > object.range.lowerBound ? lossLimit : Self.setbackLimit) else {
            return fail(.transfer(.objectLost(object.kind, offset: object.range.lowerBound, attempts: setbacks)))
        }
        let before = pacing
        pacing.noteLoss(of: (object.sent - offset) / packetSize)
        var notices: [TransferAction] = pacing.level > before.level ? [.notice(.pacingSlowed(pacing))] : []
        let start = isTailMissing ? offset : object.range.lowerBound
        notices.append(.notice(.objectSentAgain(object.kind, offset: start, attempt: setbacks + 1)))
        var again = OpenObject(object.kind, object.range, proved: start)
        again.drainsFrom = max(now, sentAt + pacing.restTime)
        if isTailMissing, object.packets == before.window + 1, object.sent < object.range.upperBound {
            (again.packets, again.queued) = (pacing.window, pacing.window)
        }
        // A packet that is sent again at once meets the same full queue. What waited for a receipt has rested meanwhile.
        let rest = max(.zero, sentAt + pacing.restTime - now)
        return notices + pause(rest, then: isTailMissing ? .send(again) : .create(again, checksBase: false))
    }

    mutating func executed(_ execution: Execution) -> [TransferAction] {
        switch execution {
        case .initPacket:
            (initExecutedAt, mayMeasure) = (now, true)
            return [.notice(.initPacketAccepted)] + select(.data)
        case .rest:
            hasSettled = true
            if mayMeasure { pacing.measure(settingsTime: now - initExecutedAt - roundTrip * 2) }
            return create(object(from: 0))
        case .object(let end, _):
            hasSettled = true
            guard end < image.count else {
                state = .leaving
                return [.progress(end), .wait(.disconnection, .seconds(10))]
            }
            return mustSave ? save(end) : create(object(from: end))
        case .save(let end): return pause(pacing.settingsTime, then: .goOn(afterSaving: end))
        }
    }

    private var mustSave: Bool { saveInterval.map { now - savedAt >= $0 } ?? false }

    private mutating func save(_ end: Int) -> [TransferAction] {
        state = .saving(end)
        return request(.select(.command))
    }

    mutating func refused(_ operation: ControlPointOperation, _ refusal: Refusal) -> [TransferAction] {
        switch (state, refusal) {
        case (.executing(.object(let end, isFound: true)), .result(.operationNotPermitted)):
            return end < image.count ? createOverKept(object(from: end)) : startOver()
        case (.executing(.object(_, isFound: false)), .result(.operationNotPermitted)):
            hasSentLastExecute = false
            return askState(operation, refusal)
        case (.executing(.initPacket(isKept: true)), .result):
            return [.notice(.initPacketSentAgain)] + createInitPacket()
        case (.executing(.rest), _):
            hasSettled = true
            return pause(pacing.settingsTime, then: .create(object(from: 0), checksBase: false))
        // What was not saved is lost with the link only.
        case (.executing(.save), _): return askState(operation, refusal)
        case (.creating(let object, let checksBase), .result(.invalidObject)) where object.kind == .data:
            return [.notice(.flashBusy)]
                + setback(operation, refusal, pause: pacing.restTime * 3, then: .create(object, checksBase: checksBase))
        case (.creating(_, checksBase: true), .result): return startOver()
        case (.creating(let object, _), .result(.invalidParameter)) where object.kind == .data: return askState(operation, refusal)
        case (.creating(let object, _), .result(.operationNotPermitted)) where object.kind == .data:
            return askState(operation, refusal)
        case (.awaitingReceipt(let object), .result): return pause(pacing.restTime, then: .ask(object))
        default: return fail(.refused(operation, refusal))
        }
    }

    private mutating func askState(_ operation: ControlPointOperation, _ refusal: Refusal) -> [TransferAction] {
        [.notice(.askedAgain(operation))] + setback(operation, refusal, pause: pacing.restTime, then: .select(.data))
    }

    private mutating func setback(
        _ operation: ControlPointOperation, _ refusal: Refusal, pause duration: Duration, then continuation: Continuation
    ) -> [TransferAction] {
        setbacks += 1
        guard setbacks < Self.setbackLimit else { return fail(.refused(operation, refusal)) }
        return pause(duration, then: continuation)
    }

    mutating func timedOut(_ wait: TransferWait) -> [TransferAction] {
        switch (wait, state) {
        case (.pause, .pausing(.create(let object, let checksBase))): return create(object, checksBase: checksBase)
        case (.pause, .pausing(.send(let object))): return send(object)
        case (.pause, .pausing(.select(let kind))): return select(kind)
        case (.pause, .pausing(.ask(let object))): return ask(about: object)
        case (.pause, .pausing(.goOn(let end))):
            (savedImageBytes, savedAt) = (end, now)
            return [.notice(.progressSaved(end))] + create(object(from: end))
        case (.receipt, .awaitingReceipt(let object)): return ask(about: object)
        case (.disconnection, .leaving): return [.notice(.unitStaysConnected)] + finish(isConfirmed: true)
        case (.disconnection, .vanishing): return fail(.transfer(.noAnswer(.execute)))
        case (.answer(let operation), _): return unanswered(operation)
        default: return []
        }
    }

    /// Any request may have been carried out though its answer is missing: the unit's own state decides how to go on.
    private mutating func unanswered(_ operation: ControlPointOperation) -> [TransferAction] {
        mayMeasure = false
        if operation == .select, let answer = olderAnswer {
            let doubtful = openSelects
            openSelects.removeAll()
            defer { openSelects = doubtful + openSelects }
            return selected(limit: answer.limit, answer.checksum)
        }
        silences += 1
        guard silences < Self.silenceLimit else { return fail(.transfer(.noAnswer(operation))) }
        let notice = TransferAction.notice(.answerMissing(operation))
        switch state {
        case .settingInterval:
            // Its answer may still come, right after the next request.
            roundTrip = .milliseconds(100)
            return [notice] + setInterval()
        case .asking(let object): return [notice] + ask(about: object)
        case .selecting(let kind): return [notice] + select(kind)
        case .creating(let object, _) where object.kind == .command: return [notice] + select(.command)
        case .executing(.initPacket): return [notice] + select(.command)
        default: return [notice] + select(.data)
        }
    }
}
