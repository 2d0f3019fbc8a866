import DFU
import Support

/// What a package holds, or why it could not be read or made.
struct PackageDocument: Encodable, Sendable {
    let schema = "noafw.package/1"
    var file: String
    var bytes: Int?
    var sha256: String?
    /// `nil` for a verb that only shows.
    var verdict: String?
    var images: [PackageReport.Image] = []
    var error: Diagnosis?

    init(_ report: PackageReport, verdict: String?, error: Diagnosis? = nil) {
        (file, bytes, sha256) = (report.file, report.byteCount, report.sha256)
        (self.verdict, images, self.error) = (verdict, report.images, error)
    }

    init(file: String, error: Diagnosis) { (self.file, verdict, self.error) = (file, "fail", error) }
}

extension PackageReport.Image: Encodable {
    private enum CodingKeys: String, CodingKey {
        case kind, bytes, version, versions, debug, hash, signature
        case firmware = "firmware_version", hardware = "hardware_version", softDevices = "softdevices", softDeviceBytes = "softdevice_bytes"
        case bootloaderBytes = "bootloader_bytes", applicationBytes = "application_bytes", bootValidation = "boot_validation"
    }

    private struct Hash: Encodable { var type, expected, actual: String, match: Bool }
    private struct Signature: Encodable { var type: String, verified: Bool, key, proves: String? }

    func encode(to encoder: any Encoder) throws {
        let command = firmware.initPacket.command
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(firmware.kind.rawValue, forKey: .kind)
        try members.encode(firmware.bytes.count, forKey: .bytes)
        try members.encode(firmware.version?.description, forKey: .version)
        try members.encode(firmware.versions.map(\.description), forKey: .versions)
        try members.encode(command.firmwareVersion, forKey: .firmware)
        try members.encode(command.hardwareVersion, forKey: .hardware)
        try members.encode(command.softDevices.map(SoftDeviceText.hex), forKey: .softDevices)
        try members.encode(command.softDeviceSize, forKey: .softDeviceBytes)
        try members.encode(command.bootloaderSize, forKey: .bootloaderBytes)
        try members.encode(command.applicationSize, forKey: .applicationBytes)
        try members.encode(command.isDebug, forKey: .debug)
        try members.encode(command.bootValidations.map(\.method.rawValue), forKey: .bootValidation)
        let type = command.hashType == .sha256 ? "sha256" : "other"
        let expected = HexText.encode(command.hash.reversed())
        try members.encode(
            Hash(type: type, expected: expected, actual: HexText.encode(firmware.sha256), match: damage == nil), forKey: .hash)
        let signature = firmware.initPacket.signature.map {
            let proves = signer.map { $0.provesOrigin ? "origin" : "integrity" }
            return Signature(type: $0.type.rawValue, verified: signer != nil && distrust == nil, key: signer?.name, proves: proves)
        }
        try members.encode(signature, forKey: .signature)
    }
}
