import Bluetooth
import REPL
import Support

/// What can go wrong with an FPGA image or its flash; errors of the REPL and the link pass through.
public enum FPGAError: Error, Hashable, Sendable {
    case imageTooLong(byteCount: Int)
    case imageEmpty
    /// The argument lists pages of 4 KiB.
    case verificationFailed(pages: [Int])
    case writeFailed(String)
    case commitFailed(marker: String)
    case notABitstream(reason: String)
    /// The flash does not erase.
    case markerStays
}

extension FPGAError: DiagnosableError {
    public var obstacle: Obstacle? {
        switch self {
        case .imageTooLong, .imageEmpty, .notABitstream, .markerStays: nil
        case .verificationFailed, .writeFailed, .commitFailed: .garbage
        }
    }

    public var diagnosis: Diagnosis {
        let again = "run the same command again (until then the unit starts from its built-in FPGA image)"
        return switch self {
        case .imageTooLong(let byteCount):
            .row("FPGA-0001", .badData, nil, "the FPGA image has \(byteCount) bytes, more than \(FPGALimits.imageByteCount)",
                "the file is not an FPGA image for a Monocle", "give the raw image of a Monocle release")
        case .imageEmpty:
            .row("FPGA-0002", .badData, nil, "the FPGA image is empty", "the file was not written completely", "fetch the image again")
        case .verificationFailed(let pages):
            .row("FPGA-0003", .unitFailed, .unit, "the FPGA flash does not hold what was written (\(pages.isEmpty ? "the digest differs" : "page " + Diagnosis.list(pages.map(String.init))))",
                "the unit's flash is worn out or damaged", "\(again); replace the unit if it fails again")
        case .writeFailed(let reason):
            .row("FPGA-0004", .tryAgain, .radio, "the FPGA image could not be written: \(reason)",
                "data is lost on the air repeatedly", "bring the unit closer; \(again)")
        case .commitFailed(let marker):
            .row("FPGA-0005", .unitFailed, .unit, "the FPGA commit marker reads back as \(marker)",
                "the unit's flash is damaged, or power was lost", again)
        case .notABitstream(let reason):
            .row("FPGA-0008", .badData, nil, "the file is not an FPGA image for a Monocle: \(reason)",
                "it is another kind of file, or it was damaged",
                "give the raw image of a Monocle release, or pass --any-fpga-image for an image of your own")
        case .markerStays:
            .row("FPGA-0009", .unitFailed, .unit, "the FPGA image cannot be withdrawn", "the unit's flash cannot be erased",
                "replace the unit")
        }
    }
}
