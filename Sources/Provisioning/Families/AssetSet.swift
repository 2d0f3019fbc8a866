
public protocol ComponentAsset: Sendable {
    static var component: Component { get }
    /// What the unit reports once it holds the asset.
    var version: String { get }
    /// SHA-256 of what is installed on the unit.
    var sha256: [UInt8] { get }
    /// What an operator should know of it.
    var warnings: [String] { get }
    /// - Parameter version: `nil` takes the files' own.
    static func open(_ content: AssetContent, version: String?) throws -> Self
    var updater: any ComponentUpdater { get }
}

extension ComponentAsset {
    public var warnings: [String] { [] }

    public static func open(_ content: AssetContent, version: String?) throws -> Self {
        throw CatalogueError.hardwareUnknown(content.hardware)
    }
}

/// What a unit must hold afterwards. Components that are absent are not examined.
public struct AssetSet: Sendable {
    private var assets: [Component: any ComponentAsset] = [:]
    /// The bundle that all of it comes from; `nil` for a catalogue or single files.
    public var bundle: BundleIdentity?

    /// - Parameter assets: at most one for each component; `nil` skips a component.
    public init(_ assets: (any ComponentAsset)?..., bundle: BundleIdentity? = nil) { self.init(assets.compactMap(\.self), bundle: bundle) }

    public init(_ assets: [any ComponentAsset], bundle: BundleIdentity? = nil) {
        for asset in assets { self.assets[type(of: asset).component] = asset }
        self.bundle = bundle
    }

    public subscript(_ component: Component) -> (any ComponentAsset)? {
        get { assets[component] }
        set { assets[component] = newValue }
    }

    /// The same for only some components.
    /// - Parameter components: `nil` keeps all.
    func limited(to components: Set<Component>?) -> AssetSet {
        guard let components else { return self }
        var limited = self
        limited.assets = assets.filter { components.contains($0.key) }
        return limited
    }

    /// In update order.
    var updaters: [any ComponentUpdater] { assets.sorted { $0.key < $1.key }.map(\.value.updater) }

    /// SHA-256 of each component as installed on a unit.
    public var digests: [Component: [UInt8]] { assets.mapValues(\.sha256) }
}

public struct BundleIdentity: Sendable, Hashable {
    /// SHA-256 of the file, in hexadecimal.
    public var digest: String
    /// The fingerprint of the signer's key; `nil` if unsigned.
    public var signer: String?

    public init(digest: String, signer: String?) { (self.digest, self.signer) = (digest, signer) }
}
