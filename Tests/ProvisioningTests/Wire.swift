import Bluetooth
import REPL
import Support
import Synchronization
import VirtualDevices

/// What was written to a unit's prompt: packets, and for Python cut into commands.
final class Wire: Sendable {
    private let bytes = Mutex<[UInt8]>([])
    private let sent = Mutex<[[UInt8]]>([])

    func note(_ packet: [UInt8]) {
        bytes.withLock { $0 += packet }
        sent.withLock { $0.append(packet) }
    }

    var packets: [[UInt8]] { sent.withLock { $0 } }

    var commands: [String] {
        bytes.withLock { $0 }.split(separator: 0x04).compactMap { piece in
            let text = piece.filter { $0 > 0x05 }
            return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
        }
    }
}

struct ListeningCentral: Central {
    let central: VirtualCentral
    let wire: Wire

    var clock: SessionClock { central.clock }
    func discover() async throws -> any Discovery { try await central.discover() }

    func connect(
        to address: DeviceAddress, security: LinkSecurity, deadline: SessionClock.Instant
    ) async throws -> any Connection {
        ListeningConnection(connection: try await central.connect(to: address, security: security, deadline: deadline), wire: wire)
    }
}

struct ListeningConnection: Connection {
    let connection: any Connection
    let wire: Wire
    /// What goes to Python's prompt instead of a packet.
    var typing: @Sendable ([UInt8]) -> [[UInt8]] = { [$0] }

    var address: DeviceAddress { connection.address }
    var payloadSize: Int { connection.payloadSize }
    func offers(_ characteristic: AttributeID) -> Bool { connection.offers(characteristic) }
    var isNewlyBonded: Bool { connection.isNewlyBonded }

    func write(_ value: [UInt8], to characteristic: AttributeID, deadline: SessionClock.Instant) async throws {
        if characteristic == LuaService.receive { wire.note(value) }
        try await connection.write(value, to: characteristic, deadline: deadline)
    }

    func openChannel(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> any WriteChannel {
        let channel = try await connection.openChannel(to: characteristic, deadline: deadline)
        return [REPLService.receive, LuaService.receive].contains(characteristic)
            ? ListeningChannel(channel: channel, wire: wire, typing: typing) : channel
    }

    func subscribe(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> Inbox<[UInt8]> {
        try await connection.subscribe(to: characteristic, deadline: deadline)
    }

    func disconnect() async { await connection.disconnect() }

    func waitUntilGone(deadline: SessionClock.Instant) async throws {
        try await connection.waitUntilGone(deadline: deadline)
    }
}

struct ListeningChannel: WriteChannel {
    let channel: any WriteChannel
    let wire: Wire
    let typing: @Sendable ([UInt8]) -> [[UInt8]]

    func send(_ packet: [UInt8], deadline: SessionClock.Instant) async throws {
        for packet in typing(packet) {
            wire.note(packet)
            try await channel.send(packet, deadline: deadline)
        }
    }

    func close() async { await channel.close() }
}
