import DFU
import FPGA
import Provisioning
import ScriptBundle

/// Firmware packages and FPGA images on their way into a bundle or out of it, checked for the family.
struct BundleParts {
    /// In bytes; the largest of either kind.
    static let imageLimit = DFUPackage.fileSizeLimit

    let family: ScriptFamily
    let trust: TrustInputs

    func firmware(_ path: NamedPath) throws -> BundleRecipe.Image {
        let bytes = try InputFile.read(path, limit: Self.imageLimit)
        let package = try DFUPackage(bytes: bytes)
        try package.check(against: family.target, trusting: trust.packageKeys())
        guard let version = package.images.first?.version else { throw ProvisioningError.versionUnknown(path.name) }
        return BundleRecipe.Image(version: version.description, bytes: bytes)
    }

    /// - Parameter isChecked: the image has to be a bitstream for the Monocle's FPGA.
    func fpga(_ path: NamedPath, version: String, isChecked: Bool) throws -> BundleRecipe.Image {
        guard family == .monocle else { throw BundleError.fpgaInFirmware(family) }
        let bytes = try InputFile.read(path, limit: Self.imageLimit)
        _ = try FPGAImage(bytes, isChecked: isChecked)
        return BundleRecipe.Image(version: version, bytes: bytes)
    }
}

extension ScriptFamily {
    var target: DFUTarget {
        switch self {
        case .monocle: .monocle
        case .frame: .frame
        }
    }
}
