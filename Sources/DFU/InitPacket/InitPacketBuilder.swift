import Cryptography
import FoundationEssentials
import SwiftProtobuf

/// Makes an init packet for one image.
public struct InitPacketBuilder: Sendable {
    var kind: FirmwareKind
    var firmwareVersion: UInt32
    var hardwareVersion: UInt32
    var softDevices: [UInt32]
    /// Its size and hash go into the packet.
    public var image: [UInt8]
    /// In bytes; for SoftDevice and bootloader in one image.
    var softDeviceByteCount = 0
    var bootValidations: [BootValidation] = []
    var isDebug = false

    /// For any part of the firmware.
    public init(
        kind: FirmwareKind, image: [UInt8], firmwareVersion: UInt32, hardwareVersion: UInt32, softDevices: [UInt32]
    ) {
        (self.kind, self.image, self.firmwareVersion) = (kind, image, firmwareVersion)
        (self.hardwareVersion, self.softDevices) = (hardwareVersion, softDevices)
    }

    /// An application for a known unit.
    public init(image: [UInt8], firmwareVersion: UInt32, target: DFUTarget) {
        self.init(
            kind: .application, image: image, firmwareVersion: firmwareVersion, hardwareVersion: target.hardwareVersion,
            softDevices: [target.softDeviceID])
    }

    /// What has to be signed. The same input gives the same bytes.
    public func commandBytes() throws -> [UInt8] { try serialize(command) }

    /// The whole packet with an ECDSA signature.
    public func signed(by key: SigningKey) throws -> [UInt8] { try signed(with: key.sign(commandBytes())) }

    /// - Parameter signature: r‖s, each byte-reversed.
    public func signed(with signature: [UInt8]) throws -> [UInt8] {
        var packet = WirePacket()
        packet.signedCommand.command = outerCommand
        packet.signedCommand.signatureType = .ecdsaP256Sha256
        packet.signedCommand.signature = Data(signature)
        return try serialize(packet)
    }

    /// The glasses' bootloaders refuse such a packet.
    func unsigned() throws -> [UInt8] {
        var packet = WirePacket()
        packet.command = outerCommand
        return try serialize(packet)
    }

    private var outerCommand: WireCommand {
        var outer = WireCommand()
        outer.opCode = .init_
        outer.initCommand = command
        return outer
    }

    private var command: WireInitCommand {
        var command = WireInitCommand()
        command.fwVersion = firmwareVersion
        command.hwVersion = hardwareVersion
        command.sdReq = softDevices
        (command.sdSize, command.blSize, command.appSize) = (0, 0, 0)
        let size = UInt32(clamping: image.count)
        switch kind {
        case .application: (command.type, command.appSize) = (.application, size)
        case .externalApplication: (command.type, command.appSize) = (.externalApplication, size)
        case .softDevice: (command.type, command.sdSize) = (.softdevice, size)
        case .bootloader: (command.type, command.blSize) = (.bootloader, size)
        case .softDeviceAndBootloader:
            (command.type, command.sdSize) = (.softdeviceBootloader, min(size, UInt32(clamping: softDeviceByteCount)))
            command.blSize = size - command.sdSize
        }
        command.hash.hashType = .sha256
        command.hash.hash = Data(SHA256.of(image).reversed())
        command.isDebug = isDebug
        command.bootValidation = bootValidations.map(\.wire)
        return command
    }

    private func serialize(_ message: some Message) throws -> [UInt8] {
        do {
            return try message.serializedBytes()
        } catch {
            throw DFUError.package(.initPacketInvalid(reason: "it cannot be serialized"))
        }
    }
}
