import Cryptography
import Foundation
import SwiftProtobuf

/// An init packet (`.dat`): the command that announces an image to a bootloader, and the signature over it.
public struct InitPacket: Sendable, Hashable {
    /// The largest command object the bootloaders take in bytes (nRF5 SDK, `INIT_COMMAND_MAX_SIZE`).
    public static let sizeLimit = 512

    /// What the bootloader's memory holds (nRF5 SDK, `dfu-cc.options`).
    private static let softDeviceLimit = 16
    private static let validationLimit = 3
    /// Of one boot validation, of whatever kind.
    private static let validationByteLimit = 64

    public enum SignatureType: String, Sendable, Hashable {
        case ecdsaP256 = "ECDSA P-256 SHA-256"
        case ed25519 = "Ed25519"
        case unknown
    }

    public struct Signature: Sendable, Hashable {
        public let type: SignatureType
        /// r‖s, each byte-reversed, for ECDSA.
        public let bytes: [UInt8]
    }

    /// As it goes over the air.
    public let bytes: [UInt8]
    public let command: InitCommand
    /// The serialized init command exactly as received: what the signature covers.
    public let signedBytes: [UInt8]
    /// `nil` for an unsigned packet, which the glasses' bootloaders refuse.
    public let signature: Signature?

    /// Parses a packet without trusting it.
    /// - Throws: ``DFUError/package(_:)`` for one that is too large, malformed or incomplete.
    public init(parsing bytes: [UInt8]) throws {
        guard bytes.count <= Self.sizeLimit else {
            throw DFUError.package(.initPacketTooLarge(byteCount: bytes.count, limit: Self.sizeLimit))
        }
        let packet: WirePacket
        do {
            packet = try WirePacket(serializedBytes: bytes)
        } catch {
            throw Self.invalid("it is no protobuf message")
        }
        guard packet.hasSignedCommand != packet.hasCommand else {
            throw Self.invalid("it must hold one command, signed or unsigned")
        }
        let wire = packet.hasSignedCommand ? packet.signedCommand.command : packet.command
        guard !wire.hasOpCode || wire.opCode == .init_ else { throw Self.invalid("its command is not `init`") }
        guard let range = try Self.commandRange(in: bytes) else { throw Self.invalid("it has no init command") }
        self.bytes = bytes
        command = try InitCommand(wire.initCommand)
        guard command.softDevices.count <= Self.softDeviceLimit, command.bootValidations.count <= Self.validationLimit,
            command.bootValidations.allSatisfy({ $0.bytes.count <= Self.validationByteLimit })
        else {
            throw Self.invalid("it lists more than a bootloader reads")
        }
        signedBytes = Array(bytes[range])
        signature = packet.hasSignedCommand ? Self.signature(of: packet.signedCommand) : nil
    }

    /// Packet.signed_command (2) or Packet.command (1) → SignedCommand.command (1) → Command.init (2).
    ///
    /// The bootloader takes all from the init command to the end of the Command for what is signed (nRF5 SDK,
    /// `pb_decoding_callback`), so nothing may follow it there.
    private static func commandRange(in bytes: [UInt8]) throws -> Range<Int>? {
        let reader = WireReader(bytes)
        var outer = try reader.onlyField(1, in: 0..<bytes.count)
        if let signed = try reader.onlyField(2, in: 0..<bytes.count) {
            outer = try reader.onlyField(1, in: signed)
        }
        guard let outer, let inner = try reader.onlyField(2, in: outer) else { return nil }
        guard inner.upperBound == outer.upperBound else { throw invalid("something follows its init command") }
        try reader.checkFields(in: inner)
        return inner
    }

    private static func signature(of signed: WireSignedCommand) -> Signature? {
        guard signed.hasSignature, !signed.signature.isEmpty else { return nil }
        guard signed.hasSignatureType else { return Signature(type: .unknown, bytes: Array(signed.signature)) }
        let type: SignatureType = signed.signatureType == .ecdsaP256Sha256 ? .ecdsaP256 : .ed25519
        return Signature(type: type, bytes: Array(signed.signature))
    }

    private static func invalid(_ reason: String) -> DFUError { .package(.initPacketInvalid(reason: reason)) }
}
