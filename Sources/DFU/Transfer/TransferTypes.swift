enum TransferEvent: Sendable, Hashable {
    /// Notifications are on. The payload is the largest packet in bytes.
    case linkReady(payloadSize: Int)
    case notification([UInt8])
    /// Of a pause: it is over.
    case timedOut(TransferWait)
    case disconnected
}

/// A wait is always the last action of a step.
enum TransferWait: Sendable, Hashable {
    case answer(ControlPointOperation)
    /// The unasked checksum after an object's last packet.
    case receipt
    case pause
    /// The unit resets into its new firmware.
    case disconnection
}

enum TransferAction: Sendable, Hashable {
    case writeControl([UInt8])
    /// Each range is a packet.
    case sendPackets(ObjectKind, [Range<Int>])
    /// At most so long; the wait before it is over. A pause counts from the event that led to it, anything else from now.
    case wait(TransferWait, Duration)
    /// Verified on the unit, in bytes.
    case progress(Int)
    case notice(TransferNotice)
    case done(TransferSummary)
    case fail(DFUError)
}

/// What happened to a transfer that goes on.
public enum TransferNotice: Sendable, Hashable, CustomStringConvertible {
    /// Packets were lost, so that there are longer pauses now.
    case pacingSlowed(Pacing)
    /// Begun earlier: so many bytes are on the unit.
    case resumed(Int)
    /// From here on the unit has no application until the image is complete.
    case initPacketAccepted
    /// The bootloader had forgotten it.
    case initPacketSentAgain
    /// From the byte at the offset on.
    case objectSentAgain(ObjectKind, offset: Int, attempt: Int)
    /// An answer did not come: the unit is asked where it stands.
    case answerMissing(ControlPointOperation)
    /// A request was refused: the unit is asked where it stands.
    case askedAgain(ControlPointOperation)
    /// What the unit held did not belong to this image.
    case startedOver
    /// After the last EXECUTE it should have restarted.
    case unitStaysConnected
    /// The next object has to wait for it.
    case flashBusy
    /// So many bytes survive the loss of the link.
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

/// How a transfer ended.
public struct TransferSummary: Sendable, Hashable {
    /// The unit answered the last EXECUTE with success. If not, the link dropped first, as a reset drops it, and only the unit's version
    /// can tell.
    public internal(set) var isConfirmed = false
    var roundTrips = 0
    var receipts = 0
    var packets = 0
    var byteCount = 0
    var losses = 0

    /// Of an unconfirmed transfer whose unit is still in its bootloader.
    public func lostLink(byteCount: Int) -> DFUError { .transfer(.linkLost(offset: byteCount, of: byteCount, kept: 0)) }
}
