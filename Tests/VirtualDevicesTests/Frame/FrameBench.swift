import Bluetooth
import Foundation
import Support
import TestSupport
import Testing
import VirtualFaults
@testable import VirtualDevices

/// A virtual Frame in a folder of its own, played in simulated time.
struct FrameBench: Sendable {
    let unit: VirtualUnit
    let air: VirtualAir
    let folder: UnitFolder

    var clock: SessionClock { air.time.clock }

    /// - Parameters:
    ///   - files: of a unit that is bonded already; `nil` for one that is new from the factory.
    ///   - prepare: gets the folder before the unit boots.
    static func run<Value: Sendable>(
        _ firmware: FrameFirmware = .v25_080, files: [String: String]? = [:], faults: FaultPlan = FaultPlan(), trustedKeys: [[UInt8]] = [],
        prepare: (UnitFolder) throws -> Void = { _ in }, _ body: @escaping @Sendable (FrameBench) async throws -> Value
    ) async throws -> Value {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-frame-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let folder = try UnitFolder.frame(root: root, name: "test", firmware: firmware)
        if let files { try folder.leaveFrameFiles(files.mapValues { Array($0.utf8) }) }
        try prepare(folder)
        var configuration = UnitConfiguration(python: try TestTools.require(TestTools.python, "the Python of .venv"))
        configuration.faults = faults
        configuration.trustedKeys += trustedKeys
        let air = VirtualAir(time: .simulated())
        let unit = try VirtualUnit.frame(folder: folder, configuration: configuration, air: air)
        let bench = FrameBench(unit: unit, air: air, folder: folder)
        return try await air.time.run { try await withVirtualUnit(unit) { try await body(bench) } }
    }

    /// A central's link; nothing is encrypted or subscribed yet.
    func connect(mtu: Int = 517, within limit: Duration = .seconds(10)) async throws -> FrameLink {
        var central = VirtualCentral(air: air)
        central.requestedMTU = mtu
        let connection = try await central.connect(to: unit.address, security: .open, deadline: clock.deadline(in: limit))
        return FrameLink(connection: try #require(connection as? VirtualConnection), clock: clock)
    }

    /// The link of the host that is bonded with the unit; a factory-new one is paired.
    func link(mtu: Int = 517) async throws -> FrameLink {
        var link = try await connect(mtu: mtu)
        let bond = try folder.loadBond()
        let answer = try await link.secure(bond.exists ? .encrypt(key: bond.key) : .pair)
        guard case .encrypted = answer else { throw LinkError.disconnected("\(answer)") }
        try await link.subscribe()
        return link
    }

    func wait(_ duration: Duration) async throws { try await clock.sleep(until: clock.deadline(in: duration)) }

    /// The advertisement that comes within this time.
    func sighting(within limit: Duration = .seconds(5)) async throws -> Advertisement? {
        let (id, sightings) = air.startDiscovery()
        defer { air.stopDiscovery(id) }
        return try await sightings.next(before: clock.deadline(in: limit), on: clock)
    }
}

/// One link, and what comes over it.
struct FrameLink: Sendable {
    let connection: VirtualConnection
    let clock: SessionClock
    var output = Inbox<[UInt8]>()

    init(connection: VirtualConnection, clock: SessionClock) { (self.connection, self.clock) = (connection, clock) }

    func secure(_ request: SecurityRequest) async throws -> SecurityAnswer {
        let reply = Inbox<SecurityAnswer>()
        try connection.link.send(.secure(request, reply: reply))
        return try #require(try await reply.next(before: clock.deadline(in: .seconds(5)), on: clock))
    }

    mutating func subscribe() async throws {
        output = try await connection.subscribe(to: FrameAttributes.transmit, deadline: clock.deadline(in: .seconds(2)))
    }

    func write(_ bytes: [UInt8]) async throws {
        try await connection.write(bytes, to: FrameAttributes.receive, deadline: clock.deadline(in: .seconds(5)))
    }

    func write(_ text: String) async throws { try await write(Array(text.utf8)) }

    /// Writes without response, which arrive within one connection event.
    func command(_ packets: [[UInt8]]) async throws {
        let channel = try await connection.openChannel(to: FrameAttributes.receive, deadline: clock.deadline(in: .seconds(1)))
        for packet in packets { try await channel.send(packet, deadline: clock.deadline(in: .seconds(1))) }
    }

    func next(within patience: Duration = .seconds(2)) async throws -> [UInt8]? {
        try await output.next(before: clock.deadline(in: patience), on: clock)
    }

    func text(within patience: Duration = .seconds(2)) async throws -> String? {
        try await next(within: patience).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Writes a command and takes the first notification.
    @discardableResult
    func run(_ lua: String, within patience: Duration = .seconds(2)) async throws -> String? {
        try await write(lua)
        return try await text(within: patience)
    }

    /// Everything that comes until nothing has for a while.
    func all(quiet: Duration = .milliseconds(500)) async throws -> [String] {
        var texts: [String] = []
        while let text = try await text(within: quiet) { texts.append(text) }
        return texts
    }

    func sleep(_ duration: Duration) async throws { try await clock.sleep(until: clock.deadline(in: duration)) }
}
