import DFU
import Provisioning
import ScriptBundle

/// Images for a bundle, checked for the family.
struct BundleParts {
    static let imageLimit = DFUPackage.fileSizeLimit

    let family: Family
    let trust: TrustInputs

    /// - Parameter version: of an image that does not tell.
    func image(_ component: Component, _ path: NamedPath, version: String? = nil, isUnchecked: Bool = false) throws -> BundleRecipe.Image {
        guard family.components.contains(component) else { throw BundleError.fpgaInFirmware(family: family.id.rawValue) }
        let bytes = try BundleFile.notOne(InputFile.read(path, limit: Self.imageLimit), path)
        let file = ScriptSet.File(name: path.name, bytes: bytes)
        let content = AssetContent(files: [file], name: path.name, family: family, isUnchecked: isUnchecked, keys: trust.packageKeys)
        guard let version = try component.check(content).version ?? version else { throw ProvisioningError.versionUnknown(path.name) }
        return BundleRecipe.Image(version: version, bytes: bytes)
    }
}
