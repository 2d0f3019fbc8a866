extension TransferMachine {
    /// An object that is open on the unit.
    struct OpenObject: Sendable, Hashable {
        let kind: ObjectKind
        let range: Range<Int>
        var proved: Int
        var sent: Int
        /// Since CREATE.
        var packets = 0
        /// In the unit's queue when the last ones went out, by estimate.
        var queued = 0
        /// When the queue begins to drain, or when the last packets went out.
        var drainsFrom = Duration.zero
        /// The unit has counted from the first packet: the receipt comes with the last.
        var isCounted = false

        init(_ kind: ObjectKind, _ range: Range<Int>, proved: Int? = nil) {
            self.kind = kind
            self.range = range
            self.proved = proved ?? range.lowerBound
            sent = self.proved
        }
    }

    enum Execution: Sendable, Hashable {
        /// `isKept`: it was on the unit before.
        case initPacket(isKept: Bool)
        /// Answered when the flash rests.
        case rest
        /// `isFound`: it was on the unit before, and may have been executed already.
        case object(end: Int, isFound: Bool)
        /// The init packet once more, which writes the settings with the progress up to this byte.
        case save(Int)
    }

    enum Continuation: Sendable, Hashable {
        case select(ObjectKind)
        case create(OpenObject, checksBase: Bool)
        case send(OpenObject)
        case ask(OpenObject)
        case goOn(afterSaving: Int)
    }

    enum State: Sendable, Hashable {
        case idle
        case settingInterval
        case selecting(ObjectKind)
        /// `checksBase`: what the unit executed so far is not known for certain.
        case creating(OpenObject, checksBase: Bool)
        case checkingBase(OpenObject)
        case pausing(then: Continuation)
        case awaitingReceipt(OpenObject)
        case asking(OpenObject)
        case executing(Execution)
        /// Selects the init packet, to save progress.
        case saving(Int)
        /// The last EXECUTE was answered with success.
        case leaving
        /// The last EXECUTE got no answer, and the unit has forgotten the image: it took or refused it, and resets.
        case vanishing
        case finished
    }
}
