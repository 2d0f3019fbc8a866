import Bluetooth
import Support

extension Refusal {
    /// Codes: `DFU-00RR` for result RR, `DFU-0BEE` for extended error EE.
    func diagnosis(of operation: ControlPointOperation) -> Diagnosis {
        let (code, text): (String, Text)
        switch self {
        case .result(.invalidObject) where operation == .create: (code, text) = ("0005", Self.busyFlashText)
        case .result(let result): (code, text) = ("00" + Self.hex(result.rawValue), Self.text(result))
        case .extended(let error): (code, text) = ("0B" + Self.hex(error.rawValue), Self.text(error))
        case .unknownResult(let value): (code, text) = ("00" + Self.hex(value), Self.unknown(value))
        case .unknownExtended(let value): (code, text) = ("0B" + Self.hex(value), Self.unknown(value))
        }
        return Diagnosis(
            code: "DFU-\(code)", category: .unitFailed, fault: .unit,
            message: "the bootloader refused \(operation): \(text.message)", cause: text.cause, remedy: text.remedy)
    }

    private struct Text {
        let message: String
        let cause: String
        let remedy: String

        init(_ message: String, cause: String, remedy: String) {
            self.message = message
            self.cause = cause
            self.remedy = remedy
        }
    }

    /// CREATE asks for the erase of a page, and finds no place for it (nRF5 SDK, `nrf_dfu_req_handler.c`).
    private static let busyFlashText = Text(
        "its flash does not take the next object", cause: "it is busy with what came before, far longer than usual, or failing",
        remedy: "charge the unit, then \(powerCycle); set it aside if it persists")

    private static let powerCycle = "power-cycle the unit and run the same command again"
    private static let rightPackage = "use the released package of this family"

    private static func text(_ result: ResultCode) -> Text {
        switch result {
        case .invalidOpCode:
            Text("unknown request", cause: "the unit runs a bootloader of another kind", remedy: "check its model")
        case .notSupported:
            Text(
                "the request is not supported", cause: "the bootloader was built without it",
                remedy: "check that the unit is a Monocle or a Frame")
        case .invalidParameter:
            Text(
                "a parameter is wrong", cause: "the object's size does not suit the bootloader",
                remedy: "power-cycle the unit, run the same command again, and report it if it persists")
        case .insufficientResources:
            Text(
                "it has no memory for the object", cause: "the object is larger than the bootloader takes",
                remedy: powerCycle)
        case .invalidObject:
            Text(
                "the object is not valid", cause: "the init packet or the finished image was found damaged",
                remedy: "run the same command again; if it persists, fetch the package again")
        case .unsupportedType:
            Text(
                "the object type is not supported", cause: "the unit runs a bootloader of another kind",
                remedy: "check that the unit is a Monocle or a Frame")
        case .operationNotPermitted:
            Text(
                "not permitted now", cause: "the bootloader lost its state or has not got all of the object",
                remedy: "run the same command again; it goes on from what the unit has saved, else from the beginning")
        case .operationFailed:
            Text(
                "the operation failed", cause: "the bootloader could not write its flash",
                remedy: "charge the unit, then \(powerCycle); set it aside if it persists")
        }
    }

    private static func text(_ error: ExtendedError) -> Text {
        switch error {
        case .wrongCommandFormat, .unknownCommand, .initCommandInvalid: formatText(error)
        case .firmwareVersionTooLow, .hardwareVersionMismatch, .softDeviceMismatch, .insufficientSpace:
            suitabilityText(error)
        case .signatureMissing, .wrongHashType, .hashFailed, .wrongSignatureType, .verificationFailed:
            proofText(error)
        }
    }

    private static func formatText(_ error: ExtendedError) -> Text {
        switch error {
        case .wrongCommandFormat:
            Text(
                "the init packet's format is wrong", cause: "the package was made for another bootloader",
                remedy: rightPackage)
        case .unknownCommand:
            Text(
                "the init packet's command is unknown", cause: "the package was made for another bootloader",
                remedy: rightPackage)
        default:
            Text(
                "the init command is not valid", cause: "a field of the init packet is missing or out of range",
                remedy: rightPackage)
        }
    }

    private static func suitabilityText(_ error: ExtendedError) -> Text {
        switch error {
        case .firmwareVersionTooLow:
            Text(
                "the firmware version is too low", cause: "the unit has newer firmware and prevents downgrades",
                remedy: "use a package at least as new as the unit's firmware")
        case .hardwareVersionMismatch:
            Text(
                "the package is for other hardware", cause: "the unit is of another family than the package",
                remedy: rightPackage)
        case .softDeviceMismatch:
            Text(
                "the package wants another SoftDevice", cause: "the unit is of another family or its SoftDevice is old",
                remedy: rightPackage)
        default:
            Text(
                "there is no room for the image", cause: "the image is larger than this unit's free flash",
                remedy: rightPackage)
        }
    }

    private static func proofText(_ error: ExtendedError) -> Text {
        switch error {
        case .signatureMissing:
            Text(
                "the package is not signed", cause: "the bootloader takes signed packages only",
                remedy: "sign it: `noafw package create --key-file KEY`")
        case .wrongHashType:
            Text(
                "the hash type is not supported", cause: "the init packet does not use SHA-256",
                remedy: rightPackage)
        case .hashFailed:
            Text(
                "it could not compute the hash", cause: "the bootloader's crypto failed", remedy: powerCycle)
        case .wrongSignatureType:
            Text(
                "the signature type is not supported", cause: "the package is not signed with ECDSA P-256",
                remedy: rightPackage)
        default:
            Text(
                "verification failed", cause: "the package is signed with a key this unit does not trust, "
                    + "or the image on the unit does not match its hash",
                remedy: "run the same command again; if it persists, use a package signed for this unit")
        }
    }

    private static func unknown(_ value: UInt8) -> Text {
        Text(
            "unknown error 0x\(hex(value))", cause: "the unit runs a bootloader of another kind",
            remedy: "report this with the output of -v")
    }

    private static func hex(_ value: UInt8) -> String {
        (value < 16 ? "0" : "") + String(value, radix: 16, uppercase: true)
    }
}
