import Bluetooth
import DFU
import Support

/// What a package file holds, and what can be proved of it.
struct PackageReport: Sendable {
    struct Image: Sendable {
        var firmware: FirmwareImage
        /// The image is not what its init packet says.
        var damage: Diagnosis?
        var signer: TrustedKey?
        /// Why there is no signer, or why its boot validation does not hold.
        var distrust: Diagnosis?
    }

    var file: String
    var byteCount: Int
    var sha256: [UInt8]
    var images: [Image]

    /// - Parameter keys: which may have signed it.
    init(file: String, bytes: [UInt8], keys: [TrustedKey]) throws {
        let package = try DFUPackage(bytes: bytes)
        self.file = file
        byteCount = bytes.count
        sha256 = package.sha256
        images = package.images.map { Self.examine($0, keys) }
    }

    private static func examine(_ firmware: FirmwareImage, _ keys: [TrustedKey]) -> Image {
        var image = Image(firmware: firmware)
        image.damage = diagnosis { try firmware.checkIntegrity() }
        image.distrust = diagnosis {
            let signer = try firmware.verify(with: keys)
            image.signer = signer
            try firmware.verifyBootValidation(with: signer)
        }
        return image
    }

    private static func diagnosis(_ body: () throws -> Void) -> Diagnosis? {
        do {
            try body()
            return nil
        } catch {
            return diagnose(error)
        }
    }

    /// The first thing wrong with it.
    /// - Parameter mayBeUnsigned: a missing signature is no fault.
    func fault(mayBeUnsigned: Bool = false) -> Diagnosis? {
        images.lazy.compactMap { image in
            let isExpected = mayBeUnsigned && image.firmware.initPacket.signature == nil
            return image.damage ?? (isExpected ? nil : image.distrust)
        }.first
    }
}
