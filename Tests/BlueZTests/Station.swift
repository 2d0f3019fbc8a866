import Bluetooth
import Foundation
import Support
import TestSupport
import Testing

@testable import BlueZ

/// A bus, a stand-in of bluetoothd with an adapter and one unit on the air, and the central under test.
struct Station {
    static let address = DeviceAddress("C0:FF:EE:00:00:01")!
    static let service = "6e400001-b5a3-f393-e0a9-e50e24dcca9e"
    static let receive = AttributeID("6e400002-b5a3-f393-e0a9-e50e24dcca9e")
    static let transmit = AttributeID("6e400003-b5a3-f393-e0a9-e50e24dcca9e")
    static let clock = SessionClock.continuous

    static var table: [[String: Any]] {
        [
            [
                "uuid": service,
                "characteristics": [
                    ["uuid": receive.description, "flags": ["write", "write-without-response"]],
                    ["uuid": transmit.description, "flags": ["notify"]],
                ],
            ]
        ]
    }

    let bus: PrivateBus
    let daemon: StandIn
    let central: BlueZCentral

    /// What the central told its operator.
    let notices = Notices()

    init(unit: [String: Any]? = [:], powered: Bool = true, adapter: [String: Any] = [:]) async throws {
        bus = try await PrivateBus()
        daemon = try await StandIn(on: bus)
        central = Self.central(on: bus, notice: { [notices] in notices.add($0) })
        try await daemon.tell("adapter", adapter.merging(["powered": powered]) { $1 })
        if let unit { try await addUnit(unit) }
    }

    static func central(
        on bus: PrivateBus, recovery: Duration = .seconds(10), notice: @escaping @Sendable (String) -> Void = { _ in }
    ) -> BlueZCentral {
        BlueZCentral(
            adapter: nil, bus: .at(bus.address), clock: clock,
            timeouts: .init(list: .seconds(5), first: .milliseconds(300), recovery: recovery), notice: notice)
    }

    func addUnit(_ details: [String: Any] = [:], to daemon: StandIn? = nil) async throws {
        let unit: [String: Any] = ["address": Self.address.description, "name": "monocle", "services": Self.table]
        try await (daemon ?? self.daemon).tell("unit", unit.merging(details) { $1 })
    }

    var soon: SessionClock.Instant { Self.clock.deadline(in: .seconds(15)) }

    func connect() async throws -> any Connection { try await central.connect(to: Self.address, deadline: soon) }

    func bond() async throws -> any Connection {
        try await central.connect(to: Self.address, security: .bonded, deadline: soon)
    }

    /// Nothing of ours is left in bluetoothd, on the bus, or in this process.
    /// - Parameters:
    ///   - isConnected: links of everybody.
    ///   - links: this central's of them; all by default.
    func expectNothingLeft(isConnected: Int = 0, links: Int? = nil, _ location: SourceLocation = #_sourceLocation) async throws {
        for (key, value) in [
            ("discoveries", 0), ("agents", 0), ("notifying", 0), ("sockets", 0), ("pendingConnects", 0), ("connected", isConnected)
        ] {
            do {
                try await daemon.until(key, equals: value)
            } catch {
                Issue.record("bluetoothd still sees \(key): \(error)", sourceLocation: location)
            }
        }
        _ = try await daemon.until("matches", equals: SignalRules.standing.count)
        let deadline = soon
        while central.traffic.all[.call] != nil, Self.clock.now < deadline { _ = try await daemon.state() }
        let open = central.traffic.all.filter { [.subscription, .socket, .call, .discovery, .link, .agent].contains($0.key) }
        let kept = links ?? isConnected
        #expect(open == (kept == 0 ? [:] : [.link: kept]), sourceLocation: location)
    }
}

/// Open descriptors of this process.
func openDescriptors() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }

/// Resident memory of this process in bytes.
func residentMemory() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * 4096
}
