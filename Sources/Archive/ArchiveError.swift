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
    /// The unpacked size of all entries, in bytes.
    case contentTooLarge(byteCount: UInt64, limit: Int)
    case entryDamaged(name: String, reason: String)
    /// A header that ``ArchiveWriter`` would write differently.
    case notCanonical(name: String)
    case notWritten(reason: String)
}

extension ArchiveError: DiagnosableError {
    public var diagnosis: Diagnosis { diagnosis(of: "the archive") }

    /// - Parameter what: the archive in an operator's words, such as `the bundle release.zip`.
    public func diagnosis(of what: String) -> Diagnosis {
        switch self {
        case .notAnArchive(let reason):
            unusable(
                "ZIP-0001", "\(what) is not an intact zip archive: \(reason)", cause: "the file is truncated, damaged or of another kind")
        case .tooManyEntries(let count, let limit):
            unusable("ZIP-0002", "\(what) lists \(count) entries, the limit is \(limit)", cause: "it was not made for this use")
        case .unsafeName(let name):
            unusable(
                "ZIP-0003", "\(what) holds an entry with an unsafe name: \(name)",
                cause: "the name leads out of the archive, or the archive was tampered with")
        case .duplicateEntry(let name):
            unusable(
                "ZIP-0004", "\(what) holds \(name) more than once",
                cause: "it is ambiguous: two programs could read two different files from it")
        case .entryMissing(let name):
            unusable("ZIP-0005", "\(what) has no \(name)", cause: "it is incomplete, or of another kind")
        case .entryTooLarge(let name, let byteCount, let limit):
            unusable(
                "ZIP-0006", "\(name) in \(what) has \(byteCount) bytes or more, the limit is \(limit)",
                cause: "the file is not what its name says, or it is a zip bomb")
        case .contentTooLarge(let byteCount, let limit):
            unusable(
                "ZIP-0007", "\(what) unpacks to \(byteCount) bytes or more, the limit is \(limit)",
                cause: "it was made for another use, or it is a zip bomb")
        case .entryDamaged(let name, let reason):
            unusable("ZIP-0008", "\(name) in \(what) cannot be unpacked: \(reason)", cause: "it is damaged, or it states wrong sizes")
        case .notCanonical(let name):
            unusable(
                "ZIP-0010", "the header of \(name) in \(what) is not as noafw writes it",
                cause: "no signature covers it: it was changed, or another tool packed the files again")
        case .notWritten(let reason):
            Diagnosis("ZIP-0009", .inputOutput, nil, "\(what) cannot be written: \(reason)",
                cause: "the system refused the operation", remedy: "check the folder, its permissions and the free space")
        }
    }

    private func unusable(_ code: String, _ message: String, cause: String) -> Diagnosis {
        Diagnosis(code, .badData, nil, message, cause: cause, remedy: "do not use it; fetch it again, or make it again")
    }

    static func text(_ message: UnsafePointer<CChar>?) -> String { message.map { String(cString: $0) } ?? "unknown reason" }
}
