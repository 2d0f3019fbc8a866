import DFU
import REPL
import Support

extension PackageReport {
    /// For a human.
    func lines(style: TextStyle) -> [String] {
        let count = images.count == 1 ? "1 image" : "\(images.count) images"
        let head = "\(UntrustedText.escape(file)): \(count), \(Format.bytes(byteCount)) bytes"
        let digest = "sha256 \(HexText.encode(sha256))"
        return [style.paint(head, .strong), digest] + images.flatMap { [""] + $0.lines(style: style) }
    }
}

extension PackageReport.Image {
    fileprivate func lines(style: TextStyle) -> [String] {
        let command = firmware.initPacket.command
        var rows = [("size", sizeText), ("version text", versionText)]
        rows += [
            ("version", "\(command.firmwareVersion)"), ("hardware", "\(command.hardwareVersion)"),
            ("SoftDevices", command.softDevices.map(SoftDeviceText.name).joined(separator: ", ")),
            ("boot check", command.bootValidations.isEmpty ? "-" : command.bootValidations.map(\.method.text).joined(separator: ", ")),
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
        let digest = "SHA-256 \(HexText.encode(firmware.sha256))"
        guard let damage else { return "\(digest), matches" }
        return style.paint("DIFFERS", .bad) + ": \(UntrustedText.escape(damage.message))"
    }

    private func signatureText(_ style: TextStyle) -> String {
        guard let signature = firmware.initPacket.signature else { return style.paint("none", .careful) }
        let type = signature.type.rawValue
        guard let signer else { return "\(type), " + style.paint("by none of the known keys", .careful) }
        let name = UntrustedText.escape(signer.name)
        let boot = distrust == nil ? "" : "; " + style.paint("boot validation does NOT verify", .bad)
        return "\(type), verifies with \(name)" + (signer.provesOrigin ? "" : " (integrity, not origin: anybody can sign with it)") + boot
    }
}

extension BootValidation.Method {
    /// As the options name it.
    var text: String {
        switch self {
        case .none: "none"
        case .crc: "crc"
        case .sha256: "sha256"
        case .ecdsaP256: "ecdsa"
        case .unknown: "unknown"
        }
    }
}

/// SoftDevice firmware ids in words.
enum SoftDeviceText {
    static func hex(_ id: UInt32) -> String {
        let digits = String(id, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    static func name(_ id: UInt32) -> String {
        switch id {
        case DFUTarget.monocle.softDeviceID: "\(hex(id)) (S132 7.3.0)"
        case DFUTarget.frame.softDeviceID: "\(hex(id)) (S140 7.3.0)"
        case PackageTargetOptions.anySoftDevice: "\(hex(id)) (any)"
        default: hex(id)
        }
    }
}
