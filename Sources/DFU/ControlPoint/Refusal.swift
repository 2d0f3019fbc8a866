/// Why a bootloader refused a request: its result code, or the extended error behind result 0B.
public enum Refusal: Sendable, Hashable {
    case result(ResultCode)
    case extended(ExtendedError)
    case unknownResult(UInt8)
    case unknownExtended(UInt8)

    public init(result: UInt8) { self = ResultCode(rawValue: result).map(Refusal.result) ?? .unknownResult(result) }

    public init(extended: UInt8) {
        self = ExtendedError(rawValue: extended).map(Refusal.extended) ?? .unknownExtended(extended)
    }

    /// Result codes other than success and "extended error" (nRF5 SDK, `nrf_dfu_req_handler.h`).
    public enum ResultCode: UInt8, Sendable, Hashable, CaseIterable {
        case invalidOpCode = 0x00
        case notSupported = 0x02
        case invalidParameter = 0x03
        case insufficientResources = 0x04
        case invalidObject = 0x05
        case unsupportedType = 0x07
        case operationNotPermitted = 0x08
        case operationFailed = 0x0A
    }

    /// Extended error codes (nRF5 SDK, `nrf_dfu_req_handler.h`).
    public enum ExtendedError: UInt8, Sendable, Hashable, CaseIterable {
        case wrongCommandFormat = 0x02
        case unknownCommand = 0x03
        case initCommandInvalid = 0x04
        case firmwareVersionTooLow = 0x05
        case hardwareVersionMismatch = 0x06
        case softDeviceMismatch = 0x07
        case signatureMissing = 0x08
        case wrongHashType = 0x09
        case hashFailed = 0x0A
        case wrongSignatureType = 0x0B
        case verificationFailed = 0x0C
        case insufficientSpace = 0x0D
    }
}
