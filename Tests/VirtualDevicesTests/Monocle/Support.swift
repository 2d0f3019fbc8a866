import Bluetooth
import Foundation
import Support
import TestSupport
import Testing
import VirtualFaults
@testable import VirtualDevices

/// A virtual Monocle in a folder of its own, played in simulated time.
func withUnit<Value: Sendable>(
    time: VirtualTime = .simulated(), faults: FaultPlan = FaultPlan(), linkSetUp: Duration = .milliseconds(400),
    prepare: (UnitFolder) throws -> Void = { _ in },
    _ body: @escaping @Sendable (VirtualUnit, VirtualCentral, UnitFolder) async throws -> Value
) async throws -> Value {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-unit-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    let folder = try UnitFolder.monocle(root: root, name: "test")
    try prepare(folder)
    var configuration = UnitConfiguration(python: try TestTools.require(TestTools.python, "the Python of .venv"))
    configuration.faults = faults
    configuration.linkSetUp = linkSetUp
    let air = VirtualAir(time: time)
    let unit = try VirtualUnit.monocle(folder: folder, configuration: configuration, air: air)
    return try await air.time.run {
        try await withVirtualUnit(unit) { try await body(unit, VirtualCentral(air: air), folder) }
    }
}

/// A person at a terminal: sends bytes to the REPL characteristic and collects what comes back.
struct Terminal: Sendable {
    let connection: any Connection
    let output: Inbox<[UInt8]>
    let clock: SessionClock

    static let receive = AttributeID("6e400002-b5a3-f393-e0a9-e50e24dcca9e")
    static let transmit = AttributeID("6e400003-b5a3-f393-e0a9-e50e24dcca9e")

    /// The unit at its raw prompt.
    static func raw(_ unit: VirtualUnit, _ central: VirtualCentral) async throws -> Terminal {
        let terminal = try await open(unit, central)
        try await terminal.enterRawREPL()
        return terminal
    }

    static func open(_ unit: VirtualUnit, _ central: VirtualCentral) async throws -> Terminal {
        let clock = central.clock
        let connection = try await central.connect(to: unit.address, deadline: clock.deadline(in: .seconds(10)))
        let output = try await connection.subscribe(to: transmit, deadline: clock.deadline(in: .seconds(2)))
        return Terminal(connection: connection, output: output, clock: clock)
    }

    func send(_ text: String) async throws {
        let channel = try await connection.openChannel(to: Self.receive, deadline: clock.deadline(in: .seconds(1)))
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: connection.payloadSize) {
            let piece = Array(bytes[start..<min(bytes.count, start + connection.payloadSize)])
            try await channel.send(piece, deadline: clock.deadline(in: .seconds(5)))
        }
    }

    /// Everything that comes until `ending` has, or nothing has come for `patience`.
    func read(until ending: String, patience: Duration = .seconds(5)) async throws -> String {
        var received: [UInt8] = []
        while !String(decoding: received, as: UTF8.self).hasSuffix(ending) {
            guard let piece = try await output.next(before: clock.deadline(in: patience), on: clock) else { break }
            received += piece
        }
        return String(decoding: received, as: UTF8.self)
    }

    func enterRawREPL() async throws {
        try await send("\u{3}\u{3}\u{1}")
        let answer = try await read(until: "raw REPL; CTRL-B to exit\r\n>")
        #expect(answer.hasSuffix("raw REPL; CTRL-B to exit\r\n>"))
    }

    /// Runs code in the raw REPL; the answer without its frame.
    func run(_ code: String, patience: Duration = .seconds(20)) async throws -> String {
        try await send(code + "\u{4}")
        let answer = try await read(until: "\u{4}>", patience: patience)
        return answer.replacing("\r\n", with: "\n").replacing("\u{4}\u{4}>", with: "").replacing("OK", with: "", maxReplacements: 1)
    }
}
