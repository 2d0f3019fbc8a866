/// What is wrong with a file that firmware is read from. Lines count from 1.
public enum FirmwareFileFault: Error, Hashable, Sendable {
    /// A line that is no Intel HEX record: no colon, an odd or a foreign character, too short.
    case notARecord(line: Int)
    /// A record that is shorter or longer than it says, in bytes of data.
    case lengthDiffers(line: Int, stated: Int, actual: Int)
    case checksumDiffers(line: Int, stated: UInt8, computed: UInt8)
    case recordTypeUnknown(line: Int, type: UInt8)
    /// An address, start or end record that does not have its fixed form.
    case recordMalformed(line: Int, type: UInt8)
    /// Data past the 64 KiB of its segment, or past 4 GiB.
    case addressOutOfRange(line: Int)
    case overlap(line: Int, earlierLine: Int, address: UInt32)
    /// Data in RAM, in external flash or for another chip.
    case elsewhere(line: Int, address: UInt32)
    /// Data so far apart that the image would be larger than anything that can be flashed.
    case spanTooLarge(line: Int, otherLine: Int, byteCount: UInt64, limit: Int)
    /// The last line read is no end-of-file record.
    case endMissing(line: Int)
    case contentAfterEnd(line: Int)
    /// No byte for the flash.
    case empty
    case tooLarge(byteCount: Int, limit: Int)
}
