import Bluetooth
import Foundation
import TestSupport
import Testing
import VirtualDevices

/// A virtual Monocle with the committed scripts on it, played in simulated time.
/// - Parameter prepare: gets the unit's folder before it boots.
func withProvisionedUnit(
    prepare: (URL) throws -> Void = { _ in }, _ body: @escaping @Sendable (Bench) async throws -> Void
) async throws {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-unit-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    let folder = try UnitFolder(root: root, name: "test")
    for name in Repository.scriptNames {
        try FileManager.default.copyItem(
            at: Repository.scripts.appendingPathComponent(name), to: root.appendingPathComponent("files/\(name)"))
    }
    try prepare(root)
    let air = VirtualAir(time: .simulated())
    let unit = try VirtualMonocle(
        folder: folder, configuration: MonocleConfiguration(python: try TestTools.require(TestTools.python, "the Python of .venv")), air: air)
    try await air.time.run {
        try await withVirtualMonocle(unit) {
            try await body(Bench(unit: unit, central: VirtualCentral(air: air), folder: root))
        }
    }
}

/// A unit, a hand to tap it, and eyes on its display.
struct Bench: Sendable {
    let unit: VirtualMonocle
    let central: VirtualCentral
    let folder: URL

    private struct Item: Decodable {
        var text: String?
        var x: Int?
        var y: Int?
        var color: Int
    }

    /// The lines on the display from top to bottom, and the colour of the first.
    func display() -> (lines: [String], color: Int?) {
        let content = (try? Data(contentsOf: folder.appendingPathComponent("display.json"))) ?? Data()
        let items = (try? JSONDecoder().decode([Item].self, from: content)) ?? []
        return (items.compactMap(\.text), items.first?.color)
    }

    /// Waits for a line; the unit draws within a fraction of a second of its own time.
    func waitForLine(_ line: String, within limit: Duration = .seconds(2)) async throws {
        let deadline = central.clock.deadline(in: limit)
        while !display().lines.contains(line), central.clock.now < deadline { try await pause(.milliseconds(20)) }
        #expect(display().lines.contains(line), "shown: \(display().lines)")
    }

    /// Lets the unit's time pass.
    func pause(_ duration: Duration) async throws {
        try await central.clock.sleep(until: central.clock.deadline(in: duration))
    }

    func tap() { unit.hand(.tap(pad: "A")) }

    func connectPhone() async throws -> Phone {
        let clock = central.clock
        let connection = try await central.connect(to: unit.address, deadline: clock.deadline(in: .seconds(10)))
        let output = try await connection.subscribe(
            to: AttributeID("e5700003-7bac-429a-b4ce-57ff900f479d"), deadline: clock.deadline(in: .seconds(2)))
        return Phone(connection: connection, output: output, clock: clock)
    }
}

/// The phone app's end of the data characteristic.
struct Phone: Sendable {
    struct Message: Sendable, Equatable {
        var command: String
        var data: [UInt8]

        init(_ command: String, _ data: [UInt8] = []) { (self.command, self.data) = (command, data) }
    }

    let connection: any Connection
    let output: Inbox<[UInt8]>
    let clock: SessionClock

    func next(within limit: Duration = .seconds(5)) async throws -> Message? {
        guard let bytes = try await output.next(before: clock.deadline(in: limit), on: clock) else { return nil }
        #expect(bytes.count >= 4 && bytes.count <= connection.payloadSize)
        return Message(String(decoding: bytes.prefix(4), as: UTF8.self), Array(bytes.dropFirst(4)))
    }

    /// The data of consecutive messages of one kind, and the message that came after them.
    func collect(_ command: String) async throws -> (pieces: [[UInt8]], following: Message?) {
        var pieces: [[UInt8]] = []
        while let message = try await next() {
            guard message.command == command else { return (pieces, message) }
            pieces.append(message.data)
        }
        return (pieces, nil)
    }

    func send(_ command: String, _ text: String = "") async throws {
        let channel = try await connection.openChannel(
            to: AttributeID("e5700002-7bac-429a-b4ce-57ff900f479d"), deadline: clock.deadline(in: .seconds(1)))
        try await channel.send(Array((command + text).utf8), deadline: clock.deadline(in: .seconds(1)))
    }
}
