import Bluetooth
import Foundation
import Support
import TestSupport
import Testing
import VirtualDevices

/// A virtual Monocle with the committed scripts on it, played in simulated time.
/// - Parameter prepare: gets the unit's folder before it boots.
func withProvisionedUnit(
    largestMTU: Int = 256, prepare: (UnitFolder) throws -> Void = { _ in },
    _ body: @escaping @Sendable (Bench) async throws -> Void
) async throws {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-unit-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    let folder = try UnitFolder.monocle(root: root, name: "test")
    for name in Repository.scriptNames {
        try FileManager.default.copyItem(
            at: Repository.scripts.appendingPathComponent(name), to: root.appendingPathComponent("files/\(name)"))
    }
    try prepare(folder)
    var configuration = UnitConfiguration(python: try TestTools.require(TestTools.python, "the Python of .venv"))
    configuration.largestMTU = largestMTU
    let air = VirtualAir(time: .simulated())
    let unit = try VirtualUnit.monocle(folder: folder, configuration: configuration, air: air)
    try await air.time.run {
        try await withVirtualUnit(unit) {
            try await body(Bench(unit: unit, central: VirtualCentral(air: air), folder: folder))
        }
    }
}

/// A unit, a hand to tap it, and eyes on its display.
struct Bench: Sendable {
    let unit: VirtualUnit
    let central: VirtualCentral
    let folder: UnitFolder

    /// What a person reads, from top to bottom.
    var lines: [String] { VirtualDisplay.lines(of: folder.display).map(\.text) }

    /// The colours of what a person reads.
    var colors: Set<Int> { Set(VirtualDisplay.lines(of: folder.display).map(\.color)) }

    /// Waits until a line is shown; the unit draws within a fraction of a second of its own time.
    func waitForLine(_ line: String, within limit: Duration = .seconds(2)) async throws {
        try await waitForLines(within: limit) { $0.contains(line) }
        #expect(lines.contains(line), "shown: \(lines)")
    }

    /// Waits until these lines and no others are shown.
    func waitForLines(_ expected: [String], within limit: Duration = .seconds(30)) async throws {
        try await waitForLines(within: limit) { $0 == expected }
        #expect(lines == expected)
    }

    private func waitForLines(within limit: Duration, _ areRight: ([String]) -> Bool) async throws {
        let deadline = central.clock.deadline(in: limit)
        while !areRight(lines), central.clock.now < deadline { try await pause(.milliseconds(20)) }
    }

    /// Lets the unit's time pass.
    func pause(_ duration: Duration) async throws {
        try await central.clock.sleep(until: central.clock.deadline(in: duration))
    }

    func tap() { unit.stimulate(.tap(.A)) }

    /// Leaves a finger on a pad for so long.
    func hold(_ duration: Duration = .milliseconds(900)) async throws {
        unit.stimulate(.press(.B))
        try await pause(duration)
        unit.stimulate(.release(.B))
    }

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

    /// Where the unit's program prints its faults.
    static let terminal = AttributeID("6e400003-b5a3-f393-e0a9-e50e24dcca9e")

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

    /// Sends an answer in messages that fit, cut between characters, a little apart: the unit's scheduler is 4 deep.
    func answer(_ text: String) async throws {
        var rest = Array(text.unicodeScalars)[...]
        while !rest.isEmpty {
            var piece: [UInt8] = []
            while let next = rest.first, piece.count + Array(String(next).utf8).count <= connection.payloadSize - 4 {
                piece += Array(String(next).utf8)
                rest = rest.dropFirst()
            }
            try await send(Array("res:".utf8) + piece)
            try await clock.sleep(until: clock.deadline(in: .milliseconds(60)))
        }
    }

    func send(_ command: String, _ text: String = "") async throws {
        try await send(Array((command + text).utf8))
    }

    func send(_ message: [UInt8]) async throws {
        let channel = try await connection.openChannel(
            to: AttributeID("e5700002-7bac-429a-b4ce-57ff900f479d"), deadline: clock.deadline(in: .seconds(1)))
        try await channel.send(message, deadline: clock.deadline(in: .seconds(1)))
    }
}
