import FoundationEssentials
import Support

/// Other than a refusal.
public enum TransferFault: Hashable, Sendable {
    /// A notification that is no answer of a DFU control point.
    case malformedAnswer(bytes: [UInt8])
    /// The unit's checksum stayed wrong, from the byte at the offset on.
    case objectLost(ObjectKind, offset: Int, attempts: Int)
    /// Not within its deadline, though asked again.
    case noAnswer(ControlPointOperation)
    /// In bytes: verified on the unit, and kept by it; what was not saved goes with the link.
    case linkLost(offset: Int, of: Int, kept: Int)
    /// In bytes.
    case payloadTooSmall(Int)
    /// The unit's largest object cannot hold what has to go into one.
    case objectLimitTooSmall(ObjectKind, limit: UInt32)
    /// Reported even after a fresh start.
    case foreignData

    var diagnosis: Diagnosis {
        switch self {
        case .malformedAnswer(let bytes):
            unit("DFU-2001", "the bootloader sent bytes that are not an answer: \(Self.list(bytes))",
                 "it is not a Nordic DFU bootloader, or its memory is damaged")
        case .objectLost(let kind, let offset, let attempts):
            radio("DFU-2002", "packets of the \(kind) at byte \(offset) were lost in \(attempts) attempts",
                  "the air is crowded, or the unit cannot keep up")
        case .noAnswer(let operation):
            radio("DFU-2003", "the bootloader does not answer \(operation)", "the unit hangs, or the link is too poor")
        case .linkLost(let offset, let total, let kept):
            radio("DFU-2004", "the link was lost \(Self.place(offset, total, kept))", "the unit moved out of range or lost power")
        case .payloadTooSmall(let byteCount):
            unit(
                "DFU-2005", "the link carries only \(byteCount) bytes in a packet, 20 are the least", "the adapter negotiated a broken MTU")
        case .objectLimitTooSmall(let kind, let limit):
            unit(
                "DFU-2006", "the bootloader takes only \(limit) bytes in a piece of the \(kind)", "it is not a bootloader that noafw knows")
        case .foreignData:
            unit("DFU-2007", "the unit keeps reporting data that is not part of this image",
                 "another host sends to this unit at the same time, or its flash is failing")
        }
    }

    private static func list(_ bytes: [UInt8]) -> String {
        let shown = bytes.prefix(20).map { String(printf: "%02X", $0) }.joined(separator: " ")
        return shown + (bytes.count > 20 ? " … (\(bytes.count) bytes)" : "")
    }

    private static func place(_ offset: Int, _ total: Int, _ kept: Int) -> String {
        guard offset > 0 else { return "before a byte of the image was verified on the unit" }
        return "after \(offset) of \(total) bytes; the unit " + (kept > 0 ? "kept \(kept)" : "kept none of them and begins again")
    }

    private func unit(_ code: String, _ message: String, _ cause: String) -> Diagnosis {
        Diagnosis(
            code, .unitFailed, .unit, message, cause: cause,
            remedy: "power-cycle the unit and run the same command again; set it aside if it fails again")
    }

    private func radio(_ code: String, _ message: String, _ cause: String) -> Diagnosis {
        Diagnosis(
            code, .tryAgain, .radio, message, cause: cause,
            remedy: "bring the unit closer to the adapter, charge it, and run the same command again")
    }
}
