/// The result of a request: one byte, or `extended` and one more (nRF5 SDK, `nrf_dfu_req_handler.h`,
/// `nrf_dfu_handling_error.h`).
enum BootloaderResult: Sendable, Equatable {
    enum Extended: UInt8, Sendable {
        case initCommandInvalid = 0x04
        case firmwareVersionTooLow = 0x05
        case hardwareMismatch = 0x06
        case softDeviceMismatch = 0x07
        case signatureMissing = 0x08
        case wrongHashType = 0x09
        case wrongSignatureType = 0x0B
        case verificationFailed = 0x0C
    }

    case success
    case notSupported
    case invalidParameter
    case insufficientResources
    case invalidObject
    case notPermitted
    case operationFailed
    case extended(Extended)

    var bytes: [UInt8] {
        switch self {
        case .success: [0x01]
        case .notSupported: [0x02]
        case .invalidParameter: [0x03]
        case .insufficientResources: [0x04]
        case .invalidObject: [0x05]
        case .notPermitted: [0x08]
        case .operationFailed: [0x0A]
        case .extended(let reason): [0x0B, reason.rawValue]
        }
    }
}
