import FoundationEssentials
import Support

/// A version of the form `v23.248.0754`: year, day of the year and UTC time of the build.
public struct FirmwareVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    static let textLength = 12

    /// Since 2000.
    let year: Int
    /// Of the year, 1…366.
    let day: Int
    /// Hours times 100 plus minutes.
    let time: Int

    init?(year: Int, day: Int, time: Int) {
        guard (0...99).contains(year), (1...366).contains(day), (0...23).contains(time / 100), (0...59).contains(time % 100) else {
            return nil
        }
        (self.year, self.day, self.time) = (year, day, time)
    }

    /// Parses exactly `vYY.DDD.HHMM`.
    public init?(_ text: String) { self.init(ascii: Array(text.utf8)[...]) }

    private init?(ascii: ArraySlice<UInt8>) {
        let start = ascii.startIndex
        guard ascii.count == Self.textLength, ascii[start] == UInt8(ascii: "v"), ascii[start + 3] == UInt8(ascii: "."),
            ascii[start + 7] == UInt8(ascii: "."), let year = Self.number(ascii[(start + 1)..<(start + 3)]),
            let day = Self.number(ascii[(start + 4)..<(start + 7)]), let time = Self.number(ascii[(start + 8)...])
        else { return nil }
        self.init(year: year, day: day, time: time)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        digits.allSatisfy { (0x30...0x39).contains($0) } ? digits.reduce(0) { $0 * 10 + Int($1 - 0x30) } : nil
    }

    /// Each once, in the order of first occurrence. A text inside a longer word or number is none.
    static func all(in image: [UInt8]) -> [FirmwareVersion] {
        var found: [FirmwareVersion] = []
        // An image made of version texts alone holds 87,000 of them.
        var seen: Set<FirmwareVersion> = []
        var index = 0
        while index + textLength <= image.count {
            let end = index + textLength
            if image[index] == UInt8(ascii: "v"), index == 0 || !isWordByte(image[index - 1]),
                end == image.count || !isWordByte(image[end]),
                let version = FirmwareVersion(ascii: image[index..<end])
            {
                if seen.insert(version).inserted { found.append(version) }
                index = end
            } else {
                index += 1
            }
        }
        return found
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2E: true
        default: false
        }
    }

    public var description: String { String(printf: "v%02d.%03d.%04d", year, day, time) }

    public static func < (left: FirmwareVersion, right: FirmwareVersion) -> Bool {
        (left.year, left.day, left.time) < (right.year, right.day, right.time)
    }
}
