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
    /// One table, so that the compiler misses no case.
    var diagnosis: Diagnosis {
        switch self {
        case .malformedAnswer(let bytes):
            unit("DFU-2001", "the bootloader sent bytes that are not an answer: \(Self.list(bytes))",
                 cause: "it is not a Nordic DFU bootloader, or its memory is damaged")
        case .objectLost(let kind, let offset, let attempts):
            radio("DFU-2002", "packets of the \(kind) at byte \(offset) were lost in \(attempts) attempts",
                  cause: "the air is crowded, or the unit cannot keep up")
        case .noAnswer(let operation):
            radio("DFU-2003", "the bootloader does not answer \(operation)", cause: "the unit hangs, or the link is too poor")
        case .linkLost(let offset, let total, let kept):
            radio("DFU-2004", "the link was lost \(Self.place(offset: offset, of: total, kept: kept))",
                  cause: "the unit moved out of range or lost power")
        case .payloadTooSmall(let byteCount):
            unit("DFU-2005", "the link carries only \(byteCount) bytes in a packet, 20 are the least",
                 cause: "the adapter negotiated a broken MTU")
        case .objectLimitTooSmall(let kind, let limit):
            unit("DFU-2006", "the bootloader takes only \(limit) bytes in a piece of the \(kind)",
                 cause: "it is not a bootloader that noafw knows")
        case .foreignData:
            unit("DFU-2007", "the unit keeps reporting data that is not part of this image",
                 cause: "another host sends to this unit at the same time, or its flash is failing")
        }
    }

    private static func list(_ bytes: [UInt8]) -> String {
        let shown = bytes.prefix(20).map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: " ")
        return shown + (bytes.count > 20 ? " … (\(bytes.count) bytes)" : "")
    }

    private static func place(offset: Int, of total: Int, kept: Int) -> String {
        guard offset > 0 else { return "before a byte of the image was verified on the unit" }
        return "after \(offset) of \(total) bytes; the unit " + (kept > 0 ? "kept \(kept)" : "kept none of them and begins again")
    }

    private func unit(_ code: String, _ message: String, cause: String) -> Diagnosis {
        Diagnosis(
            code: code, category: .unitFailed, fault: .unit, message: message, cause: cause,
            remedy: "power-cycle the unit and run the same command again; set it aside if it fails again")
    }

    private func radio(_ code: String, _ message: String, cause: String) -> Diagnosis {
        Diagnosis(
            code: code, category: .tryAgain, fault: .radio, message: message, cause: cause,
            remedy: "bring the unit closer to the adapter, charge it, and run the same command again")
    }
}
