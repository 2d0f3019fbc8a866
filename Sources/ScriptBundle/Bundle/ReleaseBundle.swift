import Archive
import Cryptography
import REPL
import Support

/// A bundle, opened without trusting anything in it: whatever it holds has been held against its manifest.
public struct ReleaseBundle: Sendable {
    /// In bytes; several times what 10,000 names take.
    private static let manifestByteCount = 8 << 20
    /// Bytes of all that a bundle holds beside its scripts.
    private static let otherByteCount = manifestByteCount + 36 << 20
    /// The largest file in bytes.
    public static func fileByteCount(_ limits: ScriptLimits) -> Int { limits.totalByteCount + otherByteCount + 4 << 20 }

    static func archiveLimits(_ limits: ScriptLimits) -> ArchiveLimits {
        ArchiveLimits(
            entryCount: limits.fileCount + 5, contentByteCount: limits.totalByteCount + otherByteCount, allowsFolders: true)
    }

    /// Who signed it, as the bundle says.
    public struct Signature: Sendable, Hashable {
        public let signer: BundleKey
        let bytes: [UInt8]
    }

    public let place: String
    public let manifest: BundleManifest
    /// The manifest's.
    public let family: ScriptFamily
    /// Checked with the signer's own key, which anyone can make: only ``verify(trusting:)`` says whose it is.
    public let signature: Signature?
    /// Of the whole file, lower-case hexadecimal.
    public let sha256: String
    private let manifestBytes: [UInt8]
    private let content: ArchiveContent
    private let limits: ScriptLimits

    /// - Parameters:
    ///   - content: of the whole file.
    ///   - place: its name, for messages.
    ///   - families: those that a bundle may be for.
    ///   - limits: of its scripts; what is beyond them is refused before it is unpacked.
    /// - Throws: ``BundleError``.
    init(
        _ content: ArchiveContent, place: String, families: [ScriptFamily], limits: ScriptLimits = .bundle
    ) throws(BundleError) {
        self.place = place
        self.limits = limits
        self.content = content
        (manifest, family, manifestBytes, signature) = try Self.opened(content, limits, place) { archive throws(BundleError) in
            let bytes = try Self.read(BundleEntry.manifest, in: archive, limit: Self.manifestByteCount, place)
            let manifest = try BundleManifest(parsing: bytes)
            guard let family = families.first(where: { $0.name == manifest.family }) else {
                throw .manifestInvalid(reason: "the family \(PrintableText.of(manifest.family.utf8)) is unknown")
            }
            try Self.checkSizes(manifest, limits)
            try Self.check(manifest, archive, limits, place)
            try Self.checkScripts(manifest, family, archive, limits, place)
            return (manifest, family, bytes, try Self.signature(over: bytes, in: archive, place))
        }
        sha256 = try Self.digest(of: content, place)
    }

    /// Of a file in memory.
    public init(
        bytes: [UInt8], place: String, families: [ScriptFamily], limits: ScriptLimits = .bundle
    ) throws(BundleError) {
        try self.init(ArchiveContent(bytes), place: place, families: families, limits: limits)
    }

    /// Of an open file, which is read a piece at a time, until the last copy of this value is gone.
    public init(
        _ file: consuming OpenedFile, place: String, families: [ScriptFamily], limits: ScriptLimits = .bundle
    ) throws(BundleError) {
        try self.init(ArchiveContent(file), place: place, families: families, limits: limits)
    }

    public var byteCount: Int { content.byteCount }

    /// By what the manifest says of them.
    private static func checkSizes(_ manifest: BundleManifest, _ limits: ScriptLimits) throws(BundleError) {
        let range = 0...archiveLimits(limits).contentByteCount
        if let file = manifest.files.first(where: { !range.contains($0.bytes) }) {
            throw .manifestInvalid(reason: "the size of \(PrintableText.of(file.file.utf8)) is out of range")
        }
        let scripts = manifest.scripts.files
        guard scripts.count <= limits.fileCount else { throw .scripts(.tooManyFiles(scripts.count, limit: limits.fileCount)) }
        var total = 0
        for file in scripts {
            guard file.bytes <= limits.fileByteCount else {
                let name = PrintableText.of(file.file.utf8)
                throw .scripts(.fileTooLong(name, byteCount: file.bytes, limit: limits.fileByteCount))
            }
            total += file.bytes
        }
        guard total <= limits.totalByteCount else { throw .scripts(.setTooLong(byteCount: total, limit: limits.totalByteCount)) }
    }

    /// Every listed file has its size and digest, and nothing else is there.
    private static func check(
        _ manifest: BundleManifest, _ archive: ArchiveReader, _ limits: ScriptLimits, _ place: String
    ) throws(BundleError) {
        let ownEntries: Set = [BundleEntry.manifest, BundleEntry.signature, BundleEntry.signer]
        var unlisted = Set(archive.names).subtracting(ownEntries)
        for file in manifest.files {
            guard unlisted.remove(file.file) != nil else {
                let isThere = archive.names.contains(file.file)
                throw .manifestInvalid(reason: "it lists \(PrintableText.of(file.file.utf8)) "
                    + (isThere ? "twice" : "which the bundle does not hold"))
            }
            try read(file, in: archive, place) { _ in }
        }
        if let name = unlisted.min() { throw .entryUnlisted(name, place: place) }
        for (image, name) in [(manifest.firmware, BundleEntry.firmware), (manifest.fpga, BundleEntry.fpga)] {
            if let image, image.file != name { throw .manifestInvalid(reason: "\(name) has another name") }
        }
    }

    /// They are what a unit may be given, the main script begins with the line of the stated version, and that is theirs.
    private static func checkScripts(
        _ manifest: BundleManifest, _ family: ScriptFamily, _ archive: ArchiveReader, _ limits: ScriptLimits, _ place: String
    ) throws(BundleError) {
        let version = manifest.scripts.version
        var line = ScriptSet.versionLine(version)[...]
        var hasLine = true
        var sizes: [(name: String, byteCount: Int)] = []
        var digest = VersionDigest(manifest.scripts.scheme)
        for file in manifest.scripts.files {
            let name = try scriptName(file)
            let isMain = name == family.mainName
            sizes.append((name, file.bytes - (isMain ? line.count : 0)))
            digest.begin(name)
            try read(file, in: archive, place) { piece in
                let start = isMain ? piece.prefix(line.count) : []
                hasLine = hasLine && start.elementsEqual(line.prefix(start.count))
                line = line.dropFirst(start.count)
                digest.update(piece.dropFirst(start.count))
            }
        }
        do {
            try ScriptSet.check(sizes, family, limits, place: place)
        } catch {
            throw .scripts(error)
        }
        let actual = digest.finish()
        guard hasLine, line.isEmpty, actual == version else {
            throw .versionDiffers(place: place, expected: version, actual: actual)
        }
    }

    private static func scriptName(_ file: BundleManifest.File) throws(BundleError) -> String {
        let prefix = BundleEntry.script("")
        guard file.file.hasPrefix(prefix) else {
            throw .manifestInvalid(reason: "the script \(file.file) does not stand under \(prefix)")
        }
        return String(file.file.dropFirst(prefix.count))
    }

    private static func signature(
        over manifest: [UInt8], in archive: ArchiveReader, _ place: String
    ) throws(BundleError) -> Signature? {
        let parts = [BundleEntry.signature, BundleEntry.signer].filter(archive.names.contains)
        if parts.isEmpty { return nil }
        guard parts.count == 2 else { throw .signatureInvalid(place: place) }
        let bytes = try read(BundleEntry.signature, in: archive, limit: Ed25519.signatureByteCount, place)
        let pem = try read(BundleEntry.signer, in: archive, limit: KeyFile.sizeLimit, place)
        let signer = try BundleKey(name: "\(BundleEntry.signer) in \(place)", pem: pem)
        guard signer.verifies(bytes, over: manifest) else { throw .signatureInvalid(place: place) }
        return Signature(signer: signer, bytes: bytes)
    }

    /// - Returns: the trusted key that signed the manifest, which covers everything else by digest.
    /// - Throws: ``BundleError/unsigned(place:)`` or ``BundleError/signerNotTrusted(place:signer:trusted:)``.
    @discardableResult
    public func verify(trusting keys: [BundleKey]) throws(BundleError) -> BundleKey {
        guard let signature else { throw .unsigned(place: place) }
        guard let key = keys.first(where: { $0.verifies(signature.bytes, over: manifestBytes) }) else {
            throw .signerNotTrusted(place: place, signer: signature.signer.fingerprint, trusted: keys.map(\.name))
        }
        do {
            try CanonicalForm.check(content, limits: Self.archiveLimits(limits))
        } catch {
            throw .archive(error, place: place)
        }
        return key
    }

    /// The scripts without the version's line, in their order.
    /// - Throws: ``BundleError``; ``BundleError/scripts(_:)`` for what a unit is not given.
    public func scripts() throws(BundleError) -> ScriptSet {
        let files = try Self.opened(content, limits, place) { archive throws(BundleError) in
            var files: [ScriptSet.File] = []
            for file in manifest.scripts.files {
                let name = try Self.scriptName(file)
                let bytes = try Self.read(file, in: archive, place)
                let lineCount = name == family.mainName ? ScriptSet.versionLine(manifest.scripts.version).count : 0
                files.append(ScriptSet.File(name: name, bytes: lineCount == 0 ? bytes : Array(bytes.dropFirst(lineCount))))
            }
            return files
        }
        do {
            return try ScriptSet(
                files: files, family: family, order: .declared, scheme: manifest.scripts.scheme, limits: limits, place: place)
        } catch {
            throw .scripts(error)
        }
    }

    /// The firmware package; `nil` when there is none.
    public func firmware() throws(BundleError) -> [UInt8]? { try image(manifest.firmware) }

    /// The FPGA image; `nil` when there is none.
    public func fpga() throws(BundleError) -> [UInt8]? { try image(manifest.fpga) }

    private func image(_ image: BundleManifest.Image?) throws(BundleError) -> [UInt8]? {
        guard let image else { return nil }
        return try Self.opened(content, limits, place) { archive throws(BundleError) in
            try Self.read(BundleManifest.File(file: image.file, bytes: image.bytes, sha256: image.sha256), in: archive, place)
        }
    }
}
