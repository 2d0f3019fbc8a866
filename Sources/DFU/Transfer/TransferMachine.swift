/// Drives the transfer of one image to a Nordic bootloader: events in, actions out, no I/O and no clock.
///
/// SET PRN → SELECT command → (CREATE, packets, SELECT) → EXECUTE → SELECT data → for each object CREATE, packets, a
/// receipt, EXECUTE. With the receipt interval equal to the packets of an object its CRC comes unasked, so an object
/// costs two round trips.
///
/// A receipt looks like the answer to GET CRC and may come late, so what an object lacks is asked by SELECT, which says the
/// same under a code of its own; a receipt that shows all of the object only saves that question.
///
/// An empty list of actions means: not for us, go on waiting for the same thing.
public struct TransferMachine: Sendable {
    /// Setbacks in a row without a byte more on the unit.
    static let setbackLimit = 8
    /// Requests in a row without an answer: some ten seconds.
    static let silenceLimit = 4
    /// The flash page: data objects are multiples of it.
    static let pageSize = 4096

    let command: ObjectSource
    let image: ObjectSource
    /// `nil` never saves.
    let saveInterval: Duration?
    var state = State.idle
    var summary = TransferSummary()
    var pacing = Pacing()
    /// The longest packet in bytes, a multiple of 4: the bootloader writes its flash by words.
    var packetSize = 20
    var objectSize = pageSize
    var now = Duration.zero
    var setbacks = 0
    var silences = 0
    /// SELECT requests without an answer so far, in their order, which is that of the answers: one to an older request says less than
    /// one to the last.
    var openSelects: [ObjectKind] = []
    /// The newest answer to an older SELECT.
    var olderAnswer: (limit: UInt32, checksum: Checksum)?
    var provedImageBytes = 0
    /// The furthest byte that the unit was seen to have.
    var reached = 0
    /// No answer has been missing since the init packet was accepted.
    var mayMeasure = false
    /// After a lost link the unit goes on from here.
    var savedImageBytes = 0
    var savedAt = Duration.zero
    var requestedAt = Duration.zero
    /// Of a request that asks nothing of the flash.
    var roundTrip = Duration.zero
    var initExecutedAt = Duration.zero
    /// When the packets went out that a receipt is awaited for.
    var sentAt = Duration.zero
    /// From the last packet to its receipt, as seen so far.
    var receiptTime: Duration?
    var hasStartedOver = false
    /// The unit's settings are written by now.
    var hasSettled = false
    var hasSentLastExecute = false

    /// - Parameters:
    ///   - initPacket: at most 512 bytes.
    ///   - image: not empty; the package's check has seen to both.
    ///   - saveInterval: how often the unit is told to save its progress, so that a lost link does not lose all of it.
    public init(initPacket: [UInt8], image: [UInt8], saveInterval: Duration? = nil) {
        command = ObjectSource(initPacket)
        self.image = ObjectSource(image)
        self.saveInterval = saveInterval
    }

    /// - Parameter time: never less than before.
    public mutating func handle(_ event: TransferEvent, at time: Duration) -> [TransferAction] {
        if state == .finished { return [] }
        now = max(now, time)
        switch event {
        case .linkReady(let payloadSize): return begin(payloadSize: payloadSize)
        case .notification(let bytes): return receive(bytes)
        case .timedOut(let wait): return timedOut(wait)
        case .disconnected:
            guard hasSentLastExecute else {
                return fail(.transfer(.linkLost(offset: provedImageBytes, of: image.count, kept: savedImageBytes)))
            }
            return finish(isConfirmed: state == .leaving)
        }
    }

    private mutating func begin(payloadSize: Int) -> [TransferAction] {
        guard state == .idle else { return [] }
        guard payloadSize >= 20 else { return fail(.transfer(.payloadTooSmall(payloadSize))) }
        packetSize = payloadSize / 4 * 4
        savedAt = now
        return setInterval()
    }

    private mutating func receive(_ bytes: [UInt8]) -> [TransferAction] {
        let response: ControlPointResponse
        do {
            response = try ControlPointResponse(parsing: bytes)
        } catch {
            return fail(.transfer(.malformedAnswer(bytes: bytes)))
        }
        var kind: ObjectKind?
        if response.operation == .select {
            kind = openSelects.isEmpty ? nil : openSelects.removeFirst()
        } else if response.operation == awaitedOperation, response.operation != .checksum {
            // All that was asked before has been answered, or never will be.
            openSelects.removeAll()
            silences = 0
        }
        guard response.operation == awaitedOperation, kind == awaitedKind else { return [] }
        switch response.outcome {
        case .done: return completed()
        case .selected(let limit, let checksum): return selected(limit: limit, checksum)
        case .checksum(let checksum): return receipt(checksum)
        case .refused(let refusal): return refused(response.operation, refusal)
        }
    }

    private var awaitedOperation: ControlPointOperation? {
        switch state {
        case .settingInterval: .setReceiptInterval
        case .selecting, .checkingBase, .asking, .saving: .select
        case .creating: .create
        case .awaitingReceipt: .checksum
        case .executing: .execute
        case .idle, .pausing, .leaving, .vanishing, .finished: nil
        }
    }

    private var awaitedKind: ObjectKind? {
        switch state {
        case .selecting(let kind): kind
        case .asking(let object): object.kind
        case .checkingBase: .data
        case .saving: .command
        default: nil
        }
    }

    /// An answer without payload: the request was carried out.
    private mutating func completed() -> [TransferAction] {
        switch state {
        case .settingInterval:
            roundTrip = now - requestedAt
            return select(.command)
        case .creating(var object, let checksBase):
            // The erase began before its answer was here, and packets are on their way as long again.
            object.drainsFrom = now + pacing.eraseTime - min(roundTrip, now - requestedAt) * 3 / 4
            object.isCounted = object.kind == .data
            if checksBase {
                state = .checkingBase(object)
                return request(.select(.data))
            }
            return send(object)
        case .executing(let execution): return executed(execution)
        default: return []
        }
    }

    func source(_ kind: ObjectKind) -> ObjectSource { kind == .command ? command : image }
}
