import Bluetooth
import DFU
import REPL
import Support

extension PackageReport {
    static let schema = "noafw.package/1"

    /// - Parameter verdict: `nil` for a verb that only shows.
    func document(verdict: Verdict?, error: Diagnosis? = nil) -> JSONText {
        .object([
            ("schema", .string(Self.schema)),
            ("file", .string(file)),
            ("bytes", .integer(byteCount)),
            ("sha256", .string(HexText.encode(sha256))),
            ("verdict", .optional(verdict?.rawValue)),
            ("images", .array(images.map(\.document))),
            ("error", error.map(ReportText.document) ?? .null),
        ])
    }

    enum Verdict: String { case pass, fail }

    /// Of a file that could not be read or made.
    static func failure(file: String, _ error: Diagnosis) -> JSONText {
        .object([
            ("schema", .string(schema)), ("file", .string(file)), ("bytes", .null), ("sha256", .null),
            ("verdict", .string(Verdict.fail.rawValue)), ("images", .array([])), ("error", ReportText.document(error)),
        ])
    }
}

extension PackageReport.Image {
    fileprivate var document: JSONText {
        let command = firmware.initPacket.command
        return .object([
            ("kind", .string(firmware.kind.rawValue)),
            ("bytes", .integer(firmware.bytes.count)),
            ("version", .optional(firmware.version?.description)),
            ("versions", .array(firmware.versions.map { .string($0.description) })),
            ("firmware_version", .integer(Int(command.firmwareVersion))),
            ("hardware_version", .integer(Int(command.hardwareVersion))),
            ("softdevices", .array(command.softDevices.map { .string(SoftDeviceText.hex($0)) })),
            ("softdevice_bytes", .integer(Int(command.softDeviceSize))),
            ("bootloader_bytes", .integer(Int(command.bootloaderSize))),
            ("application_bytes", .integer(Int(command.applicationSize))),
            ("debug", .bool(command.isDebug)),
            ("boot_validation", .array(command.bootValidations.map { .string($0.method.text) })),
            ("hash", hash),
            ("signature", signature),
        ])
    }

    private var hash: JSONText {
        let command = firmware.initPacket.command
        return .object([
            ("type", .string(command.hashType == .sha256 ? "sha256" : "other")),
            ("expected", .string(HexText.encode(command.hash.reversed()))),
            ("actual", .string(HexText.encode(firmware.sha256))),
            ("match", .bool(damage == nil)),
        ])
    }

    private var signature: JSONText {
        guard let signature = firmware.initPacket.signature else { return .null }
        return .object([
            ("type", .string(signature.type.rawValue)),
            ("verified", .bool(signer != nil && distrust == nil)),
            ("key", .optional(signer?.name)),
            ("proves", .optional(signer.map { $0.provesOrigin ? "origin" : "integrity" })),
        ])
    }
}
