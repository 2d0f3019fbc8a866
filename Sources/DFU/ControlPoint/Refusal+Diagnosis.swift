import Bluetooth
import Support

extension Refusal {
    /// Codes: `DFU-00RR` for result RR, `DFU-0BEE` for extended error EE, `DFU-0105` for a flash that takes no object.
    func diagnosis(of operation: ControlPointOperation) -> Diagnosis {
        let (code, text): (String, Text)
        switch self {
        case .result(.invalidObject) where operation == .create: (code, text) = ("DFU-0105", Self.busyFlashText)
        case .result(let result): (code, text) = ("DFU-00" + Self.hex(result.rawValue), Self.text(result))
        case .extended(let error): (code, text) = ("DFU-0B" + Self.hex(error.rawValue), Self.text(error))
        case .unknownResult(let value): (code, text) = ("DFU-00" + Self.hex(value), Self.unknown(value))
        case .unknownExtended(let value): (code, text) = ("DFU-0B" + Self.hex(value), Self.unknown(value))
        }
        return Diagnosis(
            code: code, category: .unitFailed, fault: .unit,
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
        "its flash does not take the next object", cause: "the flash is busy far longer than usual, or it is failing",
        remedy: "charge the unit, power-cycle it, and run the same command again; set it aside if it fails again")

    private static let powerCycle = "power-cycle the unit and run the same command again"
    private static let checkModel = "check the unit's model"
    private static let rightPackage = "use the released package of this family"

    private static func text(_ result: ResultCode) -> Text {
        switch result {
        case .invalidOpCode:
            Text("unknown request", cause: "the unit runs a bootloader of another kind", remedy: checkModel)
        case .notSupported:
            Text(
                "the request is not supported", cause: "the bootloader was built without it",
                remedy: checkModel)
        case .invalidParameter:
            Text(
                "a parameter is wrong", cause: "the object's size does not suit the bootloader",
                remedy: "power-cycle the unit and run the same command again; report it if it fails again")
        case .insufficientResources:
            Text(
                "it has no memory for the object", cause: "the object is larger than the bootloader takes",
                remedy: powerCycle)
        case .invalidObject:
            Text(
                "the object is not valid", cause: "the init packet or the finished image was found damaged",
                remedy: "run the same command again; if it fails again, fetch the package again")
        case .unsupportedType:
            Text(
                "the object type is not supported", cause: "the unit runs a bootloader of another kind",
                remedy: checkModel)
        case .operationNotPermitted:
            Text(
                "the request is not permitted now", cause: "the bootloader lost its state, or bytes of the object are missing",
                remedy: "run the same command again; it continues from what the unit has saved")
        case .operationFailed:
            Text(
                "the operation failed", cause: "the bootloader could not write its flash",
                remedy: "charge the unit, power-cycle it, and run the same command again; set it aside if it fails again")
        }
    }

    private static func text(_ error: ExtendedError) -> Text {
        switch error {
        case .wrongCommandFormat:
            Text(
                "the init packet's format is wrong", cause: "the package was made for another bootloader",
                remedy: rightPackage)
        case .unknownCommand:
            Text(
                "the init packet's command is unknown", cause: "the package was made for another bootloader",
                remedy: rightPackage)
        case .initCommandInvalid:
            Text(
                "the init command is not valid", cause: "a field of the init packet is missing or out of range",
                remedy: rightPackage)
        case .firmwareVersionTooLow:
            Text(
                "the firmware version is too low", cause: "the unit has newer firmware and prevents downgrades",
                remedy: "use a package that is at least as new as the unit's firmware")
        case .hardwareVersionMismatch:
            Text(
                "the package is for other hardware", cause: "the unit is of another family than the package",
                remedy: rightPackage)
        case .softDeviceMismatch:
            Text(
                "the package wants another SoftDevice", cause: "the unit is of another family or its SoftDevice is old",
                remedy: rightPackage)
        case .insufficientSpace:
            Text(
                "there is no room for the image", cause: "the image is larger than this unit's free flash",
                remedy: rightPackage)
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
                "it could not compute the hash", cause: "the bootloader's cryptography failed", remedy: powerCycle)
        case .wrongSignatureType:
            Text(
                "the signature type is not supported", cause: "the package is not signed with ECDSA P-256",
                remedy: rightPackage)
        case .verificationFailed:
            Text(
                "verification failed", cause: "the package is signed with a key that this unit does not trust, "
                    + "or the image on the unit does not match its hash",
                remedy: "run the same command again; if it fails again, use a package that is signed for this unit")
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
