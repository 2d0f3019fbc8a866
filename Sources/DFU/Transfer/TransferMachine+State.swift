/// Where a transfer stands.
extension TransferMachine {
    /// An object that is open on the unit.
    struct OpenObject: Sendable, Hashable {
        let kind: ObjectKind
        /// Its bytes within the init packet or the image.
        let range: Range<Int>
        /// Up to here the unit proved to have it.
        var proved: Int
        /// Up to here it was sent.
        var sent: Int
        /// Packets sent since CREATE.
        var packets = 0
        /// Packets that waited in the unit's queue when the last ones went out, as reckoned.
        var queued = 0
        /// When the queue begins to drain, or when the last packets went out.
        var drainsFrom = Duration.zero
        /// The unit counts its packets from the first one: the receipt comes with the last.
        var isCounted = false

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
        /// Of nothing: answered when the flash rests.
        case rest
        /// A found object was on the unit before: it may have been executed already.
        case object(end: Int, isFound: Bool)
        /// The init packet once more, which writes the settings and with them the progress up to this byte.
        case save(Int)
    }

    /// What follows a pause.
    enum Continuation: Sendable, Hashable {
        case select(ObjectKind)
        case create(OpenObject, checksBase: Bool)
        case send(OpenObject)
        case ask(OpenObject)
        /// The progress up to this byte is in the unit's settings.
        case goOn(afterSaving: Int)
    }

    enum State: Sendable, Hashable {
        case idle
        case settingInterval
        /// Asked where it stands, to go on from there.
        case selecting(ObjectKind)
        /// `checksBase`: what the unit executed so far is not known for certain.
        case creating(OpenObject, checksBase: Bool)
        case checkingBase(OpenObject)
        case pausing(then: Continuation)
        case awaitingReceipt(OpenObject)
        /// Asked what it has of the object.
        case asking(OpenObject)
        case executing(Execution)
        /// Selects the init packet, to save the progress up to this byte.
        case saving(Int)
        /// The last EXECUTE was answered with success.
        case leaving
        /// The last EXECUTE was not answered, and the unit has forgotten the image: it has taken or refused it, and resets.
        case vanishing
        case finished
    }
}
