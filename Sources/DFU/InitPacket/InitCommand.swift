import Foundation

/// The content of an init packet.
public struct InitCommand: Sendable, Hashable {
    public enum HashType: Sendable, Hashable { case sha256, other }

    public let kind: FirmwareKind
    /// The number that the bootloader's downgrade prevention compares; not the version text.
    public let firmwareVersion: UInt32
    public let hardwareVersion: UInt32
    /// SoftDevice firmware ids; the unit has to run one of them.
    public let softDevices: [UInt32]
    /// Sizes in bytes; 0 for what the package does not hold.
    public let softDeviceSize: UInt32
    public let bootloaderSize: UInt32
    public let applicationSize: UInt32
    public let hashType: HashType
    /// The image's SHA-256, byte-reversed.
    public let hash: [UInt8]
    /// Asks a bootloader built for debugging to skip its version checks.
    public let isDebug: Bool
    /// Of a SoftDevice with a bootloader one for each, in this order.
    public let bootValidations: [BootValidation]

    init(_ wire: WireInitCommand) throws {
        guard wire.hasType else { throw Self.missing("type") }
        guard wire.hasFwVersion else { throw Self.missing("firmware version") }
        guard wire.hasHwVersion else { throw Self.missing("hardware version") }
        guard wire.hasHash, wire.hash.hasHash else { throw Self.missing("hash") }
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

    /// The size of the image this command announces, in bytes.
    public var imageSize: UInt64 {
        switch kind {
        case .application, .externalApplication: UInt64(applicationSize)
        case .softDevice: UInt64(softDeviceSize)
        case .bootloader: UInt64(bootloaderSize)
        case .softDeviceAndBootloader: UInt64(softDeviceSize) + UInt64(bootloaderSize)
        }
    }

    private static func missing(_ field: String) -> DFUError {
        .package(.initPacketInvalid(reason: "its init command has no \(field)"))
    }
}

extension FirmwareKind {
    init(_ wire: WireFirmwareType) {
        self =
            switch wire {
            case .application: .application
            case .softdevice: .softDevice
            case .bootloader: .bootloader
            case .softdeviceBootloader: .softDeviceAndBootloader
            case .externalApplication: .externalApplication
            }
    }

    var wire: WireFirmwareType {
        switch self {
        case .application: .application
        case .softDevice: .softdevice
        case .bootloader: .bootloader
        case .softDeviceAndBootloader: .softdeviceBootloader
        case .externalApplication: .externalApplication
        }
    }
}
