import FoundationEssentials
import Support

/// What is wrong with a file that firmware is read from. Lines count from 1.
public enum FirmwareFileFault: Error, Hashable, Sendable {
    /// No colon, an odd number of digits or none, too short.
    case notARecord(line: Int)
    /// A record with a wrong checksum, length or type.
    case damaged(line: Int, reason: String)
    /// Two records give bytes for one address.
    case overlap(line: Int, earlierLine: Int, address: UInt32)
    /// Data in RAM, in external flash or for another chip.
    case elsewhere(line: Int, address: UInt32)
    /// Between the lowest and the highest address lies more than an image may have.
    case spanTooLarge(line: Int, otherLine: Int, byteCount: UInt64, limit: Int)
    /// No end-of-file record; `line` is the last one.
    case endMissing(line: Int)
    /// Records behind the end-of-file record.
    case contentAfterEnd(line: Int)
    /// No byte of data.
    case empty
    /// In bytes, of the file.
    case tooLarge(byteCount: Int, limit: Int)

    func diagnosis(of file: String) -> Diagnosis {
        let (code, message, cause, remedy) = text
        return Diagnosis(code, .badData, nil, "\(file): \(message)", cause: cause, remedy: remedy)
    }

    private var text: (code: String, message: String, cause: String, remedy: String) {
        switch self {
        case .notARecord(let line):
            ("DFU-1040", "line \(line) is not an Intel HEX record",
             "the file is damaged, or it is not Intel HEX (every file that is not named .bin is read as such)",
             "give Intel HEX, or raw bytes in a file named .bin")
        case .damaged(let line, let reason):
            (
                "DFU-1041", "line \(line) \(reason)", "the file was cut, edited by hand or changed in transfer",
                "build or fetch the file again"
            )
        case .overlap(let line, let earlier, let address):
            ("DFU-1043", "line \(line) writes \(String(printf: "0x%08X", address)), which line \(earlier) has written already",
             "two images were merged that do not fit together", "give each image as a file of its own")
        case .elsewhere(let line, let address):
            ("DFU-104C", "line \(line) holds data at \(String(printf: "0x%08X", address)), which is neither flash nor UICR",
             "the file holds RAM or external flash, or it was made for another chip",
             "check that it is the file you meant, and leave out what is not part of the image")
        case .spanTooLarge(let line, let other, let byteCount, let limit):
            ("DFU-1044", "line \(line) and line \(other) lie \(byteCount) bytes apart, an image has at most \(limit)",
             "the file holds data that does not belong to this image",
             "leave out what is not part of the image, such as external flash")
        case .endMissing(let line):
            (
                "DFU-1045", "line \(line) is the last one and is not an end-of-file record", "the file was cut",
                "build or fetch the file again"
            )
        case .contentAfterEnd(let line):
            ("DFU-104B", "line \(line) stands after the end-of-file record", "several files were joined as they are",
             "join them with a tool that knows Intel HEX, such as mergehex or srec_cat")
        case .empty:
            ("DFU-1046", "it holds no byte of an image", "the file is empty, or all of it belongs to the MBR or the UICR",
             "check that it is the file you meant")
        case .tooLarge(let byteCount, let limit):
            ("DFU-1047", "the image has \(byteCount) bytes, the limit is \(limit)", "it was made for a larger device",
             "check that it is the file you meant")
        }
    }
}
