/// Blocks of LittleFS and the time that they take (nRF52840 product specification; one word an operation, each awaited).
enum FrameBlocks {
    static let size = 4096
    /// Bytes of a file, and of one read (file.c).
    static let largestFile = 65_536
    static let largestRead = 512
    /// A folder is a pair of them.
    static let perFolder = 2
    /// Smaller files stand in their folder's pair.
    private static let largestInline = 32
    /// An estimate.
    static let commitsPerBlock = 120

    static let eraseTime = Duration.milliseconds(85)
    static let mountTime = Duration.milliseconds(5)
    static let lookTime = Duration.microseconds(300)
    /// An estimate.
    static let commitWords = 10
    static let commitTime = wordTime * commitWords
    private static let wordTime = Duration.microseconds(60)

    static func readTime(_ count: Int) -> Duration { .microseconds(100 + 3 * count) }
    static func writeTime(_ count: Int) -> Duration { .microseconds(200) + wordTime * words(count) }
    static func words(_ count: Int) -> Int { (count + 3) / 4 }

    /// Blocks of a file's content: each but the first begins with pointers to earlier ones, one more for each power of two that
    /// divides its number.
    static func count(of bytes: Int) -> Int {
        guard bytes > largestInline else { return 0 }
        var number = 0
        var left = bytes
        while left > 0 {
            left -= number == 0 ? size : size - 4 * (number.trailingZeroBitCount + 1)
            number += 1
        }
        return number
    }
}
