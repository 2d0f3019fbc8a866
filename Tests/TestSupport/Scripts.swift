import Archive
import FrameFamily
import MonocleFamily
import ScriptBundle
import Support

extension ScriptFamily {
    /// Those that the tests' bundles are for.
    public static let tested: [ScriptFamily] = [.monocle, .frame]
}

extension ScriptSet {
    /// A Monocle's.
    public init(
        files: [File], order: ScriptOrder = .app, scheme: VersionScheme = .app, limits: ScriptLimits = .unit,
        place: String = "the script set"
    ) throws(ScriptError) {
        try self.init(files: files, family: .monocle, order: order, scheme: scheme, limits: limits, place: place)
    }

    /// A Monocle's.
    public static func load(folder: String) throws(ScriptError) -> ScriptSet { try load(folder: folder, family: .monocle) }
}

extension ReleaseBundle {
    public init(bytes: [UInt8], place: String, limits: ScriptLimits = .bundle) throws(BundleError) {
        try self.init(ArchiveContent(bytes), place: place, families: ScriptFamily.tested, limits: limits)
    }

    public init(_ file: consuming OpenedFile, place: String, limits: ScriptLimits = .bundle) throws(BundleError) {
        try self.init(file, place: place, families: ScriptFamily.tested, limits: limits)
    }
}

extension BundleRecipe {
    /// The bundle in memory.
    public func archive(signedBy key: BundleSigningKey?) throws -> [UInt8] { try ArchiveWriter.archive(entries(signedBy: key)) }
}
