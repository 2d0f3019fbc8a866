import Archive
import MonocleFamily
import ScriptBundle

extension FuzzTarget {
    static let bundle = FuzzTarget("bundle", seeds: { try [Samples.bundle(), Samples.signedBundle()] }) { input in
        try examine(ReleaseBundle(ArchiveContent(input), place: "input", families: [.monocle]))
    }

    /// The manifest alone, around the scripts that it should describe.
    static let bundleManifest = FuzzTarget("bundle-manifest", seeds: { try [Samples.bundleManifest()] }) { input in
        var entries = try Samples.bundleEntries()
        entries["bundle.json"] = input
        try examine(ReleaseBundle(ArchiveContent(ArchiveWriter.archive(entries)), place: "input", families: [.monocle]))
    }

    static let bundleKey = FuzzTarget("bundle-key", seeds: { try [Array(Samples.bundleKey().publicKey.pem.utf8)] }) { input in
        let key = try BundleKey(name: "input", pem: input)
        let again = try BundleKey(name: "input", pem: Array(key.pem.utf8))
        try BrokenPromise.check(again == key, "the key is not the one that was read")
    }

    private static func examine(_ bundle: ReleaseBundle) throws {
        let scripts = try bundle.scripts()
        try BrokenPromise.check(scripts.version == bundle.manifest.scripts.version, "another version than was said")
        let sizes = scripts.installed.map(\.bytes.count)
        try BrokenPromise.check(sizes == bundle.manifest.scripts.files.map(\.bytes), "other sizes than were said")
        try bundle.verify(trusting: [Samples.bundleKey().publicKey])
    }
}

extension Samples {
    private static let recipe = Result {
        let files = [ScriptSet.File(name: "main.py", bytes: Array("print(1)\n".utf8)), .init(name: "a.py", bytes: image)]
        return BundleRecipe(
            scripts: try ScriptSet(files: files, family: .monocle), fpga: .init(version: "v23.230.0808", bytes: [1]), tool: "1")
    }

    private static let key = Result { try BundleSigningKey(name: "sample", pem: BundleSigningKey.generate()) }

    static func bundleKey() throws -> BundleSigningKey { try key.get() }
    static func bundle() throws -> [UInt8] { try ArchiveWriter.archive(recipe.get().entries(signedBy: nil)) }
    static func signedBundle() throws -> [UInt8] { try ArchiveWriter.archive(recipe.get().entries(signedBy: bundleKey())) }
    static func bundleManifest() throws -> [UInt8] { try bundleEntries()["bundle.json"] ?? [] }

    static func bundleEntries() throws -> [String: [UInt8]] {
        let limits = ArchiveLimits(entryCount: 64, contentByteCount: 1 << 20, allowsFolders: true)
        return try ArchiveReader.open(bundle(), limits: limits) { archive in
            try Dictionary(uniqueKeysWithValues: archive.names.map { name in (name, try archive.read(name, limit: 1 << 20)) })
        }
    }
}
