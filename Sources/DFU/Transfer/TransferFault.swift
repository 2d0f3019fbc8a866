import Bluetooth
import Support

/// What can go wrong in the conversation with a bootloader, other than a refusal.
public enum TransferFault: Hashable, Sendable {
    /// A notification that is no answer of a DFU control point.
    case malformedAnswer(bytes: [UInt8])
    /// Packets of one object were lost in every attempt.
    case objectLost(ObjectKind, offset: Int, attempts: Int)
    case noAnswer(ControlPointOperation)
    /// The link ended after `offset` bytes of the image were proved on the unit, of which it keeps `kept`: all progress of data
    /// that was not saved is gone with the link.
    case linkLost(offset: Int, of: Int, kept: Int)
    /// In bytes.
    case payloadTooSmall(Int)
    /// The bootloader's largest object in bytes is less than what has to fit.
    case objectLimitTooSmall(ObjectKind, limit: UInt32)
    /// The unit keeps reporting bytes that are not of this image, even after a fresh start.
    case foreignData
}

extension TransferFault {
    private static let again = "run the same command again"

    var diagnosis: Diagnosis {
        switch self {
        case .objectLost, .noAnswer, .linkLost: radioDiagnosis
        case .malformedAnswer, .payloadTooSmall, .objectLimitTooSmall, .foreignData: unitDiagnosis
        }
    }

    private var unitDiagnosis: Diagnosis {
        let (code, message, cause): (String, String, String)
        switch self {
        case .malformedAnswer(let bytes):
            let shown = bytes.prefix(20).map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
            let more = bytes.count > 20 ? " … (\(bytes.count) bytes)" : ""
            code = "2001"
            message = "the bootloader sent what is no answer: \(shown.joined(separator: " "))\(more)"
            cause = "it is no Nordic DFU bootloader, or its memory is damaged"
        case .payloadTooSmall(let byteCount):
            (code, message) = ("2005", "the link carries only \(byteCount) bytes a packet, 20 are the least")
            cause = "the adapter negotiated a broken MTU"
        case .objectLimitTooSmall(let kind, let limit):
            (code, message) = ("2006", "the bootloader takes only \(limit) bytes a piece of the \(kind)")
            cause = "it is not the bootloader of a Monocle or a Frame"
        default:
            (code, message) = ("2007", "the unit keeps reporting data that are not of this image")
            cause = "another host sends to this unit at the same time, or its flash is failing"
        }
        return Diagnosis(
            code: "DFU-\(code)", category: .unitFailed, fault: .unit, message: message, cause: cause,
            remedy: "power-cycle the unit and run the same command again; set it aside if it persists")
    }

    private var radioDiagnosis: Diagnosis {
        let (code, message, cause): (String, String, String)
        switch self {
        case .objectLost(let kind, let offset, let attempts):
            (code, message) = ("2002", "packets of the \(kind) at byte \(offset) were lost in \(attempts) attempts")
            cause = "the air is crowded, or the unit cannot keep up"
        case .noAnswer(let operation):
            (code, message) = ("2003", "the bootloader does not answer \(operation)")
            cause = "the unit hangs, or the link is too poor"
        case .linkLost(let offset, let total, let kept):
            let place = offset > 0 ? "after \(offset) of \(total) bytes" : "before a byte of the image was proved on the unit"
            let rest = kept > 0 ? "; the unit kept \(kept)" : offset > 0 ? "; the unit keeps none of them and begins anew" : ""
            (code, message) = ("2004", "the link was lost \(place)\(rest)")
            cause = "the unit moved out of range or lost power"
        default: (code, message, cause) = ("2099", "the transfer failed", "the link is too poor")
        }
        return Diagnosis(
            code: "DFU-\(code)", category: .tryAgain, fault: .radio, message: message, cause: cause,
            remedy: "bring the unit closer to the adapter, charge it, and \(Self.again)")
    }
}
