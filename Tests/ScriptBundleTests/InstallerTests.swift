import Foundation
import Glibc
import REPL
import Support
import TestSupport
import Testing

@testable import ScriptBundle

struct FilePieceTests {
    /// A piece that goes on a byte into the next packet costs an event of the link.
    @Test(arguments: [20, 182, 244]) func piecesEndWherePacketsDo(packetByteCount: Int) {
        var numbers = SeededNumbers(seed: 4)
        let forbidden = InputPiece.forbidden.sorted()
        let files = (0..<4).map { number in
            let bytes = (0..<3000).map { index -> UInt8 in
                let isForbidden = number > 0 && index % (number + 1) == 0
                return isForbidden ? forbidden.randomElement(using: &numbers)! : UInt8.random(in: 0x20...0x7E, using: &numbers)
            }
            return ScriptSet.File(name: "f\(number).py", bytes: bytes)
        }
        let pieces = FilePiece.pieces(of: files, from: 0, packetByteCount: packetByteCount)
        let most = max(packetByteCount, 240 / packetByteCount * packetByteCount)
        var sent = 0
        for piece in pieces {
            let room = most - sent % packetByteCount
            #expect(piece.bytes.count <= (room < InputPiece.headerByteCount + 32 ? room + packetByteCount : room))
            sent += piece.bytes.count
        }
        #expect(pieces.last?.end == 3000 && Set(pieces.map(\.file)) == [0, 1, 2, 3])
    }
}

/// The installer against real MicroPython and its file system.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized) struct InstallerTests {
    private func scripts(seed: UInt64) throws -> ScriptSet {
        var generator = SeededNumbers(seed: seed)
        return try ScriptSet(files: [
            .init(name: "main.py", bytes: Array("print('''\u{3}\\ \u{1C}''')\r\nx = 1\n".utf8)),
            .init(name: "states.py", bytes: generator.bytes(count: 5000)),
            .init(name: "audio.py", bytes: []),
            .init(name: "extra.py", bytes: Array(0...255)),
        ])
    }

    private func attach(_ host: MicroPythonHost) async throws -> PythonREPL {
        try await PythonREPL.attach(to: host, clock: .continuous, within: .seconds(20))
    }

    private func contents(_ folder: URL) throws -> [String: [UInt8]] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        return try Dictionary(uniqueKeysWithValues: names.filter { $0 != "modules" }.map {
            ($0, [UInt8](try Data(contentsOf: folder.appendingPathComponent($0))))
        })
    }

    private func expectInstalled(_ set: ScriptSet, in folder: URL) throws {
        let expected = Dictionary(uniqueKeysWithValues: set.installed.map { ($0.name, $0.bytes) })
        #expect(try contents(folder) == expected)
    }

    @Test func installsExactBytesAndFindsThemCurrent() async throws {
        let folder = try makeUnitFolder()
        let host = try MicroPythonHost(folder: folder, heap: "48k")
        defer { host.endAndRemove() }
        try Data("stale".utf8).write(to: folder.appendingPathComponent("old.py.noafw"))
        let repl = try await attach(host)
        let set = try scripts(seed: 71)
        #expect(try await ScriptInstaller.installedVersion(repl) == nil)
        let installer = ScriptInstaller(repl: repl, scripts: set, way: .literals)
        let outcome = try await installer.install()
        #expect(outcome.replaced == set.files.map(\.name))
        try expectInstalled(set, in: folder)
        #expect(try await ScriptInstaller.installedVersion(repl) == set.version)
        #expect(try await ScriptInstaller.runningVersion(repl) == nil)
        // What the host's interpreter brings along.
        #expect(try await installer.deepCheck() == [.extra("modules/")])
        #expect(try await installer.install() == ScriptOutcome(replaced: [], bytesSent: 0))
        #expect(host.droppedByteCount == 0)
    }

    /// No answer may be as long as the unit's ring: names come in pages.
    @Test func manyFilesAreListedInPages() async throws {
        let folder = try makeUnitFolder()
        let host = try MicroPythonHost(folder: folder)
        defer { host.endAndRemove() }
        var names = (0..<60).map { "\(String(repeating: "n", count: 12 + $0)).txt" }
        names.append(String(repeating: "x", count: 255))
        names.append("☕️ \u{3}\n.py")
        for name in names { try Data().write(to: folder.appendingPathComponent(name)) }
        let repl = try await attach(host)
        let helper = ScriptHelper(repl: repl)
        try await helper.session.ensure()
        #expect(try await helper.names().sorted() == (names + ["modules/"]).sorted())
        #expect(host.longestAnswer < 1000)
    }

    /// What the air carries: commands and bytes.
    @Test func trafficOfAnInstallation() async throws {
        let host = try MicroPythonHost(folder: try makeUnitFolder(), heap: "48k")
        defer { host.endAndRemove() }
        let repl = try await attach(host)
        let installer = ScriptInstaller(repl: repl, scripts: try scripts(seed: 71), way: .literals)
        _ = host.takeTraffic()
        _ = try await installer.install()
        let install = host.takeTraffic()
        _ = try await installer.deepCheck()
        let deep = host.takeTraffic()
        #expect(deep.commands == 5 && deep.bytes < 310)
        #expect(install.commands < 70 && install.bytes < 12_500)
    }

    @Test func drifIsFoundAndOnlyThatPartIsRepaired() async throws {
        let folder = try makeUnitFolder()
        let host = try MicroPythonHost(folder: folder)
        defer { host.endAndRemove() }
        let repl = try await attach(host)
        let set = try scripts(seed: 72)
        let installer = ScriptInstaller(repl: repl, scripts: set, way: .literals)
        _ = try await installer.install()
        var bytes = set.installed[0].bytes
        bytes[100] ^= 1
        try Data(bytes).write(to: folder.appendingPathComponent("states.py"))
        try FileManager.default.removeItem(at: folder.appendingPathComponent("audio.py"))
        try Data("x".utf8).write(to: folder.appendingPathComponent("foreign.py"))
        #expect(try await installer.deepCheck() == [
            .differs("states.py", expected: 5000, actual: 5000), .missing("audio.py"), .extra("foreign.py"), .extra("modules/"),
        ])
        #expect(try await installer.install().replaced == ["states.py", "audio.py"])
        #expect(try await installer.deepCheck() == [.extra("foreign.py"), .extra("modules/")])
    }

    /// Each file is told by a name of its own, however alike they look.
    @Test func filesThatLookAlikeAreSeveral() async throws {
        let folder = try makeUnitFolder()
        let host = try MicroPythonHost(folder: folder)
        defer { host.endAndRemove() }
        let repl = try await attach(host)
        let installer = ScriptInstaller(repl: repl, scripts: try scripts(seed: 76), way: .literals)
        _ = try await installer.install()
        for name in ["\u{E9}.txt", "e\u{301}.txt", "main.py "] { close(open(folder.path + "/" + name, O_CREAT | O_WRONLY, 0o600)) }
        let found = Set(try await installer.deepCheck().map(\.description))
        #expect(found == Set(["\u{E9}.txt", "e\\u{301}.txt", "\"main.py \"", "modules/"].map { ScriptDifference.extra($0).description }))
    }

    /// A program has gone into a folder of its own: what is looked at and installed is the root's.
    @Test func theRootIsMeantWhereverAProgramHasGone() async throws {
        let folder = try makeUnitFolder()
        let host = try MicroPythonHost(folder: folder)
        defer { host.endAndRemove() }
        let repl = try await attach(host)
        let installer = ScriptInstaller(repl: repl, scripts: try scripts(seed: 75), way: .literals)
        let leave = "import os\ntry:\n os.mkdir('songs')\nexcept OSError:\n pass\nos.chdir('songs')"
        _ = try await repl.runText(leave, within: .seconds(20))
        _ = try await installer.install()
        _ = try await repl.runText(leave.replacing("os.chdir('songs')", with: "os.chdir('/');os.chdir('songs')"), within: .seconds(20))
        #expect(try await installer.deepCheck() == [.extra("modules/"), .extra("songs/")])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent("songs").path).isEmpty)
    }

    /// The new files are uploaded and proved, then the unit loses power: no version is claimed, and nothing is sent twice.
    @Test func aRunThatWasInterruptedGoesOn() async throws {
        let folder = try makeUnitFolder()
        let host = try MicroPythonHost(folder: folder)
        defer { host.endAndRemove() }
        let repl = try await attach(host)
        let set = try scripts(seed: 73)
        for file in set.installed {
            try Data(file.bytes).write(to: folder.appendingPathComponent(file.name == "states.py" ? "states.py" : file.copyName))
        }
        let outcome = try await ScriptInstaller(repl: repl, scripts: set, way: .literals).install()
        #expect(outcome.bytesSent == 0 && outcome.replaced == ["audio.py", "extra.py", "main.py"])
        try expectInstalled(set, in: folder)
    }

    @Test func theProgramsGlobalIsTheRunningVersion() async throws {
        let host = try MicroPythonHost(folder: try makeUnitFolder())
        defer { host.endAndRemove() }
        let repl = try await attach(host)
        _ = try await repl.run(PythonCode("ARGPT_VERSION='abc\u{7}'"), within: .seconds(20))
        #expect(try await ScriptInstaller.runningVersion(repl) == "abc\u{FFFD}")
    }

    @Test func survivesADamagedLink() async throws {
        let folder = try makeUnitFolder()
        let host = try MicroPythonHost(
            folder: folder,
            packetFault: { number, bytes in (34...37).contains(number) ? bytes.map { $0 == UInt8(ascii: "\\") ? 0x78 : $0 } : bytes })
        defer { host.endAndRemove() }
        let set = try scripts(seed: 74)
        var notices: [String] = []
        _ = try await ScriptInstaller(repl: try await attach(host), scripts: set, way: .literals).install {
            if case .notice(let text) = $0 { notices.append(text) }
        }
        #expect(notices == ["data was lost on the way; going on with states.py"])
        try expectInstalled(set, in: folder)
    }
}

struct ScriptOutcome: Hashable {
    let replaced: [String]
    let bytesSent: Int
}

extension ScriptInstaller {
    /// Replaces what differs.
    func install(report: (ScriptEvent) -> Void = { _ in }) async throws -> ScriptOutcome {
        try await session.ensure()
        var names: Set<String> = []
        for file in scripts.installed where try await helper.file(file) != file.expectation { names.insert(file.name) }
        let replaced = scripts.installed.map(\.name).filter(names.contains)
        return ScriptOutcome(replaced: replaced, bytesSent: try await install(names, report: report))
    }
}
