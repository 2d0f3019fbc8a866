/// The requests: each sets the state that waits for its answer.
extension TransferMachine {
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

    /// The unit resets after the last object, whether or not its answer arrives.
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

    /// Accepting an init packet writes the settings page and its backup, with four of the queue's places (nRF5 SDK,
    /// `nrf_dfu_settings_write`). EXECUTE before the first CREATE does nothing, but is answered when that is done.
    mutating func begin(_ object: OpenObject) -> [TransferAction] { hasSettled ? create(object) : execute(.rest) }

    private static let checkInterval = Duration.milliseconds(500)
    /// Fewer are not worth a round trip.
    private static let checkedPackets = 64

    /// Sends what the queue takes, and pauses until it takes more.
    mutating func send(_ object: OpenObject) -> [TransferAction] {
        var object = object
        let rest = packets(from: object.sent, in: object)
        let isProbe = object.kind == .data && object.packets == pacing.window && !pacing.isProven
        let isErased = object.packets == 0 && object.drainsFrom <= now
        let first = isErased ? pacing.window + Pacing.drainedMeanwhile : pacing.window
        let count = min(rest.count, isProbe ? 1 : object.packets == 0 ? first : Pacing.burst)
        if object.kind == .data {
            let drainTime = pacing.drainTime(byteCount: packetSize)
            let ready = object.drainsFrom + drainTime * max(0, object.queued + count - pacing.window)
            if !isErased, ready > now, object.queued + count > pacing.window { return pause(ready - now, then: .send(object)) }
            let drained = now > object.drainsFrom ? Int((now - object.drainsFrom) / drainTime) : 0
            object.queued = max(0, object.queued - drained) + count
            object.drainsFrom = max(object.drainsFrom, now)
        }
        let batch = Array(rest.prefix(count))
        object.sent = batch.last?.upperBound ?? object.sent
        object.packets += count
        summary.packets += count
        summary.byteCount += batch.reduce(0) { $0 + $1.count }
        sentAt = now
        // Where packets are lost, an object that takes seconds is asked about meanwhile: what follows a hole is sent for nothing.
        let isLong = summary.losses > 0 && now - requestedAt >= Self.checkInterval && rest.count - count >= Self.checkedPackets
        return [.sendPackets(object.kind, batch)] + (isProbe || isLong ? ask(about: object) : afterSending(object))
    }

    private mutating func afterSending(_ object: OpenObject) -> [TransferAction] {
        guard object.sent == object.range.upperBound else { return send(object) }
        guard object.isCounted, object.packets == packetsPerObject else { return ask(about: object) }
        state = .awaitingReceipt(object)
        return [.wait(.receipt, receiptTimeout(byteCount: object.range.count))]
    }

    /// The image's last 1 to 3 bytes go alone: in a longer packet the bootloader's flash would lose them.
    private func packets(from start: Int, in object: OpenObject) -> [Range<Int>] {
        let end = object.range.upperBound
        let odd = object.kind == .data ? end % 4 : 0
        let whole = max(start, end - odd)
        let packets = stride(from: start, to: whole, by: packetSize).map { $0..<min($0 + packetSize, whole) }
        return whole < end ? packets + [whole..<end] : packets
    }

    mutating func request(_ request: ControlPointRequest, afterByteCount byteCount: Int = 0) -> [TransferAction] {
        summary.roundTrips += 1
        requestedAt = now
        if case .select(let kind) = request {
            openSelects.append(kind)
            olderAnswer = nil
        }
        return [.writeControl(request.bytes), .wait(.answer(request.operation), timeout(request.operation, byteCount))]
    }

    /// A late answer costs only another question: the timeout begins short and doubles with every answer in a row that does not come.
    /// Verifying a signature or a hash takes longer, and after the last EXECUTE no question may disturb the unit. An answer follows the
    /// packets before it. Each connection event carries at least one, and a round trip takes at least one event; twice that, as some are
    /// sent again, but no longer than at 256 bytes a second.
    private func timeout(_ operation: ControlPointOperation, _ byteCount: Int) -> Duration {
        let first = min(roundTrip * (2 * byteCount / packetSize), .seconds(byteCount) / 256)
        let air = receiptTime.map { byteCount == 0 || silences > 0 ? .zero : $0 * 4 } ?? first
        let work: Duration =
            switch state {
            case .executing(.initPacket): .seconds(3)
            case .executing(.object) where hasSentLastExecute: .seconds(10)
            case .executing: pacing.eraseTime * 4
            default: .zero
            }
        return (.milliseconds(700) + max(air, roundTrip * 4)) * (1 << silences) + work
    }

    /// Short: a missing receipt is the usual sign of a loss, and asking costs one round trip.
    private func receiptTimeout(byteCount: Int) -> Duration {
        guard let receiptTime else { return .milliseconds(500) + .seconds(byteCount) / 4096 }
        return min(receiptTime * 5 / 4 + .milliseconds(20), .milliseconds(1500))
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
