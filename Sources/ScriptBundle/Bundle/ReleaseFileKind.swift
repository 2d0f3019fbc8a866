import Archive

/// What a file of a release is, by the names in it alone: people give one for the other.
public enum ReleaseFileKind: Sendable, Hashable {
    case bundle
    /// A DFU package.
    case package
    case other

    /// Neither has more entries, but for a bundle of very many scripts, which is no mistaken package.
    private static let limits = ArchiveLimits(entryCount: 10_005, contentByteCount: 300 << 20, allowsFolders: true)

    public init(_ bytes: [UInt8]) {
        let names = bytes.starts(with: [0x50, 0x4B]) ? (try? ArchiveReader.open(bytes, limits: Self.limits) { $0.names }) ?? [] : []
        self.init(names: names)
    }

    init(names: [String]) {
        if names.contains(BundleEntry.manifest) {
            self = .bundle
        } else if names.contains("manifest.json"), names.contains(where: { $0.hasSuffix(".dat") }) {
            self = .package
        } else {
            self = .other
        }
    }
}
