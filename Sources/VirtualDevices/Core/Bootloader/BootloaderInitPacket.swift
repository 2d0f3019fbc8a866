/// An init packet as the bootloader reads it, with the limits of the SDK's nanopb structures (`dfu-cc.pb.h`): 16 SoftDevice
/// ids, 32 bytes of hash, 64 bytes of signature, three boot validations.
struct BootloaderInitPacket: Sendable, Equatable {
    struct Typed: Sendable, Equatable {
        var type: UInt32
        var bytes: [UInt8]
    }

    /// The kind of image (`dfu-cc.proto`, `FwType`).
    enum Kind: UInt32, Sendable { case application, softDevice, bootloader, softDeviceAndBootloader }

    struct Command: Sendable, Equatable {
        let firmwareVersion, hardwareVersion: UInt32?
        let softDevices: [UInt32]
        let type: UInt32?
        let softDeviceSize, bootloaderSize, applicationSize: UInt32?
        let hash: Typed?
        let bootValidations: [Typed]

        /// The admission rejects a missing or unknown type.
        var kind: Kind { type.flatMap(Kind.init) ?? .application }
    }

    let command: Command
    /// The signed bytes: the init command as received, and what follows it in its container.
    let commandBytes: [UInt8]
    let signature: Typed?

    /// - Throws: if the bootloader's decoder would refuse the bytes.
    init(_ bytes: [UInt8]) throws {
        let packet = try BootloaderMessage(bytes[...], isInner: false)
        let container: ArraySlice<UInt8>
        switch (try packet.onlyContent(1), try packet.onlyContent(2)) {
        case (let plain?, nil): (container, signature) = (plain, nil)
        case (nil, let signed?):
            let message = try BootloaderMessage(signed)
            guard let command = try message.onlyContent(1) else { throw BootloaderMessage.Malformed() }
            (container, signature) = (command, try message.typed(2, 3, limit: 64))
        default: throw BootloaderMessage.Malformed()
        }
        let message = try BootloaderMessage(container)
        _ = try message.number(1)
        guard let command = try message.onlyContent(2) else { throw BootloaderMessage.Malformed() }
        commandBytes = Array(container[command.startIndex...])
        self.command = try Command(try BootloaderMessage(command))
    }
}

extension BootloaderInitPacket.Command {
    fileprivate init(_ message: BootloaderMessage) throws {
        firmwareVersion = try message.number(1)
        hardwareVersion = try message.number(2)
        softDevices = try message.numbers(3)
        type = try message.number(4)
        softDeviceSize = try message.number(5)
        bootloaderSize = try message.number(6)
        applicationSize = try message.number(7)
        hash = try message.contents(8).map { try BootloaderMessage($0).typed(1, 2, limit: 32) }.last
        bootValidations = try message.contents(10).map { try BootloaderMessage($0).typed(1, 2, limit: 64) }
        guard softDevices.count <= 16, bootValidations.count <= 3 else { throw BootloaderMessage.Malformed() }
    }
}

/// One protobuf message as the bootloader's nanopb reads it: unknown fields are skipped by wire type, groups are an error, a
/// zero tag ends the message, and bytes left after it in an inner message are an error. The last value of a repeated field
/// counts.
struct BootloaderMessage {
    struct Malformed: Error {}

    private enum Value {
        case varint(UInt64)
        case bytes(ArraySlice<UInt8>)
        /// A fixed-width number; no init packet field has one.
        case fixed

        var number: UInt32 {
            get throws {
                guard case .varint(let value) = self, let number = UInt32(exactly: value) else { throw Malformed() }
                return number
            }
        }
    }

    private var fields: [UInt64: [Value]] = [:]

    init(_ bytes: ArraySlice<UInt8>, isInner: Bool = true) throws {
        var rest = bytes
        while !rest.isEmpty {
            let tag = try Self.varint(&rest)
            guard tag != 0 else {
                if isInner, !rest.isEmpty { throw Malformed() }
                return
            }
            fields[tag >> 3, default: []].append(try Self.value(&rest, wireType: tag & 7))
        }
    }

    func number(_ field: UInt64) throws -> UInt32? { try fields[field]?.map { try $0.number }.last }

    /// A repeated field, packed or not.
    func numbers(_ field: UInt64) throws -> [UInt32] {
        try (fields[field] ?? []).flatMap { value -> [UInt32] in
            guard case .bytes(var packed) = value else { return [try value.number] }
            var numbers: [UInt32] = []
            while !packed.isEmpty { numbers.append(try Value.varint(Self.varint(&packed)).number) }
            return numbers
        }
    }

    /// - Parameter limit: the field's array size in the bootloader.
    func contents(_ field: UInt64, limit: Int = .max) throws -> [ArraySlice<UInt8>] {
        try (fields[field] ?? []).map { value in
            guard case .bytes(let bytes) = value, bytes.count <= limit else { throw Malformed() }
            return bytes
        }
    }

    /// The SDK records the position of the init command and refuses a packet with two.
    func onlyContent(_ field: UInt64) throws -> ArraySlice<UInt8>? {
        let contents = try contents(field)
        guard contents.count < 2 else { throw Malformed() }
        return contents.first
    }

    func typed(_ type: UInt64, _ content: UInt64, limit: Int) throws -> BootloaderInitPacket.Typed {
        guard let type = try number(type), let bytes = try contents(content, limit: limit).last else { throw Malformed() }
        return BootloaderInitPacket.Typed(type: type, bytes: Array(bytes))
    }

    private static func value(_ rest: inout ArraySlice<UInt8>, wireType: UInt64) throws -> Value {
        switch wireType {
        case 0: return .varint(try varint(&rest))
        case 1: _ = try take(8, &rest)
        case 2: return .bytes(try take(varint(&rest), &rest))
        case 5: _ = try take(4, &rest)
        default: throw Malformed()
        }
        return .fixed
    }

    private static func varint(_ rest: inout ArraySlice<UInt8>) throws -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard let byte = rest.popFirst() else { throw Malformed() }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        throw Malformed()
    }

    private static func take(_ count: UInt64, _ rest: inout ArraySlice<UInt8>) throws -> ArraySlice<UInt8> {
        guard count <= UInt64(rest.count) else { throw Malformed() }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }
}
