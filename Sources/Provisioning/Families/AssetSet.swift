
/// Opened, checked files of one component.
public protocol ComponentAsset: Sendable {
    static var component: Component { get }
    /// What the unit says once it holds it.
    var version: String { get }
    /// SHA-256 of what the unit gets.
    var sha256: [UInt8] { get }
    /// What an operator should know of it.
    var warnings: [String] { get }
    var updater: any ComponentUpdater { get }
}

extension ComponentAsset {
    public var warnings: [String] { [] }
}

/// What a unit is to hold afterwards; a component that is absent is not looked at.
public struct AssetSet: Sendable {
    private var assets: [Component: any ComponentAsset] = [:]
    /// Where all of it comes from; `nil` for a catalogue and for single files.
    public var bundle: BundleIdentity?

    /// - Parameter assets: one for each component; `nil` for what is not looked at.
    public init(_ assets: (any ComponentAsset)?..., bundle: BundleIdentity? = nil) { self.init(assets.compactMap(\.self), bundle: bundle) }

    public init(_ assets: [any ComponentAsset], bundle: BundleIdentity? = nil) {
        for asset in assets { self.assets[type(of: asset).component] = asset }
        self.bundle = bundle
    }

    public var isEmpty: Bool { assets.isEmpty }

    public subscript(_ component: Component) -> (any ComponentAsset)? {
        get { assets[component] }
        set { assets[component] = newValue }
    }

    /// The same without what is not wanted.
    /// - Parameter components: `nil` for all of it.
    func limited(to components: Set<Component>?) -> AssetSet {
        guard let components else { return self }
        var limited = self
        limited.assets = assets.filter { components.contains($0.key) }
        return limited
    }

    /// In the order in which their components are brought up to date.
    var updaters: [any ComponentUpdater] { assets.sorted { $0.key < $1.key }.map(\.value.updater) }

    /// SHA-256 of each component as a unit gets it.
    public var digests: [Component: [UInt8]] { assets.mapValues(\.sha256) }
}

/// Which bundle.
public struct BundleIdentity: Sendable, Hashable {
    /// SHA-256 of the file, in hexadecimal.
    public var digest: String
    /// The fingerprint of the key that signed it; `nil` where nobody did.
    public var signer: String?

    public init(digest: String, signer: String?) { (self.digest, self.signer) = (digest, signer) }
}
