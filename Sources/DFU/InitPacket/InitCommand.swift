import FoundationEssentials

/// What an init packet says of its image.
public struct InitCommand: Sendable, Hashable {
    /// Of the image's hash.
    public enum HashType: Sendable, Hashable {
        /// The only one that these bootloaders take, and any other.
        case sha256, other
    }

    /// Which part of the firmware it replaces.
    public let kind: FirmwareKind
    /// The number that the bootloader's downgrade prevention compares; not the version text.
    public let firmwareVersion: UInt32
    /// Has to be the bootloader's own.
    public let hardwareVersion: UInt32
    /// The unit has to run one of them.
    public let softDevices: [UInt32]
    /// In bytes; 0 for what the package does not hold.
    public let softDeviceSize: UInt32
    /// As ``softDeviceSize``.
    public let bootloaderSize: UInt32
    /// As ``softDeviceSize``.
    public let applicationSize: UInt32
    /// How ``hash`` was made.
    public let hashType: HashType
    /// The image's SHA-256, byte-reversed.
    public let hash: [UInt8]
    /// Asks a bootloader built for debugging to skip its version checks.
    public let isDebug: Bool
    /// Of a SoftDevice with a bootloader one for each, in this order.
    public let bootValidations: [BootValidation]

    init(_ wire: WireInitCommand) throws {
        func require(_ isThere: Bool, _ field: String) throws {
            guard isThere else { throw DFUError.package(.initPacketInvalid(reason: "its init command has no \(field)")) }
        }
        try require(wire.hasType, "type")
        try require(wire.hasFwVersion, "firmware version")
        try require(wire.hasHwVersion, "hardware version")
        try require(wire.hasHash && wire.hash.hasHash, "hash")
        kind = FirmwareKind(wire.type)
        firmwareVersion = wire.fwVersion
        hardwareVersion = wire.hwVersion
        softDevices = wire.sdReq
        softDeviceSize = wire.sdSize
        bootloaderSize = wire.blSize
        applicationSize = wire.appSize
        hashType = wire.hash.hasHashType && wire.hash.hashType == .sha256 ? .sha256 : .other
        hash = Array(wire.hash.hash)
        isDebug = wire.isDebug
        bootValidations = wire.bootValidation.map(BootValidation.init)
    }

    /// In bytes.
    public var imageSize: UInt64 {
        switch kind {
        case .application, .externalApplication: UInt64(applicationSize)
        case .softDevice: UInt64(softDeviceSize)
        case .bootloader: UInt64(bootloaderSize)
        case .softDeviceAndBootloader: UInt64(softDeviceSize) + UInt64(bootloaderSize)
        }
    }
}

extension FirmwareKind {
    init(_ wire: WireFirmwareType) {
        self = switch wire {
        case .application: .application
        case .softdevice: .softDevice
        case .bootloader: .bootloader
        case .softdeviceBootloader: .softDeviceAndBootloader
        case .externalApplication: .externalApplication
        }
    }
}

/// How a bootloader checks an image at every start (nRF5 SDK, `nrf_dfu_validation.c`).
public struct BootValidation: Sendable, Hashable {
    /// As the options of `noafw package` name them.
    public enum Method: String, Sendable, Hashable {
        /// The bootloader starts what is there.
        case none
        /// The bootloader computes it from the image that it received.
        case crc, sha256
        /// The package holds a signature over the image.
        case ecdsaP256 = "ecdsa"
        /// A number that Nordic's definition does not have.
        case unknown

        fileprivate static let wires: [(Method, WireValidationType)] = [
            (.none, .noValidation), (.crc, .validateGeneratedCrc), (.sha256, .validateSha256), (.ecdsaP256, .validateEcdsaP256Sha256),
        ]
    }

    /// What the bootloader checks before each start.
    public let method: Method
    /// For ECDSA r‖s, each byte-reversed.
    public let bytes: [UInt8]

    init(_ method: Method, bytes: [UInt8] = []) { (self.method, self.bytes) = (method, bytes) }

    init(_ method: Method, of image: [UInt8], signedBy key: SigningKey?) throws {
        if method == .ecdsaP256, key == nil { throw DFUError.package(.signingFailed(reason: "ECDSA boot validation needs a key")) }
        self.init(method, bytes: method == .ecdsaP256 ? try key?.sign(image) ?? [] : [])
    }

    init(_ wire: WireBootValidation) {
        let method = wire.hasType ? Method.wires.first { $0.1 == wire.type }?.0 : nil
        self.init(method ?? .unknown, bytes: Array(wire.bytes))
    }

    var wire: WireBootValidation {
        var wire = WireBootValidation()
        if let type = Method.wires.first(where: { $0.0 == method })?.1 { wire.type = type }
        wire.bytes = Data(bytes)
        return wire
    }
}
