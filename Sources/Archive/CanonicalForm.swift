/// Requires the bytes around the entries, which no digest covers, to be as ``ArchiveWriter`` writes them.
public enum CanonicalForm {
    private static let localSignature: [UInt8] = [0x50, 0x4B, 0x03, 0x04]
    /// Needs version 1.0; no flags, stored, 00:00 on 1980-01-01.
    private static let common: [UInt8] = [10, 0, 0, 0, 0, 0, 0, 0, 0x21, 0]
    private static let localLength = 30

    private struct Entry {
        var name: [UInt8]
        /// CRC-32 and both sizes, as the header has them.
        var sums: ArraySlice<UInt8>
        var offset: Int

        private var nameLength: [UInt8] { CanonicalForm.little(name.count, 2) }

        var local: [UInt8] { localSignature + common + sums + nameLength + [0, 0] + name }

            var central: [UInt8] {
            [0x50, 0x4B, 0x01, 0x02, 63, 3] + common + sums + nameLength + [UInt8](repeating: 0, count: 8) + [0, 0, 0xA4, 0x81]
                + CanonicalForm.little(offset, 4) + name
        }
    }

    /// - Throws: ``ArchiveError/notCanonical(name:)``, ``ArchiveError/tooManyEntries(count:limit:)``.
    public static func check(_ archive: ArchiveContent, limits: ArchiveLimits) throws(ArchiveError) {
        var entries: [Entry] = []
        var position = 0
        while let head = archive.read(from: position, count: localLength), head.count == localLength, head.starts(with: localSignature) {
            guard entries.count < limits.entryCount else { throw .tooManyEntries(count: entries.count + 1, limit: limits.entryCount) }
            let (size, nameLength) = (number(head.dropFirst(22).prefix(4)), number(head.dropFirst(26).prefix(2)))
            let start = position + localLength
            let name = Array(archive.read(from: start, count: nameLength) ?? [])
            let entry = Entry(name: name, sums: head.dropFirst(14).prefix(12), offset: position)
            let isInOrder = entries.last.map { $0.name.lexicographicallyPrecedes(name) } ?? true
            guard isInOrder, entry.local == Array(head) + name else { throw .notCanonical(name: EntryName.printable(name)) }
            entries.append(entry)
            position = start + nameLength + size
        }
        let directory = entries.flatMap(\.central)
        let end = [0x50, 0x4B, 0x05, 0x06, 0, 0, 0, 0] + little(entries.count, 2) + little(entries.count, 2) + little(directory.count, 4)
            + little(position, 4) + [0, 0]
        let tail = archive.read(from: position, count: directory.count + end.count + 1)
        guard let tail, tail.elementsEqual(directory + end) else { throw .notCanonical(name: "its directory") }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }

    private static func little(_ number: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
}
