import FoundationEssentials
import Support

/// Why a bootloader refused a request: its result code, or the extended error behind result 0B.
public enum Refusal: Sendable, Hashable {
    /// A result code of the header.
    case result(ResultCode)
    /// The reason behind result 0B.
    case extended(ExtendedError)
    /// A result code that the header does not have.
    case unknownResult(UInt8)
    /// A reason that the header does not have.
    case unknownExtended(UInt8)

    init(result: UInt8) { self = ResultCode(rawValue: result).map(Refusal.result) ?? .unknownResult(result) }
    init(extended: UInt8) { self = ExtendedError(rawValue: extended).map(Refusal.extended) ?? .unknownExtended(extended) }

    /// Result codes other than success and "extended error" (nRF5 SDK, `nrf_dfu_req_handler.h`).
    public enum ResultCode: UInt8, Sendable, Hashable, CaseIterable {
        /// No handler for the request.
        case invalidOpCode = 0x00
        /// The bootloader was built without it.
        case notSupported = 0x02
        /// Missing, or out of range.
        case invalidParameter = 0x03
        /// No memory for the object.
        case insufficientResources = 0x04
        /// Does not fit the firmware, the hardware or the signature's rules; for CREATE the flash takes none.
        case invalidObject = 0x05
        /// No such kind of object.
        case unsupportedType = 0x07
        /// Not in this state, such as an image before its init packet.
        case operationNotPermitted = 0x08
        /// Anything else.
        case operationFailed = 0x0A
    }

    /// From the same header.
    public enum ExtendedError: UInt8, Sendable, Hashable, CaseIterable {
        /// The init packet cannot be read.
        case wrongCommandFormat = 0x02
        /// Reasons that lie in the init packet.
        case unknownCommand, initCommandInvalid, firmwareVersionTooLow, hardwareVersionMismatch, softDeviceMismatch, signatureMissing
        /// Reasons that lie in the image, its signature or the room for it.
        case wrongHashType, hashFailed, wrongSignatureType, verificationFailed, insufficientSpace
    }

    /// Codes: `DFU-00RR` for result RR, `DFU-0BEE` for extended error EE, `DFU-0105` for a flash that takes no object.
    func diagnosis(of operation: ControlPointOperation) -> Diagnosis {
        let (code, text): (String, Text) = switch self {
        case .result(.invalidObject) where operation == .create: ("DFU-0105", Self.busyFlash)
        case .result(let result): (String(printf: "DFU-00%02X", result.rawValue), Self.text(result))
        case .extended(let error): (String(printf: "DFU-0B%02X", error.rawValue), Self.text(error))
        case .unknownResult(let value):
            (String(printf: "DFU-00%02X", value), Self.unknown(value, "the unit runs a bootloader of another kind"))
        case .unknownExtended(let value):
            (String(printf: "DFU-0B%02X", value), Self.unknown(value, "the unit runs a newer bootloader than noafw knows"))
        }
        return Diagnosis(
            code, .unitFailed, .unit, "the bootloader refused \(operation): \(text.message)", cause: text.cause,
            remedy: text.remedy)
    }

    private typealias Text = (message: String, cause: String, remedy: String)

    /// CREATE asks for the erase of a page, and finds no place for it (nRF5 SDK, `nrf_dfu_req_handler.c`).
    private static let busyFlash: Text = (
        "its flash does not take the next object", "the flash is busy far longer than usual, or it is failing", chargeFirst)

    private static let chargeFirst = "charge the unit, power-cycle it, and run the same command again; set it aside if it fails again"
    private static let powerCycle = "power-cycle the unit and run the same command again"
    private static let checkModel = "check the unit's model"
    private static let rightPackage = "use the released package of this family"

    private static func text(_ result: ResultCode) -> Text {
        switch result {
        case .invalidOpCode: ("unknown request", "the unit runs a bootloader that does not know it", checkModel)
        case .notSupported: ("the request is not supported", "the bootloader was built without it", checkModel)
        case .invalidParameter:
            ("a parameter is wrong", "the object's size does not suit the bootloader", "\(powerCycle); report it if it fails again")
        case .insufficientResources:
            ("it has no memory for the object", "the object is larger than the bootloader takes", powerCycle)
        case .invalidObject:
            ("the object is not valid", "the init packet or the finished image was found damaged",
             "run the same command again; if it fails again, fetch the package again")
        case .unsupportedType: ("the object type is not supported", "the unit runs a bootloader that takes other objects", checkModel)
        case .operationNotPermitted:
            ("the request is not permitted now", "the bootloader lost its state, or bytes of the object are missing",
             "run the same command again; it continues from what the unit has saved")
        case .operationFailed: ("the operation failed", "the bootloader could not write its flash", chargeFirst)
        }
    }

    private static func text(_ error: ExtendedError) -> Text {
        switch error {
        case .wrongCommandFormat: ("the init packet's format is wrong", "the package was made for another bootloader", rightPackage)
        case .unknownCommand: ("the init packet's command is unknown", "the package was made for a newer bootloader", rightPackage)
        case .initCommandInvalid:
            ("the init command is not valid", "a field of the init packet is missing or out of range", rightPackage)
        case .firmwareVersionTooLow:
            ("the firmware version is too low", "the unit has newer firmware and prevents downgrades",
             "use a package that is at least as new as the unit's firmware")
        case .hardwareVersionMismatch:
            ("the package is for other hardware", "the unit is of another family than the package", rightPackage)
        case .softDeviceMismatch:
            ("the package wants another SoftDevice", "the unit is of another family or its SoftDevice is old", rightPackage)
        case .insufficientSpace:
            ("there is no room for the image", "the image is larger than this unit's free flash", rightPackage)
        case .signatureMissing:
            ("the package is not signed", "the bootloader takes signed packages only", "sign it: `noafw package create --key-file KEY`")
        case .wrongHashType: ("the hash type is not supported", "the init packet does not use SHA-256", rightPackage)
        case .hashFailed: ("it could not compute the hash", "the bootloader's cryptography failed", powerCycle)
        case .wrongSignatureType:
            ("the signature type is not supported", "the package is not signed with ECDSA P-256", rightPackage)
        case .verificationFailed:
            ("verification failed",
             "the package is signed with a key that this unit does not trust, or the image on the unit does not match its hash",
             "run the same command again; if it fails again, use a package that is signed for this unit")
        }
    }

    private static func unknown(_ value: UInt8, _ cause: String) -> Text {
        (String(printf: "unknown error 0x%02X", value), cause, "report this with the output of -v")
    }
}
