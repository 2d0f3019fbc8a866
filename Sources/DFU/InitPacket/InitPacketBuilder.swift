import Cryptography
import Foundation
import SwiftProtobuf

/// Makes an init packet for an image.
public struct InitPacketBuilder: Sendable {
    public var kind: FirmwareKind
    /// The number that the bootloader's downgrade prevention compares.
    public var firmwareVersion: UInt32
    public var hardwareVersion: UInt32
    public var softDevices: [UInt32]
    public var image: [UInt8]
    /// How much of the image is the SoftDevice in bytes; only for SoftDevice and bootloader together.
    public var softDeviceByteCount = 0
    /// How the bootloader checks the image at every start: of a SoftDevice with a bootloader one for each.
    public var bootValidations: [BootValidation] = []
    public var isDebug = false

    public init(
        kind: FirmwareKind, image: [UInt8], firmwareVersion: UInt32, hardwareVersion: UInt32, softDevices: [UInt32]
    ) {
        self.kind = kind
        self.image = image
        self.firmwareVersion = firmwareVersion
        self.hardwareVersion = hardwareVersion
        self.softDevices = softDevices
    }

    public init(image: [UInt8], firmwareVersion: UInt32, target: DFUTarget) {
        self.init(
            kind: .application, image: image, firmwareVersion: firmwareVersion, hardwareVersion: target.hardwareVersion,
            softDevices: [target.softDeviceID])
    }

    /// The serialized init command: what has to be signed. The same input gives the same bytes.
    public func commandBytes() throws -> [UInt8] { try serialize(command) }

    /// The packet signed with `key`. ECDSA takes a random number, so two calls differ.
    public func signed(by key: SigningKey) throws -> [UInt8] { try signed(with: key.sign(commandBytes())) }

    /// The packet with a signature that was computed elsewhere over ``commandBytes()``.
    /// - Parameter signature: r‖s, each byte-reversed, 64 bytes.
    public func signed(with signature: [UInt8]) throws -> [UInt8] {
        var packet = WirePacket()
        packet.signedCommand.command = outerCommand
        packet.signedCommand.signatureType = .ecdsaP256Sha256
        packet.signedCommand.signature = Data(signature)
        return try serialize(packet)
    }

    /// The packet without a signature, which the glasses' bootloaders refuse: for tests.
    public func unsigned() throws -> [UInt8] {
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
        command.type = kind.wire
        let sizes = sizes
        command.sdSize = sizes.softDevice
        command.blSize = sizes.bootloader
        command.appSize = sizes.application
        command.hash.hashType = .sha256
        command.hash.hash = Data(SHA256.of(image).reversed())
        command.isDebug = isDebug
        command.bootValidation = bootValidations.map(\.wire)
        return command
    }

    private var sizes: (softDevice: UInt32, bootloader: UInt32, application: UInt32) {
        let size = UInt32(clamping: image.count)
        switch kind {
        case .application, .externalApplication: return (0, 0, size)
        case .softDevice: return (size, 0, 0)
        case .bootloader: return (0, size, 0)
        case .softDeviceAndBootloader:
            let softDevice = min(size, UInt32(clamping: softDeviceByteCount))
            return (softDevice, size - softDevice, 0)
        }
    }

    private func serialize(_ message: some Message) throws -> [UInt8] {
        do {
            return try message.serializedBytes()
        } catch {
            throw DFUError.package(.initPacketInvalid(reason: "it cannot be serialized"))
        }
    }
}
