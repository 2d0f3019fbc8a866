import Bluetooth
import Foundation
import Support
import Synchronization
import TestSupport
import Testing
@testable import VirtualDevices

/// What survives the chip's power on a made-up unit, and what its model was told.
private final class Memory: Sendable {
    let bond = Mutex<[UInt8]?>(nil)
    let stops = Mutex<[UnitPlatform.StopCause]>([])
}

/// A unit that nobody makes: no bootloader, one service which wants an encrypted link, one bond, a queue of one notification.
private struct MadeUpModel: UnitModel {
    static let service = AttributeID("a0000001-0000-4000-8000-000000000000")
    static let input = AttributeID("a0000002-0000-4000-8000-000000000000")
    static let output = AttributeID("a0000003-0000-4000-8000-000000000000")
    static let open = AttributeID("a0000004-0000-4000-8000-000000000000")
    static let table = GATTTable(services: [
        GATTService(
            id: service,
            characteristics: [
                GATTCharacteristic(id: input, properties: [.write, .command], needsEncryption: true),
                GATTCharacteristic(id: output, properties: [.notify]), GATTCharacteristic(id: open, properties: [.command]),
            ])
    ])

    let memory: Memory
    var nextDeadline: Duration?

    mutating func start(_ image: [UInt8], on unit: inout UnitPlatform) throws {
        #expect(image.isEmpty)
        nextDeadline = unit.now + .milliseconds(500)
    }

    mutating func stop(_ cause: UnitPlatform.StopCause) {
        nextDeadline = nil
        memory.stops.withLock { $0.append(cause) }
    }

    mutating func advance(on unit: inout UnitPlatform) throws {
        nextDeadline = nil
        unit.startRadio(
            as: PeripheralProfile(
                address: unit.address, name: "Made up", advertisedServices: [Self.service], table: Self.table,
                pace: LinkPace(eventLength: .microseconds(2500), supervisionTimeout: .seconds(4)), largestMTU: 100, notificationQueue: 1))
    }

    /// `r` resets, `s` sleeps; anything else comes back, twice where there is room.
    mutating func write(_ value: [UInt8], to characteristic: AttributeID, on unit: inout UnitPlatform) throws -> UInt8? {
        switch value {
        case Array("r".utf8): unit.reset(.crash)
        case Array("s".utf8): unit.sleep()
        default:
            for _ in 0..<2 where unit.freeNotificationPlaces > 0 { unit.notify(Self.output, value) }
        }
        return nil
    }

    mutating func radioChanged(on unit: inout UnitPlatform) throws {}
    mutating func notificationSent(on unit: inout UnitPlatform) throws {}

    mutating func secure(_ request: SecurityRequest, on unit: inout UnitPlatform) throws -> SecurityAnswer {
        memory.bond.withLock { bond in
            switch request {
            case .pair where bond == nil:
                bond = [1, 2, 3]
                return .encrypted(key: [1, 2, 3])
            case .encrypt(let key) where key == bond: return .encrypted(key: key)
            case .pair, .encrypt: return .refused(reason: 0x03, endsLink: true)
            }
        }
    }

    mutating func sense(_ input: UserInput, on unit: inout UnitPlatform) throws { unit.wake() }
}

private struct Central: Sendable {
    let unit: VirtualUnit
    let central: VirtualCentral
    let memory: Memory
    var clock: SessionClock { central.clock }

    func soon(_ seconds: Int = 10) -> SessionClock.Instant { clock.deadline(in: .seconds(seconds)) }

    func connect() async throws -> VirtualConnection {
        try #require(try await central.connect(to: unit.address, deadline: soon()) as? VirtualConnection)
    }

    func secure(_ connection: VirtualConnection, _ request: SecurityRequest) async throws -> SecurityAnswer? {
        let reply = Inbox<SecurityAnswer>()
        try connection.link.send(.secure(request, reply: reply))
        return try await reply.next(before: soon(), on: clock)
    }

    /// A link on which the unit listens.
    func encrypted() async throws -> VirtualConnection {
        let connection = try await connect()
        let request = memory.bond.withLock { $0 }.map(SecurityRequest.encrypt) ?? .pair
        #expect(try await secure(connection, request) == .encrypted(key: [1, 2, 3]))
        return connection
    }
}

private func withMadeUpUnit(_ body: @escaping @Sendable (Central) async throws -> Void) async throws {
    let place = try TemporaryFolder()
    let folder = try UnitFolder(root: place.url.appendingPathComponent("unit"), name: "made up", family: "made-up") { _ in }
    let memory = Memory()
    let design = UnitDesign(
        family: "made-up", link: LinkSettings(largestMTU: 100), bootloader: nil, makeModel: { _ in MadeUpModel(memory: memory) })
    let air = VirtualAir(time: .simulated())
    let unit = try VirtualUnit(folder: folder, design: design, air: air)
    try await air.time.run {
        try await withVirtualUnit(unit) { try await body(Central(unit: unit, central: VirtualCentral(air: air), memory: memory)) }
    }
}

/// The core carries a family of which it knows nothing.
@Suite struct MadeUpUnitTests {
    @Test func aCentralThatPairsIsServedAndComesBackWithItsKey() async throws {
        try await withMadeUpUnit { host in
            let first = try await host.connect()
            #expect(first.payloadSize == 97)
            let refusal = LinkError.refused(MadeUpModel.input, attributeError: 0x05, of: .write)
            await #expect(throws: refusal) { try await first.write([7], to: MadeUpModel.input, deadline: host.soon()) }
            await first.disconnect()
            for _ in 0..<2 {
                let link = try await host.encrypted()
                let output = try await link.subscribe(to: MadeUpModel.output, deadline: host.soon())
                try await link.write([7], to: MadeUpModel.input, deadline: host.soon())
                #expect(try await output.next(before: host.soon(), on: host.clock) == [7])
                // The queue takes one.
                #expect(try await output.next(before: host.soon(1), on: host.clock) == nil)
                await link.disconnect()
            }
        }
    }

    @Test func aStrangerIsRefusedAndSentAway() async throws {
        try await withMadeUpUnit { host in
            await (try host.encrypted()).disconnect()
            let stranger = try await host.connect()
            #expect(try await host.secure(stranger, .pair) == .refused(reason: 0x03, endsLink: true))
            try await stranger.waitUntilGone(deadline: host.soon(1))
            #expect(stranger.link.end == .disconnected("the device refused the pairing"))
        }
    }

    @Test func aWriteIsHeldToTheTable() async throws {
        try await withMadeUpUnit { host in
            let link = try await host.encrypted()
            let refusal = LinkError.refused(MadeUpModel.open, attributeError: 0x03, of: .write)
            await #expect(throws: refusal) { try await link.write([7], to: MadeUpModel.open, deadline: host.soon()) }
            let strange = AttributeID("a0000009-0000-4000-8000-000000000000")
            await #expect(throws: LinkError.characteristicMissing(strange)) { try await link.write([7], to: strange, deadline: host.soon()) }
            await #expect(throws: LinkError.characteristicMissing(MadeUpModel.open)) {
                _ = try await link.subscribe(to: MadeUpModel.open, deadline: host.soon())
            }
        }
    }

    /// A reset, sleep and a cut leave the central with a dead link for its supervision timeout; the model hears of each.
    @Test(arguments: [("r", UnitPlatform.StopCause.reset), ("s", .sleep), ("", .powerLoss)])
    func whateverStopsTheChipStopsTheModel(command: String, cause: UnitPlatform.StopCause) async throws {
        try await withMadeUpUnit { host in
            let link = try await host.encrypted()
            let start = host.clock.now
            if command.isEmpty {
                host.unit.stimulate(.cut(.power))
            } else {
                let channel = try await link.openChannel(to: MadeUpModel.input, deadline: host.soon())
                try await channel.send(Array(command.utf8), deadline: host.soon())
            }
            try await link.waitUntilGone(deadline: host.soon())
            #expect(link.link.end == VirtualLink.supervisionTimeout)
            #expect((Duration.seconds(4)...Duration.seconds(4.1)).contains(start.duration(to: host.clock.now)))
            #expect(host.memory.stops.withLock { $0 } == [cause])
            if cause == .sleep {
                await #expect(throws: LinkError.self) { try await host.central.connect(to: host.unit.address, deadline: host.soon(5)) }
                host.unit.stimulate(.tap(.A))
            }
            _ = try await host.connect()
        }
    }

    @Test func aFolderOfAnotherFamilyIsRefused() throws {
        let place = try TemporaryFolder()
        let folder = try UnitFolder.frame(root: place.url.appendingPathComponent("unit"), name: "x")
        let error = #expect(throws: UnitFolderError.self) {
            try VirtualUnit.monocle(
                folder: folder, configuration: MonocleConfiguration(python: "/nowhere"), air: VirtualAir(time: .simulated()))
        }
        #expect(error?.diagnosis.message.hasSuffix("unit.json: it is no unit of the family monocle") == true)
    }
}
