/// The names in a zip archive's central directory, read straight from its content.
///
/// libzip hands names out as C strings, so a NUL in a name would hide what follows it, and it allocates as many
/// entries as the archive claims. This reader comes first and bounds both.
enum ArchiveDirectory {
    private static let endSignature: UInt32 = 0x0605_4B50
    private static let entrySignature: UInt32 = 0x0201_4B50
    private static let endLength = 22
    private static let entryLength = 46
    private static let longestComment = 65_535

    /// - Throws: ``ArchiveError`` for a broken directory, too many entries, unsafe or duplicate names.
    static func names(in archive: ArchiveContent, limits: ArchiveLimits) throws(ArchiveError) -> [[UInt8]] {
        let (end, record) = try endRecord(in: archive)
        let count = Int(little16(record, 10))
        guard count <= limits.entryCount else { throw .tooManyEntries(count: count, limit: limits.entryCount) }
        guard little16(record, 4) == 0, little16(record, 6) == 0, little16(record, 8) == UInt16(count)
        else { throw broken("it spans several files") }
        var position = Int(little32(record, 16))
        var names: [[UInt8]] = []
        var seen: Set<[UInt8]> = []
        for _ in 0..<count {
            let name = try entryName(in: archive, at: &position, end: end)
            guard EntryName.isSafe(name, allowsFolders: limits.allowsFolders) else {
                throw .unsafeName(EntryName.printable(name))
            }
            guard seen.insert(name).inserted else { throw .duplicateEntry(EntryName.printable(name)) }
            names.append(name)
        }
        guard position == end else { throw broken("its directory does not end where it should") }
        return names
    }

    /// - Returns: where it stands, and its bytes.
    private static func endRecord(in archive: ArchiveContent) throws(ArchiveError) -> (Int, [UInt8]) {
        let tailStart = max(0, archive.byteCount - endLength - longestComment)
        let tail = try read(archive, from: tailStart, count: archive.byteCount - tailStart)
        for position in stride(from: tail.count - endLength, through: 0, by: -1) where little32(tail, position) == endSignature {
            let comment = Int(little16(tail, position + 20))
            guard position + endLength + comment == tail.count else { break }
            return (tailStart + position, Array(tail[position...]))
        }
        throw broken("it has no end record")
    }

    private static func entryName(in archive: ArchiveContent, at position: inout Int, end: Int) throws(ArchiveError) -> [UInt8] {
        guard position >= 0, position <= end - entryLength else { throw broken("its directory is truncated") }
        let entry = try read(archive, from: position, count: entryLength)
        guard little32(entry, 0) == entrySignature else { throw broken("its directory is truncated") }
        let nameLength = Int(little16(entry, 28))
        let rest = Int(little16(entry, 30)) + Int(little16(entry, 32))
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

    /// The callers have checked that the bytes are there.
    private static func little16(_ bytes: [UInt8], _ at: Int) -> UInt16 {
        UInt16(bytes[at]) | UInt16(bytes[at + 1]) << 8
    }

    private static func little32(_ bytes: [UInt8], _ at: Int) -> UInt32 {
        UInt32(little16(bytes, at)) | UInt32(little16(bytes, at + 2)) << 16
    }
}
