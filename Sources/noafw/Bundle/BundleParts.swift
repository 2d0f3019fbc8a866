import DFU
import FPGA
import Provisioning
import ScriptBundle

/// Firmware packages and FPGA images for a bundle, checked for the family.
struct BundleParts {
    static let imageLimit = DFUPackage.fileSizeLimit

    let family: Family
    let trust: TrustInputs

    func firmware(_ path: NamedPath) throws -> BundleRecipe.Image {
        guard let target = family.bootloader?.target else { throw CatalogueError.hardwareUnknown(family.id.rawValue) }
        let bytes = try InputFile.read(path, limit: Self.imageLimit)
        let package = try DFUPackage(bytes: bytes)
        try package.check(against: target, trusting: trust.packageKeys())
        guard let version = package.images.first?.version else { throw ProvisioningError.versionUnknown(path.name) }
        return BundleRecipe.Image(version: version.description, bytes: bytes)
    }

    func fpga(_ path: NamedPath, version: String, isChecked: Bool) throws -> BundleRecipe.Image {
        guard family.components.contains(.fpga) else { throw BundleError.fpgaInFirmware(family: family.id.rawValue) }
        let bytes = try InputFile.read(path, limit: Self.imageLimit)
        _ = try FPGAImage(bytes, isChecked: isChecked)
        return BundleRecipe.Image(version: version, bytes: bytes)
    }
}
