import DFU
import FoundationEssentials
import Provisioning
import Support

/// What a package file holds, and what can be verified of it.
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
    var sha256: String
    var images: [Image]

    /// - Parameter keys: which may have signed it.
    init(file: String, bytes: [UInt8], keys: [TrustedKey]) throws {
        let package = try DFUPackage(bytes: bytes)
        (self.file, byteCount, sha256) = (file, bytes.count, HexText.encode(package.sha256))
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

    /// The first one.
    /// - Parameter mayBeUnsigned: a missing signature is no fault.
    func fault(mayBeUnsigned: Bool = false) -> Diagnosis? {
        images.lazy.compactMap { image in
            let isExpected = mayBeUnsigned && image.firmware.initPacket.signature == nil
            return image.damage ?? (isExpected ? nil : image.distrust)
        }.first
    }

    func lines(style: TextStyle) -> [String] {
        let count = images.count == 1 ? "1 image" : "\(images.count) images"
        let head = "\(UntrustedText.escape(file)): \(count), \(Format.bytes(byteCount)) bytes"
        return [style.paint(head, .strong), "sha256 \(sha256)"] + images.flatMap { [""] + $0.lines(style: style) }
    }
}

extension PackageReport.Image {
    fileprivate func lines(style: TextStyle) -> [String] {
        let command = firmware.initPacket.command
        let rows = [
            ("size", sizeText), ("version text", versionText), ("version", "\(command.firmwareVersion)"),
            ("hardware", "\(command.hardwareVersion)"),
            ("SoftDevices", command.softDevices.map(SoftDeviceText.name).joined(separator: ", ")),
            ("boot check", command.bootValidations.isEmpty ? "-" : command.bootValidations.map(\.method.rawValue).joined(separator: ", ")),
            ("debug", command.isDebug ? "yes: version checks may be skipped" : "no"),
            ("hash", hashText(style)), ("signature", signatureText(style)),
        ]
        let width = rows.map(\.0.count).max() ?? 0
        return [style.paint(firmware.kind.rawValue, .strong)]
            + rows.map { "  \($0)\(String(repeating: " ", count: width - $0.count))  \($1)" }
    }

    private var sizeText: String {
        let command = firmware.initPacket.command
        let size = "\(Format.bytes(firmware.bytes.count)) bytes"
        guard firmware.kind == .softDeviceAndBootloader else { return size }
        let parts = (Format.bytes(Int(command.softDeviceSize)), Format.bytes(Int(command.bootloaderSize)))
        return "\(size): SoftDevice \(parts.0), bootloader \(parts.1)"
    }

    private var versionText: String {
        let versions = firmware.versions.map(\.description)
        guard versions.count > 1 else { return versions.first ?? "-" }
        return versions.prefix(3).joined(separator: ", ") + (versions.count > 3 ? " and \(versions.count - 3) more" : "")
    }

    private func hashText(_ style: TextStyle) -> String {
        guard let damage else { return "SHA-256 \(HexText.encode(firmware.sha256)), matches" }
        return style.paint("DIFFERS", .bad) + ": \(UntrustedText.escape(damage.message))"
    }

    private func signatureText(_ style: TextStyle) -> String {
        guard let type = firmware.initPacket.signature?.type.rawValue else { return style.paint("none", .careful) }
        guard let signer else { return "\(type), " + style.paint("by none of the known keys", .careful) }
        let origin = signer.provesOrigin ? "" : " (integrity, not origin: anybody can sign with it)"
        let boot = distrust == nil ? "" : "; " + style.paint("boot validation does NOT verify", .bad)
        return "\(type), verifies with \(UntrustedText.escape(signer.name))\(origin)\(boot)"
    }
}

enum SoftDeviceText {
    static func hex(_ id: UInt32) -> String { String(printf: "0x%04X", id) }

    static func name(_ id: UInt32) -> String {
        let target = FamilyList.supported.all.lazy.compactMap(\.bootloader?.target).first { $0.softDeviceID == id }
        let name = id == PackageTargetOptions.anySoftDevice ? "any" : target?.softDeviceName
        return hex(id) + (name.map { " (\($0))" } ?? "")
    }
}
