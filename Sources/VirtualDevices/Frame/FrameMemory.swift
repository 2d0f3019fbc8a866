import Foundation

/// Layout of a Frame's internal flash (frame-codebase, `memory_layout.ld`, `section_layout.ld`).
enum FrameMemory {
    static let pageSize = 4096
    static let applicationStart = 0x27000
    /// After the file system.
    static let bondPage = 0xF4000
    static let bootloaderStart = 0xF5000

    /// The first page of the file system, right after the application.
    static func fileSystemStart(imageSize: Int) -> Int { (applicationStart + imageSize + pageSize - 1) / pageSize * pageSize }

    /// Blocks of the file system: the pages up to the bond, less one. Negative if the image covers them all.
    static func blockCount(imageSize: Int) -> Int { (bondPage - fileSystemStart(imageSize: imageSize)) / pageSize - 1 }
}

extension UnitFolder {
    /// An image over the file system destroys it, and bytes in the bond's page become the bond.
    func settleFlash(imageSize: Int) throws {
        var storage = try loadBootloader()
        let end = FrameMemory.fileSystemStart(imageSize: imageSize) - FrameMemory.applicationStart
        guard storage.flash.count > end, storage.flash[end...].contains(where: { $0 != 0xFF }) else { return }
        let bond = FrameMemory.bondPage - FrameMemory.applicationStart
        if storage.flash.count > bond {
            let key = storage.image(at: bond, count: FrameBond.keyLength)
            if key.contains(where: { $0 != 0xFF }) { try save(FrameBond(key: key)) }
        }
        try saveBlockCount(nil)
        storage.flash.removeLast(storage.flash.count - end)
        try save(storage)
    }
}

/// LittleFS blocks and their timing (nRF52840 product specification; one word an operation, each awaited).
enum FrameBlocks {
    static let size = 4096
    /// Bytes in a file, and in one read (file.c).
    static let largestFile = 65_536
    static let largestRead = 512
    /// A folder is a pair of blocks.
    static let perFolder = 2
    /// Smaller files are stored in their folder's pair.
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

    /// Blocks for a file's content: each but the first begins with pointers to earlier ones, one more for each power of two
    /// that divides its number.
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
