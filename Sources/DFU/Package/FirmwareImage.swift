import Cryptography

/// One image of a package with the init packet that announces it to a bootloader.
public struct FirmwareImage: Sendable, Hashable {
    public let kind: FirmwareKind
    public let bytes: [UInt8]
    public let initPacket: InitPacket

    /// Takes the parts as they are: ``check(against:)`` holds them against each other.
    public init(kind: FirmwareKind, bytes: [UInt8], initPacket: InitPacket) {
        self.kind = kind
        self.bytes = bytes
        self.initPacket = initPacket
    }

    /// Of the image, 32 bytes in the usual order; the init packet holds it byte-reversed.
    public var sha256: [UInt8] { SHA256.of(bytes) }

    /// The version texts that stand in the image, each once, in the order of their first occurrence.
    public var versions: [FirmwareVersion] { FirmwareVersion.all(in: bytes) }

    /// The image's version, when exactly one version text stands in it.
    public var version: FirmwareVersion? {
        let found = versions
        return found.count == 1 ? found.first : nil
    }
}

/// The device an image has to suit.
public struct DFUTarget: Sendable, Hashable {
    public var name: String
    /// The bootloader's `NRF_DFU_HW_VERSION`.
    public var hardwareVersion: UInt32
    /// The firmware id of the SoftDevice on the unit.
    public var softDeviceID: UInt32
    /// An upper bound of the room for an image in bytes; the bootloader knows the true one.
    public var imageCapacity: Int
    /// Refuse packages that replace a SoftDevice or a bootloader.
    public var acceptsOnlyApplication: Bool

    public init(
        name: String, hardwareVersion: UInt32, softDeviceID: UInt32, imageCapacity: Int,
        acceptsOnlyApplication: Bool = true
    ) {
        self.name = name
        self.hardwareVersion = hardwareVersion
        self.softDeviceID = softDeviceID
        self.imageCapacity = imageCapacity
        self.acceptsOnlyApplication = acceptsOnlyApplication
    }

    /// nRF52832, S132 7.3.0: from the SoftDevice's end at 0x26000 to 0x75000, 12 KiB before the bootloader, which the application
    /// keeps for its data (monocle-micropython, `bootloader/sdk_config.h`, `NRF_DFU_APP_DATA_AREA_SIZE`).
    public static let monocle = DFUTarget(
        name: "Monocle", hardwareVersion: 52, softDeviceID: 0x0124, imageCapacity: 0x75000 - 0x26000)

    /// nRF52840, S140 7.3.0: from the SoftDevice's end to the bootloader (frame-codebase, `source/memory_layout.ld`).
    public static let frame = DFUTarget(
        name: "Frame", hardwareVersion: 52, softDeviceID: 0x0123, imageCapacity: 0xF5000 - 0x27000)
}
