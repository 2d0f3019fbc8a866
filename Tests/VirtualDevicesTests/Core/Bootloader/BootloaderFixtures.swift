import CCrypto
import Cryptography
import Support
import VirtualDevices

/// A P-256 key pair made for one test.
final class TestSigningKey: Sendable {
    private nonisolated(unsafe) let key: OpaquePointer

    struct Failure: Error {}

    init() throws {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { throw Failure() }
        defer { EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
            EVP_PKEY_generate(context, &made) == 1, let made
        else { throw Failure() }
        key = made
    }

    deinit { EVP_PKEY_free(key) }

    /// x then y, big-endian.
    var publicKey: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 65)
        var length = 0
        EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, &bytes, bytes.count, &length)
        return Array(bytes.dropFirst())
    }

    /// r then s, each byte-reversed as in a DFU package.
    func sign(_ message: [UInt8]) throws -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw Failure() }
        defer { EVP_MD_CTX_free(context) }
        var der = [UInt8](repeating: 0, count: 80)
        var length = der.count
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
            EVP_DigestSign(context, &der, &length, message, message.count) == 1
        else { throw Failure() }
        return try der.withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            guard let signature = d2i_ECDSA_SIG(nil, &start, length) else { throw Failure() }
            defer { ECDSA_SIG_free(signature) }
            var r = [UInt8](repeating: 0, count: 32)
            var s = r
            BN_bn2binpad(ECDSA_SIG_get0_r(signature), &r, 32)
            BN_bn2binpad(ECDSA_SIG_get0_s(signature), &s, 32)
            return r.reversed() + s.reversed()
        }
    }

    static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        SHA256(bytes, bytes.count, &digest)
        return digest
    }
}

/// Writes protobuf fields.
enum WireBytes {
    static func varint(_ value: UInt64) -> [UInt8] {
        value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + varint(value >> 7)
    }

    static func number(_ field: UInt64, _ value: UInt32?) -> [UInt8] {
        value.map { varint(field << 3) + varint(UInt64($0)) } ?? []
    }

    static func bytes(_ field: UInt64, _ content: [UInt8]) -> [UInt8] {
        varint(field << 3 | 2) + varint(UInt64(content.count)) + content
    }
}

/// An init packet to be changed one field at a time; as it stands it suits ``BootloaderUnit``.
struct InitPacketDraft {
    var firmwareVersion: UInt32? = 7
    var hardwareVersion: UInt32? = 52
    var softDevices: [UInt32] = [0x0124]
    var type: UInt32? = 0
    var applicationSize: UInt32?
    var hashType: UInt32 = 3
    var hash: [UInt8]
    var bootValidation: (type: UInt32, bytes: [UInt8])?
    var extraFields: [UInt8] = []
    var signatureType: UInt32 = 0
    var signatureLength = 64

    init(image: [UInt8]) {
        applicationSize = UInt32(image.count)
        hash = TestSigningKey.sha256(image).reversed()
    }

    var initCommand: [UInt8] {
        var bytes = WireBytes.number(1, firmwareVersion) + WireBytes.number(2, hardwareVersion)
        bytes += WireBytes.bytes(3, softDevices.flatMap { WireBytes.varint(UInt64($0)) })
        bytes += WireBytes.number(4, type) + WireBytes.number(7, applicationSize)
        bytes += WireBytes.bytes(8, WireBytes.number(1, hashType) + WireBytes.bytes(2, hash))
        if let validation = bootValidation {
            bytes += WireBytes.bytes(10, WireBytes.number(1, validation.type) + WireBytes.bytes(2, validation.bytes))
        }
        return bytes + extraFields
    }

    private var command: [UInt8] { WireBytes.number(1, 1) + WireBytes.bytes(2, initCommand) }

    var unsigned: [UInt8] { WireBytes.bytes(1, command) }

    func signed(by key: TestSigningKey) throws -> [UInt8] {
        let signature = Array(try key.sign(initCommand).prefix(signatureLength))
        let fields = WireBytes.bytes(1, command) + WireBytes.number(2, signatureType) + WireBytes.bytes(3, signature)
        return WireBytes.bytes(2, fields)
    }
}

/// A virtual bootloader with a hand on it: requests wait in modelled time for their answer.
struct BootloaderUnit {
    var bootloader: SecureBootloader
    var now: Duration = .zero
    var notifications: [[UInt8]] = []
    var events: [SecureBootloader.Effect] = []

    init(
        key: TestSigningKey, storage: BootloaderStorage = BootloaderStorage(), capacity: Int = 65_536,
        power: BootloaderPower = BootloaderPower(), change: (inout BootloaderConfiguration) -> Void = { _ in }
    ) {
        var configuration = BootloaderConfiguration(
            trustedKeys: [key.publicKey], applicationCapacity: capacity)
        change(&configuration)
        bootloader = SecureBootloader(
            configuration: configuration, nonvolatile: storage, now: .zero, staysInBootloader: true, power: power)
        connect()
    }

    mutating func connect() {
        bootloader.connected(now: now)
        bootloader.setControlPointNotifications(true)
    }

    mutating func collect() {
        for effect in bootloader.takeEffects() {
            if case .notify(let bytes) = effect.event { notifications.append(bytes) } else { events.append(effect) }
        }
    }

    mutating func wait(_ duration: Duration) {
        now += duration
        bootloader.advance(to: now)
        collect()
    }

    /// Sends a request and gives its answer; empty when none comes within ten seconds.
    mutating func ask(_ request: [UInt8]) -> [UInt8] {
        notifications.removeAll()
        guard bootloader.writeControlPoint(request, now: now) == nil else { return [] }
        collect()
        let limit = now + .seconds(10)
        while notifications.isEmpty, let deadline = bootloader.nextDeadline, deadline <= limit {
            wait(max(.zero, deadline - now))
        }
        return notifications.isEmpty ? [] : notifications.removeFirst()
    }

    mutating func send(_ packet: [UInt8]) {
        bootloader.writePacket(packet, now: now)
        collect()
    }

    /// Sends in packets of `size`, slowly enough for the flash.
    mutating func stream(_ bytes: some Collection<UInt8>, size: Int = 244, pause: Duration = .milliseconds(6)) {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            send(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
            wait(pause)
        }
    }

    mutating func create(_ type: UInt8, _ size: Int) -> [UInt8] {
        ask([0x01, type] + Self.little(UInt32(size), 4))
    }

    mutating func sendInit(_ packet: [UInt8]) -> [UInt8] {
        _ = create(1, packet.count)
        stream(packet)
        return ask([0x04])
    }

    /// Sends the objects of `image` from `offset` on, the flash settled before each.
    mutating func sendImage(_ image: [UInt8], from offset: Int = 0, to end: Int? = nil) -> [UInt8] {
        var answer: [UInt8] = []
        for start in stride(from: offset, to: end ?? image.count, by: 4096) {
            let object = image[start..<min(start + 4096, image.count)]
            _ = create(2, object.count)
            wait(.milliseconds(300))
            stream(object)
            answer = ask([0x04])
        }
        return answer
    }

    static func little(_ value: UInt32, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
    }

    /// A checksum as the zip tools compute it, by an independent bitwise loop.
    static func crc(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }

    static func state(_ bytes: some Collection<UInt8>) -> [UInt8] {
        little(UInt32(bytes.count), 4) + little(crc(bytes), 4)
    }
}

/// Equality that a failing `#expect` does not spell out byte by byte, which takes minutes for an image.
func isSame<Value: Equatable>(_ left: Value, _ right: Value) -> Bool { left == right }
