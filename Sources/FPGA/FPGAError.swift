import Bluetooth
import Support

/// What can go wrong with an FPGA image or its flash; errors of the REPL and the link pass through.
public enum FPGAError: Error, Hashable, Sendable {
    case imageTooLong(byteCount: Int)
    case imageEmpty
    /// The flash does not hold what was written; the argument lists pages of 4 KiB.
    case verificationFailed(pages: [Int])
    /// Writing did not come to its end within the allowed attempts.
    case writeFailed(String)
    /// The commit marker does not read back.
    case commitFailed(marker: String)
    /// The answer does not have the helper's form.
    case answerUnreadable(String)
    /// The file is not a bitstream for the unit's FPGA.
    case notABitstream(reason: String)
    /// The flash does not erase.
    case markerStays
}

extension FPGAError: DiagnosableError {
    public var obstacle: Obstacle? {
        switch self {
        case .imageTooLong, .imageEmpty, .notABitstream, .markerStays: nil
        case .verificationFailed, .writeFailed, .commitFailed, .answerUnreadable: .garbage
        }
    }

    public var diagnosis: Diagnosis {
        let again = "run the same command again (until then the unit starts from its built-in FPGA image)"
        return switch self {
        case .imageTooLong(let byteCount):
            Diagnosis(
                code: "FPGA-0001", category: .badData, fault: nil,
                message: "the FPGA image has \(byteCount) bytes, more than \(FPGALimits.imageByteCount)",
                cause: "the file is not an image for the unit's FPGA", remedy: "give the raw image of a release for the unit")
        case .imageEmpty:
            Diagnosis(
                code: "FPGA-0002", category: .badData, fault: nil, message: "the FPGA image is empty",
                cause: "the file was not written completely", remedy: "fetch the image again")
        case .verificationFailed(let pages):
            Diagnosis(
                code: "FPGA-0003", category: .unitFailed, fault: .unit,
                message: "the FPGA flash does not hold what was written (\(Self.list(pages)))",
                cause: "the unit's flash is worn out or damaged", remedy: "\(again); replace the unit if it fails again")
        case .writeFailed(let reason):
            Diagnosis(
                code: "FPGA-0004", category: .tryAgain, fault: .radio, message: "the FPGA image could not be written: \(reason)",
                cause: "data is lost on the air repeatedly", remedy: "bring the unit closer; \(again)")
        case .commitFailed(let marker):
            Diagnosis(
                code: "FPGA-0005", category: .unitFailed, fault: .unit,
                message: "the FPGA commit marker reads back as \(marker)",
                cause: "the unit's flash is damaged, or power was lost", remedy: again)
        case .answerUnreadable(let answer):
            Diagnosis(
                code: "FPGA-0006", category: .tryAgain, fault: .unit, message: "the unit's answer cannot be read: \(answer)",
                cause: "data was damaged on the air", remedy: "run the same command again")
        case .notABitstream(let reason):
            Diagnosis(
                code: "FPGA-0008", category: .badData, fault: nil, message: "the file is not an image for the unit's FPGA: \(reason)",
                cause: "it is another kind of file, or it was damaged",
                remedy: "give the raw image of a release for the unit, or pass --any-fpga-image for an image of your own")
        case .markerStays:
            Diagnosis(
                code: "FPGA-0009", category: .unitFailed, fault: .unit, message: "the FPGA image cannot be withdrawn",
                cause: "the unit's flash cannot be erased", remedy: "replace the unit")
        }
    }

    private static func list(_ pages: [Int]) -> String {
        guard !pages.isEmpty else { return "the digest differs" }
        let shown = pages.prefix(8).map(String.init).joined(separator: ", ")
        return "page \(shown)" + (pages.count > 8 ? " and \(pages.count - 8) more" : "")
    }
}
