import Archive

extension PackageFault {
    init(_ error: ArchiveError) {
        switch error {
        case .notAnArchive(let reason): self = .notAnArchive(reason: reason)
        case .tooManyEntries(let count, let limit): self = .tooManyEntries(count: count, limit: limit)
        case .unsafeName(let name): self = .unsafeEntryName(name)
        case .duplicateEntry(let name): self = .duplicateEntry(name)
        case .entryMissing(let name): self = .entryMissing(name: name)
        case .entryTooLarge(let name, let byteCount, let limit):
            self = .entryTooLarge(name: name, byteCount: byteCount, limit: limit)
        case .contentTooLarge(let byteCount, let limit):
            self = .notAnArchive(reason: "it unpacks to \(byteCount) bytes, the limit is \(limit)")
        case .entryDamaged(let name, let reason): self = .entryDamaged(name: name, reason: reason)
        case .notCanonical(let name): self = .entryDamaged(name: name, reason: "its header is unusual")
        case .notWritten(let reason): self = .archiveNotWritten(reason: reason)
        }
    }
}
