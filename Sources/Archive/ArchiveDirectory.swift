/// Reads the names in a zip archive's central directory before libzip does. libzip returns them as C strings (a NUL hides the
/// rest) and allocates as many entries as the archive claims.
enum ArchiveDirectory {
    private static let endSignature = 0x0605_4B50
    private static let entrySignature = 0x0201_4B50
    private static let endLength = 22
    private static let entryLength = 46
    private static let longestComment = 65_535

    /// - Throws: ``ArchiveError`` for a broken directory, too many entries, unsafe or duplicate names.
    static func names(in archive: ArchiveContent, limits: ArchiveLimits) throws(ArchiveError) -> [[UInt8]] {
        let (end, record) = try endRecord(in: archive)
        let count = little(record, 10, 2)
        guard count <= limits.entryCount else { throw .tooManyEntries(count: count, limit: limits.entryCount) }
        guard little(record, 4, 4) == 0, little(record, 8, 2) == count else { throw broken("it spans several files") }
        var position = little(record, 16, 4)
        var names: [[UInt8]] = []
        var seen: Set<[UInt8]> = []
        for _ in 0..<count {
            let name = try entryName(in: archive, at: &position, end: end)
            guard EntryName.isSafe(name, allowsFolders: limits.allowsFolders) else { throw .unsafeName(EntryName.printable(name)) }
            guard seen.insert(name).inserted else { throw .duplicateEntry(EntryName.printable(name)) }
            names.append(name)
        }
        guard position == end else { throw broken("its directory does not end where it should") }
        return names
    }

    /// - Returns: its offset and its bytes.
    private static func endRecord(in archive: ArchiveContent) throws(ArchiveError) -> (Int, [UInt8]) {
        let tailStart = max(0, archive.byteCount - endLength - longestComment)
        let tail = try read(archive, from: tailStart, count: archive.byteCount - tailStart)
        for position in stride(from: tail.count - endLength, through: 0, by: -1) where little(tail, position, 4) == endSignature {
            let comment = little(tail, position + 20, 2)
            guard position + endLength + comment == tail.count else { break }
            return (tailStart + position, Array(tail[position...]))
        }
        throw broken("it has no end record")
    }

    private static func entryName(in archive: ArchiveContent, at position: inout Int, end: Int) throws(ArchiveError) -> [UInt8] {
        guard position >= 0, position <= end - entryLength else { throw broken("its directory is truncated") }
        let entry = try read(archive, from: position, count: entryLength)
        guard little(entry, 0, 4) == entrySignature else { throw broken("its directory is truncated") }
        let nameLength = little(entry, 28, 2)
        let rest = little(entry, 30, 2) + little(entry, 32, 2)
        let start = position + entryLength
        guard start + nameLength + rest <= end else { throw broken("its directory is truncated") }
        position = start + nameLength + rest
        return try read(archive, from: start, count: nameLength)
    }

    private static func read(_ archive: ArchiveContent, from start: Int, count: Int) throws(ArchiveError) -> [UInt8] {
        guard let bytes = archive.read(from: start, count: count), bytes.count == count else { throw broken("it cannot be read") }
        return Array(bytes)
    }

    private static func broken(_ reason: String) -> ArchiveError { .notAnArchive(reason: reason) }

    /// The caller has checked the bounds.
    private static func little(_ bytes: [UInt8], _ at: Int, _ count: Int) -> Int {
        (0..<count).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) }
    }
}

/// Limits for an archive; checked before anything is unpacked.
public struct ArchiveLimits: Sendable, Hashable {
    public var entryCount: Int
    /// Unpacked bytes of all entries together.
    public var contentByteCount: Int
    /// Whether a name may be a relative path such as `scripts/main.py`.
    public var allowsFolders: Bool

    public init(entryCount: Int, contentByteCount: Int, allowsFolders: Bool = false) {
        self.entryCount = entryCount
        self.contentByteCount = contentByteCount
        self.allowsFolders = allowsFolders
    }
}

/// Names allowed for entries: printable ASCII without `\` and `:`, at most 128 bytes, no `.` and `..`, not absolute.
enum EntryName {
    static let longest = 128

    static func isSafe(_ name: [UInt8], allowsFolders: Bool) -> Bool {
        guard !name.isEmpty, name.count <= longest,
            name.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: ":") })
        else { return false }
        let parts = name.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return (allowsFolders || parts.count == 1) && parts.allSatisfy(isSafePart)
    }

    /// A name such as `a..b` is harmless, but no archive tool needs it.
    private static func isSafePart(_ part: ArraySlice<UInt8>) -> Bool {
        let dot = UInt8(ascii: ".")
        return !part.isEmpty && !part.elementsEqual([dot]) && !zip(part, part.dropFirst()).contains { $0 == dot && $1 == dot }
    }

    /// A name for a message: at most 60 characters; everything but printable ASCII is escaped.
    static func printable(_ name: [UInt8]) -> String {
        name.prefix(60).map { byte -> String in
            guard (0x20...0x7E).contains(byte), byte != UInt8(ascii: "\\") else {
                return "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
            return String(UnicodeScalar(byte))
        }.joined()
    }
}
