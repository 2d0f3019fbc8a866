/// What happens to a ``TransferMachine``.
public enum TransferEvent: Sendable, Hashable {
    /// The link is up, notifications are on. The payload is the largest packet in bytes.
    case linkReady(payloadSize: Int)
    case notification([UInt8])
    /// What was waited for did not come in time; of a pause: it is over.
    case timedOut(TransferWait)
    case disconnected
}

/// What a ``TransferMachine`` waits for. A wait is always the last action of a step.
public enum TransferWait: Sendable, Hashable {
    case answer(ControlPointOperation)
    /// The unasked checksum after an object's last packet.
    case receipt
    case pause
    /// The unit resets into its new firmware.
    case disconnection
}

/// What a ``TransferMachine`` wants done, in this order.
public enum TransferAction: Sendable, Hashable {
    case writeControl([UInt8])
    /// Bytes of the init packet (``ObjectKind/command``) or of the image, each range a packet.
    case sendPackets(ObjectKind, [Range<Int>])
    /// Wait at most so long; the wait before it is over. A pause counts from the event that led to it, anything else from now.
    case wait(TransferWait, Duration)
    /// So many bytes of the image are proved to be on the unit.
    case progress(Int)
    case notice(TransferNotice)
    case done(TransferSummary)
    case fail(DFUError)
}

/// What an operator should know about a transfer.
public enum TransferNotice: Sendable, Hashable, CustomStringConvertible {
    case pacingSlowed(Pacing)
    /// The unit already held so many bytes of this image.
    case resumed(Int)
    /// From here on the unit has no application until the image is complete (see the facts on room).
    case initPacketAccepted
    case initPacketSentAgain
    case objectSentAgain(ObjectKind, offset: Int, attempt: Int)
    case answerMissing(ControlPointOperation)
    /// The unit's answer does not fit what was sent: it is asked where it stands.
    case askedAgain(ControlPointOperation)
    case startedOver
    case unitStaysConnected
    /// The unit's flash has not caught up: the object is begun again after a pause.
    case flashBusy
    /// After a lost link the unit goes on from here.
    case progressSaved(Int)

    public var description: String {
        switch self {
        case .pacingSlowed(let pacing): "packets were lost: \(pacing)"
        case .resumed(let offset): "resumed at byte \(offset)"
        case .initPacketAccepted: "the bootloader accepted the init packet"
        case .initPacketSentAgain: "the bootloader forgot its init packet: sending it again"
        case .objectSentAgain(let kind, let offset, let attempt):
            "sending the \(kind) again from byte \(offset), attempt \(attempt)"
        case .answerMissing(let operation): "no answer to \(operation): asking for the state"
        case .askedAgain(let operation): "the bootloader refused \(operation): asking for the state"
        case .startedOver: "the unit holds other data: starting over"
        case .flashBusy: "the unit's flash is busy: waiting"
        case .unitStaysConnected: "the unit has the image but did not reset yet"
        case .progressSaved(let offset): "the unit saved its progress at byte \(offset)"
        }
    }
}

/// What a transfer took.
public struct TransferSummary: Sendable, Hashable {
    /// The unit answered the last EXECUTE with success. When not, the link dropped first, as a reset drops it, and only
    /// asking the unit for its version can tell.
    public internal(set) var isConfirmed = false
    /// Requests that had to be answered before going on.
    public internal(set) var roundTrips = 0
    /// Receipts that came unasked, at no round trip.
    public internal(set) var receipts = 0
    public internal(set) var packets = 0
    /// Bytes of init packet and image that went out, repeated ones included.
    public internal(set) var byteCount = 0
    /// Times that packets were missing.
    public internal(set) var losses = 0
    /// Times that the unit saved its progress.
    public internal(set) var saves = 0

    public init() {}

    /// What became of an unconfirmed transfer whose unit is in its bootloader still.
    public func lostLink(byteCount: Int) -> DFUError { .transfer(.linkLost(offset: byteCount, of: byteCount, kept: 0)) }
}
