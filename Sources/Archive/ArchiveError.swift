import Support

/// What is wrong with a zip archive. Names from an archive are untrusted text.
public enum ArchiveError: Error, Hashable, Sendable {
    case notAnArchive(reason: String)
    case tooManyEntries(count: Int, limit: Int)
    case unsafeName(String)
    case duplicateEntry(String)
    case entryMissing(name: String)
    /// Sizes in bytes.
    case entryTooLarge(name: String, byteCount: UInt64, limit: Int)
    /// What all entries together would unpack to, in bytes.
    case contentTooLarge(byteCount: UInt64, limit: Int)
    case entryDamaged(name: String, reason: String)
    /// A header that ``ArchiveWriter`` writes otherwise.
    case notCanonical(name: String)
    case notWritten(reason: String)
}

extension ArchiveError: DiagnosableError {
    public var diagnosis: Diagnosis { diagnosis(of: "the archive") }

    /// - Parameter what: the archive in an operator's words, such as `the bundle release.zip`.
    public func diagnosis(of what: String) -> Diagnosis {
        let text = explanation(what)
        return Diagnosis(
            code: text.code, category: category, fault: nil, message: text.message, cause: text.cause,
            remedy: category == .inputOutput
                ? "check the folder, its permissions and the free space" : "do not use it; fetch it again, or make it again")
    }

    private var category: Diagnosis.Category {
        switch self {
        case .notAnArchive, .tooManyEntries, .unsafeName, .duplicateEntry, .entryMissing, .entryTooLarge, .contentTooLarge, .entryDamaged, .notCanonical:
            .badData
        case .notWritten: .inputOutput
        }
    }

    private func explanation(_ what: String) -> (code: String, message: String, cause: String) {
        switch self {
        case .notAnArchive(let reason):
            ("ZIP-0001", "\(what) is not an intact zip archive: \(reason)", "the file is truncated, damaged or of another kind")
        case .tooManyEntries(let count, let limit):
            ("ZIP-0002", "\(what) lists \(count) entries, the limit is \(limit)", "it was not made for this use")
        case .unsafeName(let name):
            ("ZIP-0003", "\(what) holds an entry with an unsafe name: \(name)",
             "the name leads out of the archive, or the archive was tampered with")
        case .duplicateEntry(let name):
            ("ZIP-0004", "\(what) holds \(name) more than once",
             "it is ambiguous: two programs could read two different files from it")
        case .entryMissing(let name):
            ("ZIP-0005", "\(what) has no \(name)", "it is incomplete, or of another kind")
        case .entryTooLarge(let name, let byteCount, let limit):
            ("ZIP-0006", "\(name) in \(what) has \(byteCount) bytes or more, the limit is \(limit)",
             "it was made for another use, or it is a zip bomb")
        case .contentTooLarge(let byteCount, let limit):
            ("ZIP-0007", "\(what) unpacks to \(byteCount) bytes or more, the limit is \(limit)",
             "it was made for another use, or it is a zip bomb")
        case .entryDamaged(let name, let reason):
            ("ZIP-0008", "\(name) in \(what) cannot be unpacked: \(reason)",
             "it is damaged, or it states wrong sizes")
        case .notCanonical(let name):
            ("ZIP-0010", "the header of \(name) in \(what) is not as noafw writes it",
             "no signature covers it: it was changed, or another tool packed the files again")
        case .notWritten(let reason):
            ("ZIP-0009", "\(what) cannot be written: \(reason)", "the system refused the operation")
        }
    }
}
