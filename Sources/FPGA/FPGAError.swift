import Bluetooth
import REPL
import Support

/// What can go wrong with an FPGA image or its flash. Errors of the REPL and the link pass through.
public enum FPGAError: Error, Hashable, Sendable {
    case imageTooLong(byteCount: Int)
    case imageEmpty
    /// Indexes of 4 KiB pages.
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
            .init("FPGA-0001", .badData, nil, "the FPGA image has \(byteCount) bytes, more than \(FPGALimits.imageByteCount)",
                cause: "the file is not an image for the unit's FPGA", remedy: "give the raw image of a release for the unit")
        case .imageEmpty:
            .init(
                "FPGA-0002", .badData, nil, "the FPGA image is empty", cause: "the file was not written completely",
                remedy: "fetch the image again")
        case .verificationFailed(let pages):
            .init(
                "FPGA-0003", .unitFailed, .unit,
                "the FPGA flash does not hold what was written "
                    + "(\(pages.isEmpty ? "the digest differs" : "page " + Diagnosis.list(pages.map(String.init))))",
                cause: "the unit's flash is worn out or damaged", remedy: "\(again); replace the unit if it fails again")
        case .writeFailed(let reason):
            .init("FPGA-0004", .tryAgain, .radio, "the FPGA image could not be written: \(reason)",
                cause: "data is lost on the air repeatedly", remedy: "bring the unit closer; \(again)")
        case .commitFailed(let marker):
            .init("FPGA-0005", .unitFailed, .unit, "the FPGA commit marker reads back as \(marker)",
                cause: "the unit's flash is damaged, or power was lost", remedy: again)
        case .notABitstream(let reason):
            .init("FPGA-0008", .badData, nil, "the file is not an image for the unit's FPGA: \(reason)",
                cause: "it is another kind of file, or it was damaged",
                remedy: "give the raw image of a release for the unit, or pass --any-fpga-image for an image of your own")
        case .markerStays:
            .init("FPGA-0009", .unitFailed, .unit, "the FPGA image cannot be withdrawn", cause: "the unit's flash cannot be erased",
                remedy: "replace the unit")
        }
    }
}
