import Bluetooth
import Support

/// What can go wrong with an FPGA image or its flash; errors of the REPL and the link pass through.
public enum FPGAError: Error, Hashable, Sendable {
    case imageTooLong(byteCount: Int)
    case imageEmpty
    /// The flash does not hold what was written; the argument lists pages of 4 KiB.
    case proofFailed(pages: [Int])
    /// Writing did not come to its end within the allowed attempts.
    case writeFailed(String)
    /// The commit marker does not read back.
    case commitFailed(marker: String)
    /// The helper on the unit answered what it never answers.
    case answerUnreadable(String)
    /// The file is not a bitstream for the Monocle's FPGA.
    case notABitstream(reason: String)
    /// The flash does not erase.
    case markerStays
}

extension FPGAError: DiagnosableError {
    public var persistence: Persistence {
        switch self {
        case .imageTooLong, .imageEmpty, .notABitstream, .markerStays: .permanent
        case .proofFailed, .writeFailed, .commitFailed, .answerUnreadable: .degraded
        }
    }

    public var diagnosis: Diagnosis {
        let uncommitted = "the unit still starts from its built-in FPGA image; run the same command again"
        return switch self {
        case .imageTooLong(let byteCount):
            Diagnosis(
                code: "FPGA-0001", category: .badData, fault: nil,
                message: "the FPGA image has \(byteCount) bytes, more than \(FPGALimits.imageByteCount)",
                cause: "the file is not an FPGA image for Monocle", remedy: "give the raw image of a Monocle release")
        case .imageEmpty:
            Diagnosis(
                code: "FPGA-0002", category: .badData, fault: nil, message: "the FPGA image is empty",
                cause: "the file was not written to its end", remedy: "fetch the image again")
        case .proofFailed(let pages):
            Diagnosis(
                code: "FPGA-0003", category: .unitFailed, fault: .unit,
                message: "the FPGA flash does not hold what was written (\(Self.list(pages)))",
                cause: "the unit's flash is worn out or damaged", remedy: "\(uncommitted), and replace the unit if it persists")
        case .writeFailed(let reason):
            Diagnosis(
                code: "FPGA-0004", category: .tryAgain, fault: .radio, message: "the FPGA image could not be written: \(reason)",
                cause: "data is lost on the air again and again", remedy: "bring the unit closer; \(uncommitted)")
        case .commitFailed(let marker):
            Diagnosis(
                code: "FPGA-0005", category: .unitFailed, fault: .unit,
                message: "the FPGA commit marker reads back as \(marker)",
                cause: "the unit's flash is damaged, or power was lost", remedy: uncommitted)
        case .answerUnreadable(let answer):
            Diagnosis(
                code: "FPGA-0006", category: .tryAgain, fault: .unit, message: "the unit's answer cannot be read: \(answer)",
                cause: "data was damaged on the air", remedy: "run the same command again")
        case .notABitstream(let reason):
            Diagnosis(
                code: "FPGA-0008", category: .badData, fault: nil, message: "this is no FPGA image for a Monocle: \(reason)",
                cause: "it is another kind of file, or it was damaged",
                remedy: "give the raw image of a Monocle release; flash, verify and bundle take your own with --any-fpga-image")
        case .markerStays:
            Diagnosis(
                code: "FPGA-0009", category: .unitFailed, fault: .unit, message: "the FPGA image cannot be taken out again",
                cause: "the unit's flash does not erase", remedy: "replace the unit")
        }
    }

    private static func list(_ pages: [Int]) -> String {
        guard !pages.isEmpty else { return "the digest differs" }
        let shown = pages.prefix(8).map(String.init).joined(separator: ", ")
        return "page \(shown)" + (pages.count > 8 ? " and \(pages.count - 8) more" : "")
    }
}
