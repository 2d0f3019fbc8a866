import Foundation

/// How a bootloader checks an image at every start (nRF5 SDK, `nrf_dfu_validation.c`).
public struct BootValidation: Sendable, Hashable {
    public enum Method: Sendable, Hashable {
        case none
        /// The bootloader computes the CRC-32 or the SHA-256 when it has received the image, and keeps it.
        case crc, sha256
        /// The package brings a signature over the image.
        case ecdsaP256
        case unknown
    }

    public let method: Method
    /// For ECDSA r‖s, each byte-reversed, 64 bytes; empty for what the bootloader computes itself.
    public let bytes: [UInt8]

    public init(_ method: Method, bytes: [UInt8] = []) {
        self.method = method
        self.bytes = bytes
    }

    /// By `method` over an image.
    /// - Parameter key: needed for ECDSA alone.
    init(_ method: Method, of image: [UInt8], signedBy key: SigningKey?) throws {
        guard method == .ecdsaP256 else {
            self.init(method)
            return
        }
        guard let key else { throw DFUError.package(.signingFailed(reason: "ECDSA boot validation needs a key")) }
        self.init(method, bytes: try key.sign(image))
    }

    init(_ wire: WireBootValidation) {
        bytes = Array(wire.bytes)
        guard wire.hasType else {
            method = .unknown
            return
        }
        method =
            switch wire.type {
            case .noValidation: .none
            case .validateGeneratedCrc: .crc
            case .validateSha256: .sha256
            case .validateEcdsaP256Sha256: .ecdsaP256
            }
    }

    var wire: WireBootValidation {
        var wire = WireBootValidation()
        switch method {
        case .none: wire.type = .noValidation
        case .crc: wire.type = .validateGeneratedCrc
        case .sha256: wire.type = .validateSha256
        case .ecdsaP256: wire.type = .validateEcdsaP256Sha256
        case .unknown: break
        }
        wire.bytes = Data(bytes)
        return wire
    }
}
