import Bluetooth
import Foundation
import REPL
import Support
import Synchronization
import TestSupport
import Testing
import VirtualDevices

@testable import Provisioning

/// What runs on a Monocle uses only what the released firmware has: `Tests/Facts` holds its names and looks for the rest.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"))
struct SentCodeTests {
    @Test func codeOfOursKeepsToTheFirmware() throws {
        #expect(UnitSession.sentCode.count > 20)
        #expect(try FirmwareNames.foreign(pieces: UnitSession.sentCode) == [])
    }

    @Test func scriptsKeepToTheFirmware() throws {
        let folder = TestTools.root.appendingPathComponent("Scripts/monocle")
        var modules: [String: String] = [:]
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        where file.pathExtension == "py" {
            modules[file.deletingPathExtension().lastPathComponent] = try String(contentsOf: file, encoding: .utf8)
        }
        #expect(modules.count >= 5)
        #expect(try FirmwareNames.foreign(modules: modules) == [])
    }

    /// The heap holds a piece twice and what the compiler makes of it; two pieces fit the ring.
    @Test func piecesAreSmall() {
        for code in UnitSession.sentCode { #expect(code.utf8.count <= RemoteHelper.pieceLimit, "\(code)") }
    }

    @Test(arguments: [
        ("import binascii\nbinascii.hexlify(b'')", "binascii.hexlify"), ("_nf.crc32(b'')", "attribute crc32"),
        ("x=memoryview(b'')", "name memoryview"), ("import os\nos.sync()", "os.sync"), ("execfile('x')", "name execfile"),
        ("def f(s):\n return s.H(b'').hexdigest()", "attribute hexdigest"), ("x=b''\nx.hex()", "attribute hex"),
        ("bytes.fromhex('')", "bytes.fromhex"), ("import zlib", "module zlib"), ("_nr().use('hashlib','md5')", "hashlib.md5"),
        ("x=[]\nx[1:2]=b''", "slice assignment"), ("import device\ndevice.serial()", "device.serial"),
        ("class A:\n def __radd__(s,o):\n  pass", "reflected __radd__"), ("from collections import deque", "collections.deque"),
    ])
    func foreignNamesAreFound(code: String, name: String) throws {
        #expect(try FirmwareNames.foreign(pieces: UnitSession.sentCode + [code]) == [name])
    }

    /// Nothing is sent that does not stand in the list: a whole run is listened to.
    @Test func aWholeRunSendsNothingElse() async throws {
        let bench = Bench()
        defer { bench.remove() }
        let assets = try Bench.assets()
        let wire = Wire()
        let passed = try await bench.play { central, monocle in
            let central = ListeningCentral(central: central, wire: wire)
            let run = MonocleRun(central: central, address: monocle.address, assets: assets, options: FlashOptions())
            guard try await run.flash(report: { _ in }).passed else { return false }
            return try await MonocleVerification(central: central, address: monocle.address, assets: assets, isDeep: true)
                .run { _ in }.passed
        }
        #expect(passed)
        let listed = Set(UnitSession.sentCode.map { $0.replacing(/print\('[0-9a-z]+',end=''\)/, with: "") })
        let commands = wire.commands.map { $0.replacing(/print\('[0-9a-z]+',end=''\)/, with: "") }
        let others = Set(commands.filter { !listed.contains($0) })
        // Calls of the helpers' methods, on literals.
        #expect(others.filter { $0.firstMatch(of: /^_n[fs]\.[a-z]+\(/) == nil } == [])
        let calls = others.filter { !$0.hasPrefix("_nf.w(") && !$0.hasPrefix("_ns.a(") }
        #expect(calls.count > 30)
        #expect(try FirmwareNames.foreign(pieces: UnitSession.sentCode + calls) == [])
        #expect(commands.count > 300 && commands.allSatisfy { $0.utf8.count <= PythonCode.maximumPipelinedByteCount })
    }
}

/// What was written to a unit's REPL, cut into commands.
private final class Wire: Sendable {
    private let bytes = Mutex<[UInt8]>([])

    func note(_ packet: [UInt8]) { bytes.withLock { $0 += packet } }

    var commands: [String] {
        bytes.withLock { $0 }.split(separator: 0x04).compactMap { piece in
            let text = piece.filter { $0 > 0x05 }
            return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
        }
    }
}

private struct ListeningCentral: Central {
    let central: VirtualCentral
    let wire: Wire

    var clock: SessionClock { central.clock }
    func discover() async throws -> any Discovery { try await central.discover() }

    func connect(to address: DeviceAddress, deadline: SessionClock.Instant) async throws -> any Connection {
        ListeningConnection(connection: try await central.connect(to: address, deadline: deadline), wire: wire)
    }
}

private struct ListeningConnection: Connection {
    let connection: any Connection
    let wire: Wire

    var address: DeviceAddress { connection.address }
    var payloadSize: Int { connection.payloadSize }

    func write(_ value: [UInt8], to characteristic: AttributeID, deadline: SessionClock.Instant) async throws {
        try await connection.write(value, to: characteristic, deadline: deadline)
    }

    func openChannel(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> any WriteChannel {
        let channel = try await connection.openChannel(to: characteristic, deadline: deadline)
        return characteristic == REPLService.receive ? ListeningChannel(channel: channel, wire: wire) : channel
    }

    func subscribe(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> Inbox<[UInt8]> {
        try await connection.subscribe(to: characteristic, deadline: deadline)
    }

    func disconnect() async { await connection.disconnect() }

    func waitUntilGone(deadline: SessionClock.Instant) async throws {
        try await connection.waitUntilGone(deadline: deadline)
    }
}

private struct ListeningChannel: WriteChannel {
    let channel: any WriteChannel
    let wire: Wire

    func send(_ packet: [UInt8], deadline: SessionClock.Instant) async throws {
        wire.note(packet)
        try await channel.send(packet, deadline: deadline)
    }

    func close() async { await channel.close() }
}
