/// What an archive may hold; checked before anything is unpacked.
public struct ArchiveLimits: Sendable, Hashable {
    public var entryCount: Int
    /// Bytes of all entries together, unpacked.
    public var contentByteCount: Int
    /// Whether a name may be a relative path such as `scripts/main.py`.
    public var allowsFolders: Bool

    public init(entryCount: Int, contentByteCount: Int, allowsFolders: Bool = false) {
        self.entryCount = entryCount
        self.contentByteCount = contentByteCount
        self.allowsFolders = allowsFolders
    }
}
