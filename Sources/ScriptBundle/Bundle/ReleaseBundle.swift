import Archive
import Cryptography
import Support

/// An opened bundle. Nothing in it was trusted: all its content was checked against its manifest.
///
/// Large content is never held in memory: a bundle for other tools may have 256 MiB.
public struct ReleaseBundle: Sendable {
    /// Several times the size of 10,000 names.
    private static let manifestByteCount = 8 << 20
    /// Bytes besides the scripts.
    private static let otherByteCount = manifestByteCount + 36 << 20
    public static func fileByteCount(_ limits: ScriptLimits) -> Int { limits.totalByteCount + otherByteCount + 4 << 20 }

    private static func archiveLimits(_ limits: ScriptLimits) -> ArchiveLimits {
        ArchiveLimits(
            entryCount: limits.fileCount + 5, contentByteCount: limits.totalByteCount + otherByteCount, allowsFolders: true)
    }

    public struct Signature: Sendable, Hashable {
        public let signer: BundleKey
        let bytes: [UInt8]
    }

    public let place: String
    public let manifest: BundleManifest
    /// From the manifest.
    public let family: ScriptFamily
    /// Checked with the signer's own key, which anyone can make: only ``verify(trusting:)`` shows whose it is.
    public let signature: Signature?
    /// Of the whole file, in lower-case hexadecimal.
    public let sha256: String
    private let manifestBytes: [UInt8]
    private let content: ArchiveContent
    private let limits: ScriptLimits

    /// - Parameters:
    ///   - place: the file's name, for messages.
    ///   - limits: for its scripts; larger ones are refused before unpacking.
    package init(
        _ content: ArchiveContent, place: String, families: [ScriptFamily], limits: ScriptLimits = .bundle
    ) throws(BundleError) {
        (self.place, self.limits, self.content) = (place, limits, content)
        (manifest, family, manifestBytes, signature) = try Self.opened(content, limits, place) { archive throws(BundleError) in
            if ReleaseFileKind(names: archive.names) == .package { throw .isPackage(place: place) }
            let bytes = try Self.archived(place) { () throws(ArchiveError) in
                try archive.read(BundleEntry.manifest, limit: Self.manifestByteCount)
            }
            let manifest = try BundleManifest(parsing: bytes)
            guard let family = families.first(where: { $0.name == manifest.family }) else {
                throw .manifestInvalid(reason: "the family \(PrintableText.of(manifest.family.utf8)) is unknown")
            }
            try Self.checkSizes(manifest, family, limits, place)
            try Self.check(manifest, archive, place)
            try Self.checkScripts(manifest, family, archive, place)
            return (manifest, family, bytes, try Self.signature(over: bytes, in: archive, place))
        }
        sha256 = try Self.digest(of: content, place)
    }

    /// Opens a file, which is read in pieces until the last copy of this value is gone.
    public init(
        _ file: consuming OpenedFile, place: String, families: [ScriptFamily], limits: ScriptLimits = .bundle
    ) throws(BundleError) {
        try self.init(ArchiveContent(file), place: place, families: families, limits: limits)
    }

    /// Opens what is in memory.
    public init(_ bytes: [UInt8], place: String, families: [ScriptFamily]) throws(BundleError) {
        try self.init(ArchiveContent(bytes), place: place, families: families)
    }

    public var byteCount: Int { content.byteCount }

    /// The version's line is not counted with the main script.
    private static func checkSizes(
        _ manifest: BundleManifest, _ family: ScriptFamily, _ limits: ScriptLimits, _ place: String
    ) throws(BundleError) {
        let range = 0...archiveLimits(limits).contentByteCount
        if let file = manifest.files.first(where: { !range.contains($0.bytes) }) {
            throw .manifestInvalid(reason: "the size of \(PrintableText.of(file.file.utf8)) is out of range")
        }
        let line = ScriptSet.versionLine(manifest.scripts.version).count
        let sizes = try manifest.scripts.files.map { file throws(BundleError) in
            let name = try scriptName(file)
            return (name: name, byteCount: file.bytes - (name == family.mainName ? line : 0))
        }
        do {
            try ScriptSet.check(sizes, family, limits, place: place)
        } catch {
            throw .scripts(error)
        }
    }

    /// Requires the stated size and digest of every listed file, and no other files.
    private static func check(_ manifest: BundleManifest, _ archive: ArchiveReader, _ place: String) throws(BundleError) {
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

    /// Requires a main script that begins with the line of the stated version, which is the scripts'.
    private static func checkScripts(
        _ manifest: BundleManifest, _ family: ScriptFamily, _ archive: ArchiveReader, _ place: String
    ) throws(BundleError) {
        let version = manifest.scripts.version
        var line = ScriptSet.versionLine(version)[...]
        var hasLine = true
        var digest = VersionDigest(manifest.scripts.scheme)
        for file in manifest.scripts.files {
            let name = try scriptName(file)
            let isMain = name == family.mainName
            digest.begin(name)
            try read(file, in: archive, place) { piece in
                let start = isMain ? piece.prefix(line.count) : []
                hasLine = hasLine && start.elementsEqual(line.prefix(start.count))
                line = line.dropFirst(start.count)
                digest.update(piece.dropFirst(start.count))
            }
        }
        let actual = digest.finish()
        guard hasLine, line.isEmpty, actual == version else {
            throw .versionDiffers(place: place, expected: version, actual: actual)
        }
    }

    private static func scriptName(_ file: BundleManifest.File) throws(BundleError) -> String {
        let prefix = BundleEntry.script("")
        guard file.file.hasPrefix(prefix) else {
            throw .manifestInvalid(reason: "the script \(file.file) is not under \(prefix)")
        }
        return String(file.file.dropFirst(prefix.count))
    }

    private static func signature(
        over manifest: [UInt8], in archive: ArchiveReader, _ place: String
    ) throws(BundleError) -> Signature? {
        let parts = [BundleEntry.signature, BundleEntry.signer].filter(archive.names.contains)
        if parts.isEmpty { return nil }
        guard parts.count == 2 else { throw .signatureInvalid(place: place) }
        let (bytes, pem) = try archived(place) { () throws(ArchiveError) in
            (try archive.read(BundleEntry.signature, limit: Ed25519.signatureByteCount),
             try archive.read(BundleEntry.signer, limit: KeyFile.sizeLimit))
        }
        let signer = try BundleKey(name: "\(BundleEntry.signer) in \(place)", pem: pem)
        guard signer.verifies(bytes, over: manifest) else { throw .signatureInvalid(place: place) }
        return Signature(signer: signer, bytes: bytes)
    }

    /// - Returns: the trusted key that signed the manifest, which covers everything else by digest.
    @discardableResult
    public func verify(trusting keys: [BundleKey]) throws(BundleError) -> BundleKey {
        guard let signature else { throw .unsigned(place: place) }
        guard let key = keys.first(where: { $0.verifies(signature.bytes, over: manifestBytes) }) else {
            throw .signerNotTrusted(place: place, signer: signature.signer.fingerprint, trusted: keys.map(\.name))
        }
        try Self.archived(place) { () throws(ArchiveError) in
            try CanonicalForm.check(content, limits: Self.archiveLimits(limits))
        }
        return key
    }

    /// The scripts in order, without the version line.
    public func scripts() throws(BundleError) -> ScriptSet {
        let line = ScriptSet.versionLine(manifest.scripts.version)
        let files = try Self.opened(content, limits, place) { archive throws(BundleError) in
            var files: [ScriptSet.File] = []
            for file in manifest.scripts.files {
                let name = try Self.scriptName(file)
                let bytes = try Self.read(file, in: archive, place)
                files.append(ScriptSet.File(name: name, bytes: name == family.mainName ? Array(bytes.dropFirst(line.count)) : bytes))
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

    /// - Parameter part: `firmware` or `fpga`.
    public func image(of part: String) throws(BundleError) -> BundleRecipe.Image? {
        guard let image = ["firmware": manifest.firmware, "fpga": manifest.fpga][part] ?? nil else { return nil }
        let bytes = try Self.opened(content, limits, place) { archive throws(BundleError) in
            try Self.read(image.listing, in: archive, place)
        }
        return BundleRecipe.Image(version: image.version, bytes: bytes)
    }
}

extension ReleaseBundle {
    static func archived<Result>(_ place: String, _ body: () throws(ArchiveError) -> Result) throws(BundleError) -> Result {
        do {
            return try body()
        } catch {
            throw .archive(error, place: place)
        }
    }

    private static func opened<Result>(
        _ content: ArchiveContent, _ limits: ScriptLimits, _ place: String, _ body: (ArchiveReader) throws(BundleError) -> Result
    ) throws(BundleError) -> Result {
        do {
            return try ArchiveReader.open(content, limits: archiveLimits(limits), body)
        } catch let error as BundleError {
            throw error
        } catch let error as ArchiveError {
            throw .archive(error, place: place)
        } catch {
            throw .manifestInvalid(reason: SystemError.text(error))
        }
    }

    /// Reads a listed file and checks its digest again.
    private static func read(
        _ file: BundleManifest.File, in archive: ArchiveReader, _ place: String
    ) throws(BundleError) -> [UInt8] {
        var bytes: [UInt8] = []
        try read(file, in: archive, place) { bytes += $0 }
        return bytes
    }

    private static func read(
        _ file: BundleManifest.File, in archive: ArchiveReader, _ place: String, _ take: (ArraySlice<UInt8>) -> Void
    ) throws(BundleError) {
        let stream = SHA256Stream()
        var byteCount = 0
        try archived(place) { () throws(ArchiveError) in
            try archive.read(file.file, limit: file.bytes) { piece in
                stream.update(piece)
                byteCount += piece.count
                take(piece)
            }
        }
        let digest = HexText.encode(stream.finish())
        guard byteCount == file.bytes, digest == file.sha256 else {
            throw .digestDiffers(file: file.file, place: place, expected: file.sha256, actual: digest)
        }
    }

    private static func digest(of content: ArchiveContent, _ place: String) throws(BundleError) -> String {
        let (digest, pieceByteCount) = (SHA256Stream(), 256 << 10)
        for start in stride(from: 0, to: content.byteCount, by: pieceByteCount) {
            guard let piece = content.read(from: start, count: pieceByteCount) else {
                throw .archive(.notAnArchive(reason: "it cannot be read"), place: place)
            }
            digest.update(piece)
        }
        return HexText.encode(digest.finish())
    }
}
