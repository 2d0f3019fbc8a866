import DFU
import FPGA
import ScriptBundle

/// What a unit is to hold afterwards: opened, checked files; a component that is `nil` is not looked at.
public struct AssetSet: Sendable {
    public var firmware: FirmwareAsset?
    public var fpga: BitstreamAsset?
    public var scripts: ScriptSet?
    /// Where all of it comes from; `nil` for a catalogue and for single files.
    public var bundle: BundleIdentity?

    public init(
        firmware: FirmwareAsset? = nil, fpga: BitstreamAsset? = nil, scripts: ScriptSet? = nil, bundle: BundleIdentity? = nil
    ) {
        (self.firmware, self.fpga, self.scripts, self.bundle) = (firmware, fpga, scripts, bundle)
    }

    /// The same without what is not wanted.
    /// - Parameter components: `nil` for all of it.
    func limited(to components: Set<Component>?) -> AssetSet {
        guard let components else { return self }
        return AssetSet(
            firmware: components.contains(.firmware) ? firmware : nil, fpga: components.contains(.fpga) ? fpga : nil,
            scripts: components.contains(.scripts) ? scripts : nil, bundle: bundle)
    }
}

/// Which bundle.
public struct BundleIdentity: Sendable, Hashable {
    /// SHA-256 of the file, in hexadecimal.
    public var digest: String
    /// The fingerprint of the key that signed it; `nil` where nobody did.
    public var signer: String?

    public init(digest: String, signer: String?) { (self.digest, self.signer) = (digest, signer) }
}

public struct FirmwareAsset: Sendable {
    public let image: FirmwareImage
    /// What the unit says once it runs this image.
    public let version: String

    /// Opens and checks a package before any unit is touched: structure, hash, sizes, hardware, SoftDevice, signature.
    /// - Parameter version: `nil` reads it from the image.
    /// - Throws: ``DFUError`` (exit 65) or ``ProvisioningError/versionUnknown(_:)``.
    public init(package: DFUPackage, version: String?, target: DFUTarget, trusting keys: [TrustedKey]) throws {
        _ = try package.check(against: target, trusting: keys)
        guard let image = package.images.first, let version = version ?? image.version?.description else {
            throw ProvisioningError.versionUnknown("the firmware package")
        }
        self.image = image
        self.version = version
    }
}

public struct BitstreamAsset: Sendable {
    public let image: FPGAImage
    /// What the FPGA says once it runs this image.
    public let version: String

    public init(image: FPGAImage, version: String) {
        self.image = image
        self.version = version
    }
}
