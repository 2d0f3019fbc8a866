import DFU
import FPGA
import ScriptBundle

/// What a Monocle is to hold afterwards: opened, checked files; a part that is `nil` is not looked at.
public struct MonocleAssets: Sendable {
    public struct Firmware: Sendable {
        public let image: FirmwareImage
        /// What the unit says as `device.VERSION` once it runs this image.
        public let version: String

        /// Opens and checks a package before any unit is touched: structure, hash, sizes, hardware, SoftDevice, signature.
        /// - Parameter version: `nil` reads it from the image.
        /// - Throws: ``DFUError`` (exit 65) or ``ProvisioningError/versionUnknown(_:)``.
        public init(
            package: DFUPackage, version: String?, target: DFUTarget = .monocle, trusting keys: [TrustedKey]
        ) throws {
            _ = try package.check(against: target, trusting: keys)
            guard let image = package.images.first else { throw ProvisioningError.versionUnknown("the firmware package") }
            guard let version = version ?? image.version?.description else {
                throw ProvisioningError.versionUnknown("the firmware package")
            }
            self.image = image
            self.version = version
        }
    }

    public struct Bitstream: Sendable {
        public let image: FPGAImage
        /// What `fpga.read(2, 12)` gives once the FPGA runs this image.
        public let version: String

        public init(image: FPGAImage, version: String) {
            self.image = image
            self.version = version
        }
    }

    public var firmware: Firmware?
    public var fpga: Bitstream?
    public var scripts: ScriptSet?

    public init(firmware: Firmware? = nil, fpga: Bitstream? = nil, scripts: ScriptSet? = nil) {
        self.firmware = firmware
        self.fpga = fpga
        self.scripts = scripts
    }
}
