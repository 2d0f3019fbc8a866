/// Drives the transfer of one image to a Nordic bootloader: events in, actions out, no I/O and no clock.
///
/// SET PRN → SELECT command → (CREATE, packets, GET CRC) → EXECUTE → SELECT data → for each object CREATE, packets, a
/// receipt, EXECUTE. With the receipt interval equal to the packets of an object its CRC comes unasked, so an object
/// costs two round trips.
///
/// An empty list of actions means: not for us, go on waiting for the same thing.
public struct TransferMachine: Sendable {
    static let attemptLimit = 3
    /// The flash page: data objects are multiples of it.
    static let pageSize = 4096

    /// An object that is open on the unit.
    struct OpenObject: Sendable, Hashable {
        let kind: ObjectKind
        /// Its bytes within the init packet or the image.
        let range: Range<Int>
        /// Up to here the unit proved to have it.
        var proved: Int
        /// Up to here it was sent.
        var sent: Int

        init(_ kind: ObjectKind, _ range: Range<Int>, proved: Int? = nil) {
            self.kind = kind
            self.range = range
            self.proved = proved ?? range.lowerBound
            sent = self.proved
        }
    }

    enum Execution: Sendable, Hashable {
        /// A kept init packet was on the unit before this transfer.
        case initPacket(isKept: Bool)
        /// A found object was on the unit before: it may have been executed already.
        case object(end: Int, isFound: Bool)
    }

    enum Continuation: Sendable, Hashable {
        case select(ObjectKind)
        case create(OpenObject)
        case send(OpenObject)
    }

    enum State: Sendable, Hashable {
        case idle
        case settingInterval(then: Continuation)
        case selecting(ObjectKind)
        /// `checksBase`: what the unit executed so far is not known for certain.
        case creating(OpenObject, checksBase: Bool)
        case checkingBase(OpenObject)
        /// The unit's flash had no room for the erase that CREATE asks for.
        case settling(OpenObject)
        case pausing(OpenObject)
        case awaitingReceipt(OpenObject)
        case awaitingChecksum(OpenObject)
        case executing(Execution)
        /// The last EXECUTE was answered with success.
        case leaving
        case finished
    }

    let command: ObjectSource
    let image: ObjectSource
    var state = State.idle
    var summary = TransferSummary()
    /// The longest packet in bytes, a multiple of 4: the bootloader writes its flash by words.
    var packetSize = 20
    var objectSize = pageSize
    /// How many more packets the bootloader takes before it sends a receipt.
    var packetsToReceipt = 0
    /// Failed attempts at the current object; reset by a good CRC.
    var attempts = 0
    var provedImageBytes = 0
    var hasStartedOver = false
    /// The pause after the init packet has been made.
    var hasSettled = false
    var hasSentLastExecute = false
    /// Refusals of CREATE in a row because of a busy flash.
    var busyRefusals = 0

    /// - Parameters:
    ///   - initPacket: at most 512 bytes.
    ///   - image: not empty; the package's check has seen to both.
    public init(initPacket: [UInt8], image: [UInt8]) {
        command = ObjectSource(initPacket)
        self.image = ObjectSource(image)
    }

    public mutating func handle(_ event: TransferEvent) -> [TransferAction] {
        if state == .finished { return [] }
        switch event {
        case .linkReady(let payloadSize): return begin(payloadSize: payloadSize)
        case .notification(let bytes): return receive(bytes)
        case .timedOut(let wait): return timedOut(wait)
        case .disconnected:
            guard hasSentLastExecute else {
                return fail(.transfer(.linkLost(offset: provedImageBytes, of: image.count)))
            }
            return finish(isConfirmed: state == .leaving)
        }
    }

    private mutating func begin(payloadSize: Int) -> [TransferAction] {
        guard state == .idle else { return [] }
        guard payloadSize >= 20 else { return fail(.transfer(.payloadTooSmall(payloadSize))) }
        packetSize = payloadSize / 4 * 4
        return setInterval(then: .select(.command))
    }

    private mutating func receive(_ bytes: [UInt8]) -> [TransferAction] {
        let response: ControlPointResponse
        do {
            response = try ControlPointResponse(parsing: bytes)
        } catch {
            return fail(.transfer(.malformedAnswer(bytes: bytes)))
        }
        guard response.operation == awaitedOperation else { return [] }
        switch response.outcome {
        case .done: return completed()
        case .selected(let limit, let checksum): return selected(limit: limit, checksum)
        case .checksum(let checksum): return received(checksum)
        case .refused(let refusal): return refused(response.operation, refusal)
        }
    }

    private var awaitedOperation: ControlPointOperation? {
        switch state {
        case .settingInterval: .setReceiptInterval
        case .selecting: .select
        case .creating: .create
        case .checkingBase, .awaitingReceipt, .awaitingChecksum: .checksum
        case .executing: .execute
        case .idle, .settling, .pausing, .leaving, .finished: nil
        }
    }

    /// An answer without payload: the request was carried out.
    private mutating func completed() -> [TransferAction] {
        switch state {
        case .settingInterval(let continuation):
            packetsToReceipt = interval
            switch continuation {
            case .select(let kind): return select(kind)
            case .create(let object): return create(object)
            case .send(let object): return send(object)
            }
        case .creating(let object, let checksBase):
            packetsToReceipt = interval
            busyRefusals = 0
            if checksBase {
                state = .checkingBase(object)
                return request(.checksum)
            }
            return pauseOrSend(object)
        case .executing(let execution): return executed(execution)
        default: return []
        }
    }

    var interval: Int {
        summary.pacing.interval(packetsPerObject: (Self.pageSize + packetSize - 1) / packetSize)
    }

    func source(_ kind: ObjectKind) -> ObjectSource { kind == .command ? command : image }
}
