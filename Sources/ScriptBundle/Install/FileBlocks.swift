/// The space that files take in a unit's LittleFS, which both families have (littlefs, `SPEC.md`, `lfs.c`).
public struct FileBlocks: Sendable {
    public let size: Int
    /// The largest file that fits its folder's own blocks, in bytes: the cache's size, or an eighth of a block.
    private let inlineLimit: Int

    public init(size: Int, cacheSize: Int) { (self.size, inlineLimit) = (size, min(cacheSize, size / 8)) }

    /// Blocks for a file's content. Each but the first begins with 4-byte pointers to earlier ones, one more for each power of
    /// two that divides its number.
    public func count(of byteCount: Int) -> Int {
        guard byteCount > inlineLimit else { return 0 }
        var (number, left) = (0, byteCount)
        while left > 0 {
            left -= number == 0 ? size : size - 4 * (number.trailingZeroBitCount + 1)
            number += 1
        }
        return number
    }

    /// Minimum blocks for a folder: a pair for each 4096 bytes of entries.
    public func count(ofFolder files: [(name: String, byteCount: Int)]) -> Int {
        let entries = files.reduce(0) { $0 + Self.entryByteCount + $1.name.utf8.count + ($1.byteCount > inlineLimit ? 0 : $1.byteCount) }
        return 2 * max(1, (entries + size - 1) / size)
    }

    /// Tags for creation, name and content, and the content's position.
    private static let entryByteCount = 20
}
