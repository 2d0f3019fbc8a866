import Bluetooth
import Support

extension FirmwareFileFault {
    /// - Parameter name: of the file, as it was given.
    func diagnosis(of name: String) -> Diagnosis {
        let (code, message, cause, remedy) = text
        return Diagnosis(
            code: code, category: .badData, fault: nil, message: "\(name): \(message)", cause: cause, remedy: remedy)
    }

    private typealias Text = (code: String, message: String, cause: String, remedy: String)

    private static let damaged = "the file was cut, edited by hand or changed in transfer"
    private static let rebuild = "build or fetch the file again"

    private var text: Text {
        switch self {
        case .notARecord(let line):
            ("DFU-1040", "line \(line) is not an Intel HEX record",
             "the file is damaged, or it is not Intel HEX (every file that is not named .bin is read as such)",
             "give Intel HEX, or raw bytes in a file named .bin")
        case .lengthDiffers(let line, let stated, let actual):
            ("DFU-1048", "line \(line) holds \(actual) bytes of data and says \(stated)", Self.damaged, Self.rebuild)
        case .recordTypeUnknown(let line, let type):
            ("DFU-1049", "line \(line) is a record of type \(type); Intel HEX has 0 to 5", Self.damaged, Self.rebuild)
        case .recordMalformed(let line, let type):
            ("DFU-104A", "line \(line) is not a valid record of type \(type)", Self.damaged, Self.rebuild)
        case .checksumDiffers(let line, let stated, let computed):
            ("DFU-1041", "line \(line) has checksum \(Self.hex(stated, 2)), its bytes give \(Self.hex(computed, 2))",
             Self.damaged, Self.rebuild)
        case .addressOutOfRange(let line):
            ("DFU-1042", "line \(line) runs past the end of its address range", Self.damaged, Self.rebuild)
        case .overlap(let line, let earlier, let address):
            ("DFU-1043", "line \(line) writes \(Self.hex(address, 8)), which line \(earlier) has written already",
             "two images were merged that do not fit together", "give each image as a file of its own")
        case .elsewhere(let line, let address):
            ("DFU-104C", "line \(line) holds data at \(Self.hex(address, 8)), which is neither flash nor UICR",
             "the file holds RAM or external flash, or it was made for another chip",
             "check that it is the file you meant, and leave out what is not part of the image")
        case .spanTooLarge(let line, let other, let byteCount, let limit):
            ("DFU-1044", "line \(line) and line \(other) lie \(byteCount) bytes apart, an image has at most \(limit)",
             "the file holds data that does not belong to this image",
             "leave out what is not part of the image, such as external flash")
        case .endMissing(let line):
            ("DFU-1045", "line \(line) is the last one and is not an end-of-file record", "the file was cut", Self.rebuild)
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

    private static func hex(_ value: some FixedWidthInteger & UnsignedInteger, _ width: Int) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
