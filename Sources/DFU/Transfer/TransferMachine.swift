/// Drives the transfer of one image to a Nordic bootloader: events in, actions out, no I/O and no clock.
///
/// SET PRN → SELECT command → (CREATE, packets, SELECT) → EXECUTE → SELECT data → for each object CREATE, packets, a
/// receipt, EXECUTE. The receipt interval is the packets of an object: its CRC comes unasked, and an object costs two round trips.
///
/// A receipt looks like the answer to GET CRC and may come late. So SELECT asks what an object lacks; a receipt of all of it only saves
/// that question.
///
/// An empty list of actions means: not for us, go on waiting for the same thing.
struct TransferMachine: Sendable {
    /// In a row, without a byte more on the unit.
    static let setbackLimit = 8
    /// Where packets arrive: an object of 205 of them loses one more often than not where one of 250 is lost.
    var lossLimit: Int { max(Self.setbackLimit, packetsPerObject / 8) }
    /// Requests in a row without an answer: some ten seconds.
    static let silenceLimit = 4
    /// The flash page: data objects are multiples of it.
    static let pageSize = 4096

    let command: ObjectSource
    let image: ObjectSource
    let saveInterval: Duration?
    var state = State.idle
    var summary = TransferSummary()
    var pacing = Pacing()
    /// In bytes, a multiple of 4: the bootloader writes its flash by words.
    var packetSize = 20
    var objectSize = pageSize
    var now = Duration.zero
    var setbacks = 0
    var silences = 0
    /// Without an answer, in the order of the answers: one to an older request says less than one to the last.
    var openSelects: [ObjectKind] = []
    /// To an older SELECT; the newest.
    var olderAnswer: (limit: UInt32, checksum: Checksum)?
    var provedImageBytes = 0
    /// The furthest byte that the unit had.
    var reached = 0
    /// No answer was missing since the init packet.
    var mayMeasure = false
    /// The unit goes on from here after a lost link.
    var savedImageBytes = 0
    var savedAt = Duration.zero
    var requestedAt = Duration.zero
    /// Of a request that needs no flash.
    var roundTrip = Duration.zero
    var initExecutedAt = Duration.zero
    var sentAt = Duration.zero
    /// From the last packet to its receipt.
    var receiptTime: Duration?
    var hasStartedOver = false
    /// The unit's settings are written.
    var hasSettled = false
    var hasSentLastExecute = false

    /// - Parameter saveInterval: how often the unit saves its progress; `nil` for never.
    init(initPacket: [UInt8], image: [UInt8], saveInterval: Duration? = nil) {
        command = ObjectSource(initPacket)
        self.image = ObjectSource(image)
        self.saveInterval = saveInterval
    }

    mutating func handle(_ event: TransferEvent, at time: Duration) -> [TransferAction] {
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
        pacing.packetsPerObject = packetsPerObject
        savedAt = now
        return setInterval()
    }

    private mutating func receive(_ bytes: [UInt8]) -> [TransferAction] {
        guard let response = ControlPointResponse(parsing: bytes) else { return fail(.transfer(.malformedAnswer(bytes: bytes))) }
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

    private mutating func completed() -> [TransferAction] {
        switch state {
        case .settingInterval:
            roundTrip = max(now - requestedAt, roundTrip)
            return select(.command)
        case .creating(var object, let checksBase):
            // The erase began before its answer arrived, and packets are on their way as long again: a round trip, or a little less.
            let passed = min(roundTrip, now - requestedAt)
            object.drainsFrom = now + pacing.eraseTime - (passed < pacing.eraseTime ? passed * 3 / 4 : passed)
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
