import Cryptography
import FoundationEssentials
import Support
import SwiftProtobuf

/// An init packet (`.dat`) announces an image to a bootloader, and is signed.
public struct InitPacket: Sendable, Hashable {
    /// In bytes (nRF5 SDK, `INIT_COMMAND_MAX_SIZE`).
    public static let sizeLimit = 512

    /// What the bootloader's memory holds (nRF5 SDK, `dfu-cc.options`).
    private static let softDeviceLimit = 16
    private static let validationLimit = 3
    private static let validationByteLimit = 64

    /// How ``Signature/bytes`` were made.
    public enum SignatureType: String, Sendable, Hashable {
        /// The one that Nordic's tools make.
        case ecdsaP256 = "ECDSA P-256 SHA-256"
        /// In Nordic's definition, and refused here.
        case ed25519 = "Ed25519"
        /// A number that Nordic's definition does not have.
        case unknown
    }

    /// Over ``InitPacket/signedBytes``.
    public struct Signature: Sendable, Hashable {
        /// The algorithm that the packet names.
        public let type: SignatureType
        /// r‖s, each byte-reversed, for ECDSA.
        public let bytes: [UInt8]
    }

    /// The packet as it is sent.
    public let bytes: [UInt8]
    /// What the packet says of its image.
    public let command: InitCommand
    /// The init command exactly as received.
    public let signedBytes: [UInt8]
    /// `nil` for an unsigned packet, which a released bootloader refuses.
    public let signature: Signature?

    /// Reads a packet of at most ``sizeLimit`` bytes, and throws ``DFUError/package(_:)`` for anything odd.
    public init(parsing bytes: [UInt8]) throws {
        guard bytes.count <= Self.sizeLimit else {
            throw DFUError.package(.initPacketTooLarge(byteCount: bytes.count, limit: Self.sizeLimit))
        }
        guard let packet = try? WirePacket(serializedBytes: bytes) else { throw Self.invalid("it is no protobuf message") }
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
        else { throw Self.invalid("it lists more than a bootloader reads") }
        signedBytes = Array(bytes[range])
        signature = packet.hasSignedCommand ? Self.signature(of: packet.signedCommand) : nil
    }

    /// Packet.signed_command (2) or Packet.command (1) → SignedCommand.command (1) → Command.init (2).
    ///
    /// The bootloader treats everything from the init command to the end of the Command as signed (nRF5 SDK, `pb_decoding_callback`), so
    /// nothing may follow it there.
    private static func commandRange(in bytes: [UInt8]) throws -> Range<Int>? {
        let reader = WireReader(bytes: bytes)
        var outer = try reader.onlyField(1, in: 0..<bytes.count)
        if let signed = try reader.onlyField(2, in: 0..<bytes.count) { outer = try reader.onlyField(1, in: signed) }
        guard let outer, let inner = try reader.onlyField(2, in: outer) else { return nil }
        guard inner.upperBound == outer.upperBound else { throw invalid("something follows its init command") }
        try reader.checkFields(in: inner)
        return inner
    }

    private static func signature(of signed: WireSignedCommand) -> Signature? {
        guard signed.hasSignature, !signed.signature.isEmpty else { return nil }
        let known: SignatureType = signed.signatureType == .ecdsaP256Sha256 ? .ecdsaP256 : .ed25519
        return Signature(type: signed.hasSignatureType ? known : .unknown, bytes: Array(signed.signature))
    }

    private static func invalid(_ reason: String) -> DFUError { .package(.initPacketInvalid(reason: reason)) }

    /// In the order in which a bootloader finds fault.
    func check(against target: DFUTarget) throws {
        try checkHashType()
        guard command.hardwareVersion == target.hardwareVersion else {
            throw DFUError.package(.otherProduct(wants: "hardware version \(command.hardwareVersion)", has: "\(target.hardwareVersion)"))
        }
        guard suits(softDevice: target.softDeviceID) else {
            let wanted = command.softDevices.map { String(printf: "0x%04X", $0) }.joined(separator: ", ")
            throw DFUError.package(.otherProduct(wants: "SoftDevice \(wanted)", has: String(printf: "0x%04X", target.softDeviceID)))
        }
        guard command.imageSize > 0, command.imageSize <= target.imageCapacity else {
            throw DFUError.package(.imageTooLarge(byteCount: Int(clamping: command.imageSize), capacity: target.imageCapacity))
        }
    }

    func checkHashType() throws {
        guard command.hashType == .sha256 else { throw Self.invalid("it carries no SHA-256 of the image") }
    }

    /// A first id of 0 asks to overwrite the SoftDevice: a bootloader over Bluetooth takes it for an application, alone
    /// (nRF5 SDK, `nrf_dfu_ver_validation.c`, `sd_req_ok`).
    private func suits(softDevice id: UInt32) -> Bool {
        guard command.softDevices.first == 0 else { return command.softDevices.contains(id) }
        return command.kind == .application && command.softDevices.count == 1
    }

    /// - Returns: the key that matches.
    func verify(with keys: [TrustedKey]) throws -> TrustedKey {
        guard let signature else { throw DFUError.package(.unsigned) }
        guard signature.type == .ecdsaP256, signature.bytes.count == P256.signatureByteCount else {
            throw DFUError.package(.signatureTypeUnsupported(type: signature.type.rawValue))
        }
        guard let key = keys.first(where: { $0.verifies(signature.bytes, over: signedBytes) }) else {
            throw DFUError.package(.signatureNotTrusted(keys: keys.map(\.name)))
        }
        return key
    }
}
