import Bluetooth
import Foundation
import Support
import Synchronization
import TestSupport
import Testing
import VirtualFaults

@testable import VirtualDevices

/// What survives the chip's power on a made-up unit, and what its model was told.
final class Memory: Sendable {
    let bond = Mutex<[UInt8]?>(nil)
    let stops = Mutex<[UnitPlatform.StopCause]>([])
    let requests = Mutex<[SecurityRequest]>([])
    /// Keys of earlier pairings do not fit, although the unit keeps its bond.
    let breaksKeys = Mutex(false)
    let knowsPairing = Mutex(true)
    /// Done once, before the next answer to a request for security.
    let answersLate = Mutex<(@Sendable () -> Void)?>(nil)
}

/// A unit that nobody makes: no bootloader, one service which wants an encrypted link, one bond, a queue of one notification.
struct MadeUpModel: UnitModel {
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

    mutating func secure(_ request: SecurityRequest, on unit: inout UnitPlatform) throws -> SecurityAnswer {
        memory.requests.withLock { $0.append(request) }
        memory.answersLate.withLock { act in
            act?()
            act = nil
        }
        guard memory.knowsPairing.withLock({ $0 }) else { return .notSupported }
        let breaksKeys = memory.breaksKeys.withLock { $0 }
        return memory.bond.withLock { bond in
            switch request {
            case .pair where bond == nil:
                bond = [1, 2, 3]
                return .encrypted(key: [1, 2, 3])
            case .encrypt(let key) where key == bond && !breaksKeys: return .encrypted(key: key)
            case .pair, .encrypt: return .refused(reason: 0x03, endsLink: true)
            }
        }
    }

    mutating func sense(_ input: UserInput, on unit: inout UnitPlatform) throws { unit.wake() }
}

struct MadeUpHost: Sendable {
    let unit: VirtualUnit
    let air: VirtualAir
    let central: VirtualCentral
    let memory: Memory
    let notices: Notices
    var clock: SessionClock { central.clock }

    func soon(_ seconds: Int = 10) -> SessionClock.Instant { clock.deadline(in: .seconds(seconds)) }

    func connect() async throws -> VirtualConnection {
        try #require(try await central.connect(to: unit.address, deadline: soon()) as? VirtualConnection)
    }

    func bond(within seconds: Int = 10) async throws -> any Connection {
        try await central.connect(to: unit.address, security: .bonded, deadline: soon(seconds))
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

/// - Parameter times: how often the unit is played on one air, and `body` done.
func withMadeUpUnit(
    times: Int = 1, faults: FaultPlan = FaultPlan(), _ body: @escaping @Sendable (MadeUpHost) async throws -> Void
) async throws {
    let place = try TemporaryFolder()
    let folder = try UnitFolder(root: place.url.appendingPathComponent("unit"), name: "made up", family: "made-up") { _ in }
    let memory = Memory()
    var configuration = UnitConfiguration()
    configuration.faults = faults
    let design = UnitDesign(family: "made-up", configuration: configuration, makeModel: { _ in MadeUpModel(memory: memory) })
    let air = VirtualAir(time: .simulated())
    let notices = Notices()
    let central = VirtualCentral(air: air) { [notices] in notices.add($0) }
    let unit = try VirtualUnit(folder: folder, design: design, air: air)
    try await air.time.run {
        for _ in 0..<times {
            try await withVirtualUnit(unit) {
                try await body(MadeUpHost(unit: unit, air: air, central: central, memory: memory, notices: notices))
            }
        }
    }
}
