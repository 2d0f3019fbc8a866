import Bluetooth
import Foundation
import Support
import Synchronization
import TestSupport
import Testing
import VirtualDevices
import VirtualFaults

@testable import REPL
@testable import ScriptBundle

/// Files on their way through the REPL's input, against the virtual Monocle.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct FileUploadTests {
    private static let set = Result {
        try ScriptSet(files: [
            .init(name: "states.py", bytes: Array(String(repeating: "state = 'audio'  # of the program\n", count: 120).utf8)),
            .init(name: "audio.py", bytes: []),
            .init(name: "noise.py", bytes: SeededNumbers.bytes(3000, seed: 91)),
            .init(name: "control.py", bytes: [0x03, 0x04, 0x1C, 0x0D, 0x0A] + [UInt8](repeating: 0x61, count: 700) + [0x01, 0x02, 0x05]),
            .init(name: "main.py", bytes: Array("print('''\u{3}\\ \u{1C}''')\r\nx = 1\n".utf8)),
        ])
    }

    private func scripts() throws -> ScriptSet { try Self.set.get() }

    /// Over one link.
    private static func attached<Value: Sendable>(
        _ central: VirtualCentral, _ unit: VirtualUnit, _ tap: InputTap, payload: Int = 253, _ body: (PythonREPL) async throws -> Value
    ) async throws -> Value {
        var central = central
        central.requestedMTU = payload + 3
        let connection = try await central.connect(to: unit.address, deadline: central.clock.deadline(in: .seconds(20)))
        do {
            let repl = try await PythonREPL.attach(
                to: ListeningConnection(connection: connection, wire: tap.wire, typing: tap.type), clock: central.clock,
                within: .seconds(30))
            let value = try await body(repl)
            await repl.close()
            await connection.disconnect()
            return value
        } catch {
            await connection.disconnect()
            throw error
        }
    }

    private func attached<Value: Sendable>(
        _ bench: Bench, _ tap: InputTap = InputTap(), payload: Int = 253, _ body: @escaping @Sendable (PythonREPL) async throws -> Value
    ) async throws -> Value {
        try await bench.play { try await Self.attached($0, $1, tap, payload: payload, body) }
    }

    /// - Parameter code: changes the helper.
    private static func install(_ scripts: ScriptSet, _ repl: PythonREPL, after code: String? = nil) async throws -> [String] {
        let installer = ScriptInstaller(repl: repl, scripts: scripts)
        if let code {
            try await installer.session.ensure()
            _ = try await repl.run(PythonCode(code), within: .seconds(5))
        }
        var notices: [String] = []
        _ = try await installer.install(Set(scripts.files.map(\.name))) { if case .notice(let text) = $0 { notices.append(text) } }
        return notices
    }

    private func install(_ bench: Bench, _ tap: InputTap = InputTap(), payload: Int = 253) async throws -> [String] {
        let scripts = try scripts()
        return try await attached(bench, tap, payload: payload) { try await Self.install(scripts, $0) }
    }

    private func expectInstalled(_ bench: Bench, _ comment: Comment? = nil) throws {
        let expected = Dictionary(uniqueKeysWithValues: try scripts().installed.map { ($0.name, $0.bytes) })
        #expect(try UnitFilesTests.held(bench) == expected, comment)
    }

    /// What the air carries, so that a change of it is seen.
    @Test func trafficOfASet() async throws {
        let bench = Bench()
        defer { bench.remove() }
        let tap = InputTap()
        #expect(try await install(bench, tap) == [])
        try expectInstalled(bench)
        let commands = tap.wire.commands
        let own = commands.filter { $0.contains("_ns.") && !$0.contains("class _ns") }
        #expect(own.contains { $0.contains("_ns.go((") } && !own.contains { $0.contains("_ns.a(") }, "\(own)")
        // Looked at, sent, proved, put in place, proved: five digests twice.
        #expect(own.count <= 18, "\(own)")
        let byteCount = tap.wire.packets.reduce(0) { $0 + $1.count }
        // The helper, and headers.
        #expect(byteCount < (try scripts().installed.byteCount) + 7000, "\(byteCount)")
    }

    @Test(arguments: [20, 182, 244]) func anyPayload(size: Int) async throws {
        let bench = Bench()
        defer { bench.remove() }
        #expect(try await install(bench, payload: size) == [])
        try expectInstalled(bench)
    }

    /// What another program on the host types amid the pieces acts on nothing, and changes no file.
    @Test(arguments: [
        [0x03], Array("print(1)\r\n".utf8), [0x03, 0x03, 0x01], [0x04], [0x02], [0x05, 0x41, 0x01], [0xFF, 0x00, 0x0D], [33, 40, 50],
    ] as [[UInt8]])
    func whatIsTypedInBetweenIsRepaired(bytes: [UInt8]) async throws {
        let bench = Bench()
        defer { bench.remove() }
        let tap = InputTap()
        tap.typing.withLock { $0 = { $0.packetsOfPieces % 11 == 5 ? bytes : nil } }
        let notices = try await install(bench, tap)
        try expectInstalled(bench)
        #expect(notices.contains { $0.hasPrefix("data was lost on the way") })
        #expect(!notices.contains { $0.contains("as Python text") }, "\(notices)")
    }

    /// The position, and the loop again: the prompt itself need not be looked for, and no more than the ring goes again.
    @Test func aLostPacketCostsTwoCommands() async throws {
        var traffics: [(commands: Int, bytes: Int)] = []
        for isLost in [false, true] {
            let bench = Bench()
            defer { bench.remove() }
            let tap = InputTap()
            tap.losing.withLock { $0 = isLost ? 9 : nil }
            let notices = try await install(bench, tap)
            #expect(notices.count == (isLost ? 1 : 0), "\(notices)")
            try expectInstalled(bench)
            traffics.append((tap.wire.commands.count, tap.wire.packets.reduce(0) { $0 + $1.count }))
        }
        #expect(traffics[1].commands - traffics[0].commands <= 3, "\(traffics)")
        #expect(traffics[1].bytes - traffics[0].bytes < 2500, "\(traffics)")
    }

    /// The first name is the longest, the second the shortest: all the same a command holds those of its files.
    @Test func filesGoAsManyAsACommandNames() async throws {
        let bench = Bench()
        defer { bench.remove() }
        let names = [String(repeating: "n", count: 53) + ".py", "b.py"] + (10..<38).map { "file\($0).py" }
        let files = names.map { ScriptSet.File(name: $0, bytes: [UInt8](repeating: 0x61, count: 50)) }
        let tap = InputTap()
        let (proven, events) = try await attached(bench, tap) { repl in
            let helper = ScriptHelper(repl: repl)
            try await helper.session.ensure()
            var upload = FileUpload(of: files, to: helper, areNew: true)
            var events: [ScriptEvent] = []
            try await upload.run(memoryByteCount: 50_000) { events.append($0) }
            return (upload.proven, events)
        }
        #expect(proven == Set(files))
        let commands = tap.wire.commands.filter { $0.contains("_ns.go((") }
        #expect(commands.count == 2 && commands.allSatisfy { $0.utf8.count <= PythonCode.maximumPipelinedByteCount }, "\(commands)")
        let done = events.compactMap { if case .uploading(let done, 1500) = $0 { done } else { nil } }
        #expect(done.count == events.count && done == done.sorted() && done.first ?? 0 > 0 && done.last == 1500, "\(events)")
    }

    /// A unit that has too little memory, and one whose Python does not read its input, take text, and that is told.
    @Test(arguments: [
        ("_ns.free=lambda:_ns.say('4096 400000 3999')", "3999 bytes of memory left"),
        ("_ns.__class__.I=0", "as bytes"),
    ]) func aClosedWayIsLeftAtOnce(code: String, reason: String) async throws {
        let bench = Bench()
        defer { bench.remove() }
        let scripts = try scripts()
        let notices = try await attached(bench) { try await Self.install(scripts, $0, after: code) }
        #expect(notices.count == 1 && notices[0].contains("as Python text") && notices[0].contains(reason), "\(notices)")
        try expectInstalled(bench)
    }

    /// Pieces under way and an open file.
    @Test func fourThousandBytesAreEnough() async throws {
        let bench = Bench()
        defer { bench.remove() }
        let scripts = try scripts()
        let notices = try await attached(bench) {
            try await Self.install(scripts, $0, after: "_ns.free=lambda:_ns.say('4096 400000 4000')")
        }
        #expect(notices == [])
    }

    /// An interrupted program holds most of the memory.
    @Test func littleMemoryIsEnough() async throws {
        let bench = Bench()
        defer { bench.remove() }
        let scripts = try scripts()
        let notices = try await attached(bench) { repl in
            return try await Self.install(scripts, repl, after: Self.hog(butFor: 8000))
        }
        #expect(notices == [])
        try expectInstalled(bench)
    }

    /// A program holds all of the unit's memory but for `byteCount` bytes that lie together.
    private static func hog(butFor byteCount: Int) -> String {
        "room=bytearray(\(byteCount))\nhog=0\ntry:\n while 1:hog=(hog,bytes(20))\nexcept MemoryError:room=0\nimport gc\ngc.collect()"
    }

    /// Whoever is told that the unit has no memory restarts it without its program.
    @Test func tooLittleMemoryIsNoLostData() async throws {
        let bench = Bench()
        defer { bench.remove() }
        let scripts = try scripts()
        let (error, notices) = try await attached(bench) { repl in
            let helper = ScriptHelper(repl: repl)
            try await helper.session.ensure()
            _ = try await repl.run(PythonCode(Self.hog(butFor: 1500)), within: .seconds(60))
            var upload = FileUpload(of: scripts.installed, to: helper, areNew: true)
            var notices: [String] = []
            let error = await #expect(throws: REPLError.self) {
                try await upload.run(memoryByteCount: 50_000) { if case .notice(let text) = $0 { notices.append(text) } }
            }
            return (error, notices)
        }
        #expect(error?.isOutOfMemory == true, "\(String(describing: error))")
        #expect(notices.last?.contains("short of memory") == true, "\(notices)")
    }

    /// Its decoding is broken: no piece reaches the prompt, and the files go as text.
    @Test func aWayThatFailsTwiceIsLeft() async throws {
        let bench = Bench()
        defer { bench.remove() }
        let scripts = try scripts()
        let notices = try await attached(bench) { try await Self.install(scripts, $0, after: "_ns.dec=None") }
        #expect(notices.contains { $0.contains("as Python text") && $0.contains("failed twice") }, "\(notices)")
        try expectInstalled(bench)
    }

    /// Until a file is closed its old content can be read, and closing it puts another in its place.
    @Test func whatIsOpenIsNotWhole() async throws {
        let bench = Bench()
        defer { bench.remove() }
        let noise = try #require(try scripts().installed.first { $0.name == "noise.py" })
        try await attached(bench) { repl in
            let helper = ScriptHelper(repl: repl)
            try await helper.session.ensure()
            try await helper.upload([noise], areNew: true, memoryByteCount: 50_000) { _ in }
            #expect(try await helper.missing(of: [noise]) == [])
            #expect(try await helper.position(of: noise) == 0)
            #expect(try await helper.missing(of: [noise]) == [noise])
            await #expect(throws: REPLError.self) { try await helper.session.tell("place(0,'noise.py')") }
            try await helper.replace(noise) { _ in }
        }
        #expect(try UnitFilesTests.held(bench) == [noise.name: noise.bytes])
    }

    /// Lost and damaged packets and signs, lost links, typing, safe mode: in the end the files are right, and nobody has to help.
    @Test(arguments: TestRange.seeds(1000, quick: [0, 1, 2, 3, 4, 299])) func comesThroughFaultsInFiles(seed: UInt64) async throws {
        var generator = SeededNumbers(seed: seed)
        var bench = Bench()
        defer { bench.remove() }
        bench.faults.seed = seed
        bench.faults.loss = [0, 0.004, 0.02].randomElement(using: &generator)!
        bench.faults.corruption = [0, 0.004].randomElement(using: &generator)!
        if Bool.random(using: &generator) { bench.faults.cuts = [Int.random(in: 15...60, using: &generator): .link] }
        let keys: [[UInt8]] = [[0x03], [0x03, 0x03], [0x04], [0x01], [0x1C], Array("x=1\r".utf8), generator.bytes(count: 30)]
        let tap = InputTap()
        let places = Set((0..<Int.random(in: 0...3, using: &generator)).map { _ in Int.random(in: 1...40, using: &generator) })
        let key = keys.randomElement(using: &generator)!
        tap.typing.withLock { $0 = { places.contains($0.packetsOfPieces) ? key : nil } }
        let scripts = try scripts()
        let files = bench.root.appendingPathComponent("files")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        let old = Data("old".utf8)
        try old.write(to: files.appendingPathComponent("main.py"))
        let failures = try await bench.play { central, unit in
            var failures: [String] = []
            while failures.count < 8 {
                do {
                    _ = try await Self.attached(central, unit, tap) { try await Self.install(scripts, $0) }
                    break
                } catch { failures.append("\(error)") }
                // What is begun is never in the place of a file.
                for file in scripts.installed {
                    let held = try? Data(contentsOf: files.appendingPathComponent(file.name))
                    #expect(held == nil || held == Data(file.bytes) || file.name == "main.py" && held == old, "\(file.name)")
                }
            }
            return failures
        }
        #expect(failures.count < 8, "\(failures)")
        try expectInstalled(bench)
    }
}

/// Types into the pieces of files, and loses one of their packets.
final class InputTap: Sendable {
    struct Counts: Sendable {
        var packetsOfPieces = 0
    }

    let wire = Wire()
    let typing = Mutex<@Sendable (Counts) -> [UInt8]?>({ _ in nil })
    /// The number of a packet of pieces.
    let losing = Mutex<Int?>(nil)
    private let counts = Mutex(Counts())

    /// What goes instead of a packet.
    @Sendable func type(_ packet: [UInt8]) -> [[UInt8]] {
        // Only pieces are without an end of a command, and longer than what asks for the prompt.
        guard wire.commands.contains(where: { $0.contains("_ns.go(") }), packet.count > 20, !packet.contains(0x04) else { return [packet] }
        let counts = counts.withLock { counts in
            counts.packetsOfPieces += 1
            return counts
        }
        if losing.withLock({ $0 }) == counts.packetsOfPieces { return [] }
        return [typing.withLock { $0 }(counts), packet].compactMap { $0 }
    }
}
