/// What the unit said, or did not say.
extension TransferMachine {
    mutating func received(_ checksum: Checksum) -> [TransferAction] {
        switch state {
        case .checkingBase(let object): return checkBase(of: object, checksum)
        case .awaitingReceipt(let object):
            // A receipt comes after packets, so one that counts none of them is the late answer to an earlier question.
            if Int(checksum.offset) == object.proved, source(object.kind).matches(checksum) { return [] }
            summary.receipts += 1
            return judge(object, checksum)
        case .awaitingChecksum(let object): return judge(object, checksum)
        default: return []
        }
    }

    private mutating func judge(_ object: OpenObject, _ checksum: Checksum) -> [TransferAction] {
        guard Int(checksum.offset) == object.sent, source(object.kind).matches(checksum) else {
            return lost(object, checksum)
        }
        attempts = 0
        var object = object
        object.proved = object.sent
        var actions: [TransferAction] = []
        if object.kind == .data {
            provedImageBytes = object.proved
            actions.append(.progress(object.proved))
        }
        guard object.proved == object.range.upperBound else { return actions + send(object) }
        switch object.kind {
        case .command: return actions + execute(.initPacket(isKept: false))
        case .data: return actions + execute(.object(end: object.proved, isFound: false))
        }
    }

    /// The last attempt at an object goes at the slowest pace. When only the tail is missing, the object stays open and
    /// goes on from there; else it is created again. SET PRN comes first in both cases: it restarts the count of
    /// packets, of which the bootloader counted only those it kept.
    private mutating func lost(_ object: OpenObject, _ checksum: Checksum) -> [TransferAction] {
        attempts += 1
        summary.losses += 1
        guard attempts < Self.attemptLimit else {
            return fail(
                .transfer(.objectLost(object.kind, offset: object.range.lowerBound, attempts: attempts)))
        }
        var notices: [TransferAction] = []
        let slower = attempts == Self.attemptLimit - 1 ? Pacing.slowest : summary.pacing.slower
        if slower != summary.pacing {
            summary.pacing = slower
            notices.append(.notice(.pacingSlowed(slower)))
        }
        let offset = Int(checksum.offset)
        let isTailMissing =
            offset >= object.range.lowerBound && offset < object.sent && offset % 4 == 0
            && source(object.kind).matches(checksum)
        let restart = isTailMissing ? offset : object.range.lowerBound
        notices.append(.notice(.objectSentAgain(object.kind, offset: restart, attempt: attempts + 1)))
        let again = OpenObject(object.kind, object.range, proved: restart)
        return notices + setInterval(then: isTailMissing ? .send(again) : .create(again))
    }

    mutating func executed(_ execution: Execution) -> [TransferAction] {
        switch execution {
        case .initPacket: return [.notice(.initPacketAccepted)] + select(.data)
        case .object(let end, _):
            guard end == image.count else { return create(object(from: end)) }
            state = .leaving
            return [.progress(end), .wait(.disconnection, .seconds(10))]
        }
    }

    mutating func refused(_ operation: ControlPointOperation, _ refusal: Refusal) -> [TransferAction] {
        switch (state, refusal) {
        case (.executing(.object(let end, isFound: true)), .result(.operationNotPermitted)):
            return end < image.count ? create(object(from: end), checksBase: true) : startOver()
        case (.executing(.initPacket(isKept: true)), .result):
            return [.notice(.initPacketSentAgain)] + createInitPacket()
        case (.creating(_, checksBase: true), .result): return startOver()
        case (.creating(let object, _), .result(.invalidObject)) where object.kind == .data && busyRefusals < Self.busyLimit:
            return settle(object)
        default: return fail(.refused(operation, refusal))
        }
    }

    /// CREATE of a data object queues the page's erase; while the queue is full of packets that came too fast, the
    /// bootloader refuses it as an invalid object (nRF5 SDK, `nrf_dfu_req_handler.c`, `on_data_obj_create_request`).
    private mutating func settle(_ object: OpenObject) -> [TransferAction] {
        busyRefusals += 1
        state = .settling(object)
        return [.notice(.flashBusy), .wait(.pause, Self.settlingPause)]
    }

    mutating func timedOut(_ wait: TransferWait) -> [TransferAction] {
        switch (wait, state) {
        case (.pause, .settling(let object)): return create(object)
        case (.pause, .pausing(let object)): return send(object)
        case (.receipt, .awaitingReceipt(let object)): return askChecksum(of: object)
        case (.disconnection, .leaving): return [.notice(.unitStaysConnected)] + finish(isConfirmed: true)
        case (.answer(let operation), _): return unanswered(operation)
        default: return []
        }
    }

    /// Any request may have been carried out though its answer is missing: the unit's own state decides how to go on.
    private mutating func unanswered(_ operation: ControlPointOperation) -> [TransferAction] {
        attempts += 1
        guard attempts < Self.attemptLimit else { return fail(.transfer(.noAnswer(operation))) }
        let kind: ObjectKind =
            switch state {
            case .selecting(let kind), .settingInterval(.select(let kind)): kind
            case .creating(let object, _), .checkingBase(let object), .settling(let object), .pausing(let object),
                .awaitingReceipt(let object), .awaitingChecksum(let object), .settingInterval(.create(let object)),
                .settingInterval(.send(let object)):
                object.kind
            case .executing(.object): .data
            case .executing(.initPacket), .idle, .leaving, .finished: .command
            }
        return [.notice(.answerMissing(operation))] + setInterval(then: .select(kind))
    }
}
