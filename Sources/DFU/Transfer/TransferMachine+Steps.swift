/// The requests: each sets the state that waits for its answer.
extension TransferMachine {
    mutating func setInterval(then continuation: Continuation) -> [TransferAction] {
        state = .settingInterval(then: continuation)
        return request(.setReceiptInterval(packets: UInt16(clamping: interval)))
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

    /// Accepting an init packet writes the settings page and its backup: two erases before the first object's own, while
    /// the flash queue holds less than an object (nRF5 SDK, `nrf_dfu_settings_write`). Waiting for that once costs less
    /// than losing the object.
    static let settlingPause = Duration.milliseconds(300)

    /// So often the flash may be busy in a row; each pause is longer than the flash needs for a whole object.
    static let busyLimit = 5

    mutating func pauseOrSend(_ object: OpenObject) -> [TransferAction] {
        var pause = summary.pacing.pauseAfterCreate
        if object.kind == .data, !hasSettled {
            hasSettled = true
            pause = max(pause ?? .zero, Self.settlingPause)
        }
        guard let pause else { return send(object) }
        state = .pausing(object)
        return [.wait(.pause, pause)]
    }

    /// Sends up to the next receipt or the object's end, whichever comes first. At the end of an object that is no
    /// multiple of the interval nothing comes unasked, so the checksum is asked for.
    mutating func send(_ object: OpenObject) -> [TransferAction] {
        var object = object
        let start = object.sent
        let remaining = (object.range.upperBound - start + packetSize - 1) / packetSize
        let count = min(remaining, packetsToReceipt)
        object.sent = min(start + count * packetSize, object.range.upperBound)
        packetsToReceipt -= count
        summary.packets += count
        let packets = TransferAction.sendPackets(object.kind, start..<object.sent, packetSize: packetSize)
        guard packetsToReceipt == 0 else { return [packets] + askChecksum(of: object) }
        packetsToReceipt = interval
        state = .awaitingReceipt(object)
        return [packets, .wait(.receipt, Self.receiptPatience(byteCount: object.sent - start))]
    }

    mutating func askChecksum(of object: OpenObject) -> [TransferAction] {
        state = .awaitingChecksum(object)
        return request(.checksum, afterByteCount: object.sent - object.proved)
    }

    private mutating func request(
        _ request: ControlPointRequest, afterByteCount byteCount: Int
    ) -> [TransferAction] {
        summary.roundTrips += 1
        let patience = Self.patience(request.operation, afterByteCount: byteCount)
        return [.writeControl(request.bytes), .wait(.answer(request.operation), patience)]
    }

    mutating func request(_ request: ControlPointRequest) -> [TransferAction] {
        self.request(request, afterByteCount: 0)
    }

    /// EXECUTE verifies a signature or a hash and waits for the flash; a checksum comes after the packets before it,
    /// which a link at the slowest useful pace carries at 256 bytes a second.
    private static func patience(_ operation: ControlPointOperation, afterByteCount byteCount: Int) -> Duration {
        switch operation {
        case .execute: .seconds(10)
        default: .seconds(5) + .seconds(byteCount) / 256
        }
    }

    /// Short: a receipt that does not come is the usual sign of a loss, and asking costs one round trip only.
    private static func receiptPatience(byteCount: Int) -> Duration { .milliseconds(500) + .seconds(byteCount) / 4096 }

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
