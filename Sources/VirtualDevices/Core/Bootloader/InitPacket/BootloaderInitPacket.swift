/// An init packet as the bootloader reads it. Limits are those of the SDK's nanopb structures (`dfu-cc.pb.h`):
/// 16 SoftDevice ids, 32 bytes of hash, 64 bytes of signature, three boot validations.
struct BootloaderInitPacket: Sendable, Equatable {
    struct Hash: Sendable, Equatable {
        var type: UInt32
        var bytes: [UInt8]
    }

    /// What the image is (`dfu-cc.proto`, `FwType`).
    enum Kind: UInt32, Sendable {
        case application
        case softDevice
        case bootloader
        case softDeviceAndBootloader
    }

    struct Command: Sendable, Equatable {
        var firmwareVersion: UInt32?
        var hardwareVersion: UInt32?
        var softDevices: [UInt32] = []
        var type: UInt32?
        var softDeviceSize: UInt32?
        var bootloaderSize: UInt32?
        var applicationSize: UInt32?
        var hash: Hash?
        var bootValidations: [Hash] = []

        /// A type that is missing or unknown is caught by the admission.
        var kind: Kind { type.flatMap(Kind.init) ?? .application }
    }

    struct Signature: Sendable, Equatable {
        var type: UInt32
        var bytes: [UInt8]
    }

    var command: Command
    /// What the signature covers: the init command exactly as received, and what stands behind it in its container.
    var commandBytes: [UInt8]
    var signature: Signature?

    /// - Throws: when the bootloader's decoder would refuse the bytes.
    init(_ bytes: [UInt8]) throws {
        var plain: ArraySlice<UInt8>?
        var signed: ArraySlice<UInt8>?
        var reader = BootloaderWireReader(bytes[...], isInner: false)
        while let field = try reader.next() {
            switch field.number {
            case 1: plain = try Self.once(field.value.content(), after: plain)
            case 2: signed = try Self.once(field.value.content(), after: signed)
            default: break
            }
        }
        let container: ArraySlice<UInt8>
        switch (plain, signed) {
        case (let plain?, nil): container = plain
        case (nil, let signed?): (container, signature) = try Self.signedCommand(signed)
        default: throw BootloaderWireReader.Malformed()
        }
        let initCommand = try Self.initCommand(in: container)
        commandBytes = Array(container[initCommand.startIndex...])
        command = try Self.command(initCommand)
    }

    /// The SDK notes where the init command lies and refuses a packet that has two.
    private static func once(
        _ bytes: ArraySlice<UInt8>, after previous: ArraySlice<UInt8>?
    ) throws -> ArraySlice<UInt8> {
        guard previous == nil else { throw BootloaderWireReader.Malformed() }
        return bytes
    }

    private static func signedCommand(_ bytes: ArraySlice<UInt8>) throws -> (ArraySlice<UInt8>, Signature) {
        var command: ArraySlice<UInt8>?
        var type: UInt32?
        var signature: ArraySlice<UInt8>?
        var reader = BootloaderWireReader(bytes)
        while let field = try reader.next() {
            switch field.number {
            case 1: command = try once(field.value.content(), after: command)
            case 2: type = try field.value.number()
            case 3: signature = try field.value.content(limit: 64)
            default: break
            }
        }
        guard let command, let type, let signature else { throw BootloaderWireReader.Malformed() }
        return (command, Signature(type: type, bytes: Array(signature)))
    }

    private static func initCommand(in bytes: ArraySlice<UInt8>) throws -> ArraySlice<UInt8> {
        var initCommand: ArraySlice<UInt8>?
        var reader = BootloaderWireReader(bytes)
        while let field = try reader.next() {
            switch field.number {
            case 1: _ = try field.value.number()
            case 2: initCommand = try once(field.value.content(), after: initCommand)
            default: break
            }
        }
        guard let initCommand else { throw BootloaderWireReader.Malformed() }
        return initCommand
    }

    private static func command(_ bytes: ArraySlice<UInt8>) throws -> Command {
        var command = Command()
        var reader = BootloaderWireReader(bytes)
        while let field = try reader.next() {
            switch field.number {
            case 1: command.firmwareVersion = try field.value.number()
            case 2: command.hardwareVersion = try field.value.number()
            case 3: command.softDevices += try numbers(field.value)
            case 4: command.type = try field.value.number()
            case 5: command.softDeviceSize = try field.value.number()
            case 6: command.bootloaderSize = try field.value.number()
            case 7: command.applicationSize = try field.value.number()
            case 8: command.hash = try hash(field.value.content(), limit: 32)
            case 10: command.bootValidations.append(try hash(field.value.content(), limit: 64))
            default: break
            }
        }
        guard command.softDevices.count <= 16, command.bootValidations.count <= 3 else {
            throw BootloaderWireReader.Malformed()
        }
        return command
    }

    private static func numbers(_ value: BootloaderWireReader.Value) throws -> [UInt32] {
        guard case .bytes(let packed) = value else { return [try value.number()] }
        var reader = BootloaderWireReader(packed)
        return try reader.packedNumbers()
    }

    private static func hash(_ bytes: ArraySlice<UInt8>, limit: Int) throws -> Hash {
        var type: UInt32?
        var content: ArraySlice<UInt8>?
        var reader = BootloaderWireReader(bytes)
        while let field = try reader.next() {
            switch field.number {
            case 1: type = try field.value.number()
            case 2: content = try field.value.content(limit: limit)
            default: break
            }
        }
        guard let type, let content else { throw BootloaderWireReader.Malformed() }
        return Hash(type: type, bytes: Array(content))
    }
}
