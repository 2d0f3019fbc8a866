/// The requests: each sets the state that waits for its answer.
extension TransferMachine {
    /// Of an object of the usual size.
    var packetsPerObject: Int { (Self.pageSize + packetSize - 1) / packetSize }

    mutating func setInterval() -> [TransferAction] {
        state = .settingInterval
        return request(.setReceiptInterval(packets: UInt16(clamping: packetsPerObject)))
    }

    mutating func select(_ kind: ObjectKind) -> [TransferAction] {
        state = .selecting(kind)
        return request(.select(kind))
    }

    mutating func create(_ object: OpenObject, checksBase: Bool = false) -> [TransferAction] {
        hasSentLastExecute = false
        state = .creating(object, checksBase: checksBase)
        return request(.create(object.kind, size: UInt32(clamping: object.range.count)))
    }

    mutating func createInitPacket() -> [TransferAction] { create(OpenObject(.command, 0..<command.count)) }

    /// Executing the last object makes the unit reset, with or without its answer getting through.
    mutating func execute(_ execution: Execution) -> [TransferAction] {
        if case .object(let end, _) = execution, end == image.count { hasSentLastExecute = true }
        state = .executing(execution)
        return request(.execute)
    }

    mutating func ask(about object: OpenObject) -> [TransferAction] {
        state = .asking(object)
        return request(.select(object.kind), afterByteCount: object.sent - object.proved)
    }

    mutating func pause(_ duration: Duration, then continuation: Continuation) -> [TransferAction] {
        state = .pausing(then: continuation)
        return [.wait(.pause, duration)]
    }

    /// Accepting an init packet writes the settings page and its backup, ahead of the first object's erase and with four of the
    /// queue's places (nRF5 SDK, `nrf_dfu_settings_write`). Waiting for that once costs less than losing the object.
    mutating func settleOrSend(_ object: OpenObject) -> [TransferAction] {
        guard object.kind == .data, !hasSettled else { return send(object) }
        hasSettled = true
        return pause(pacing.settingsTime + pacing.eraseTime, then: .send(object))
    }

    // MARK: - Packets

    /// Sends what the queue takes, and pauses until it takes more. The image's last 1 to 3 bytes go alone: in a longer packet the
    /// bootloader's flash would lose them.
    mutating func send(_ object: OpenObject) -> [TransferAction] {
        var object = object
        let rest = packets(from: object.sent, in: object)
        let count = min(rest.count, object.packets == 0 ? Pacing.window : Pacing.burst)
        let room = object.packets + count - Pacing.window
        if object.kind == .data, room > 0 {
            let time = object.drainsFrom + pacing.drainTime(byteCount: packetSize) * room
            if time > now { return pause(time - now, then: .send(object)) }
        }
        let batch = rest.prefix(count)
        let odd = batch.last { $0.upperBound % 4 != 0 && $0.upperBound == image.count && object.kind == .data }
        let whole = object.sent..<(odd?.lowerBound ?? batch.last?.upperBound ?? object.sent)
        let actions = [whole, odd].compactMap { $0 }.filter { !$0.isEmpty }
            .map { TransferAction.sendPackets(object.kind, $0, packetSize: packetSize) }
        object.sent = batch.last?.upperBound ?? object.sent
        object.packets += count
        summary.packets += count
        summary.byteCount += batch.reduce(0) { $0 + $1.count }
        sentAt = now
        return actions + afterSending(object)
    }

    private mutating func afterSending(_ object: OpenObject) -> [TransferAction] {
        guard object.sent == object.range.upperBound else { return send(object) }
        guard object.isCounted, object.packets == packetsPerObject else { return ask(about: object) }
        state = .awaitingReceipt(object)
        return [.wait(.receipt, receiptPatience(byteCount: object.range.count))]
    }

    private func packets(from start: Int, in object: OpenObject) -> [Range<Int>] {
        let end = object.range.upperBound
        let odd = object.kind == .data && end == image.count ? end % 4 : 0
        let whole = max(start, end - odd)
        let packets = stride(from: start, to: whole, by: packetSize).map { $0..<min($0 + packetSize, whole) }
        return whole < end ? packets + [whole..<end] : packets
    }

    // MARK: - Patience

    private mutating func request(
        _ request: ControlPointRequest, afterByteCount byteCount: Int
    ) -> [TransferAction] {
        summary.roundTrips += 1
        if case .select = request {
            openSelects += 1
            olderAnswer = nil
        }
        let patience = Self.patience(request.operation, afterByteCount: byteCount)
        return [.writeControl(request.bytes), .wait(.answer(request.operation), patience)]
    }

    mutating func request(_ request: ControlPointRequest) -> [TransferAction] {
        self.request(request, afterByteCount: 0)
    }

    /// EXECUTE verifies a signature or a hash and waits for the flash; an answer comes after the packets before it,
    /// which a link at the slowest useful pace carries at 256 bytes a second.
    private static func patience(_ operation: ControlPointOperation, afterByteCount byteCount: Int) -> Duration {
        switch operation {
        case .execute: .seconds(10)
        default: .seconds(5) + .seconds(byteCount) / 256
        }
    }

    /// Short: a receipt that does not come is the usual sign of a loss, and asking costs one round trip only.
    private func receiptPatience(byteCount: Int) -> Duration {
        guard let receiptTime else { return .milliseconds(500) + .seconds(byteCount) / 4096 }
        return min(receiptTime * 2 + .milliseconds(100), .milliseconds(1500))
    }

    mutating func fail(_ error: DFUError) -> [TransferAction] {
        state = .finished
        return [.fail(error)]
    }

    mutating func finish(isConfirmed: Bool) -> [TransferAction] {
        state = .finished
        summary.isConfirmed = isConfirmed
        return [.done(summary)]
    }
}
