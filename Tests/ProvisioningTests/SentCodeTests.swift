import Bluetooth
import Foundation
import REPL
import Support
import Synchronization
import TestSupport
import Testing
import VirtualDevices

@testable import MonocleFamily
@testable import Provisioning

/// What runs on a Monocle uses only what the released firmware has: `Tests/Facts` holds its names and looks for the rest.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"))
struct SentCodeTests {
    @Test func codeOfOursKeepsToTheFirmware() throws {
        #expect(MonocleConsole.sentCode.count > 20)
        #expect(try FirmwareNames.foreign(pieces: MonocleConsole.sentCode) == [])
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
        for code in MonocleConsole.sentCode { #expect(code.utf8.count <= RemoteHelper.pieceLimit, "\(code)") }
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
        #expect(try FirmwareNames.foreign(pieces: MonocleConsole.sentCode + [code]) == [name])
    }

    /// Nothing is sent that does not stand in the list: a whole run is listened to.
    @Test func aWholeRunSendsNothingElse() async throws {
        let bench = Bench()
        defer { bench.remove() }
        let assets = try Bench.assets()
        let wire = Wire()
        let passed = try await bench.play { central, monocle in
            let central = ListeningCentral(central: central, wire: wire)
            let run = try ProvisioningJob(
                family: .monocle, central: central, address: monocle.address, assets: assets, options: JobOptions())
            guard try await run.run(report: { _ in }).passed else { return false }
            return try await VerifyJob(family: .monocle, central: central, address: monocle.address, assets: assets, isDeep: true)
                .run { _ in }.passed
        }
        #expect(passed)
        let listed = Set(MonocleConsole.sentCode.map { $0.replacing(/print\('[0-9a-z]+',end=''\)/, with: "") })
        // The pieces of an image are data, up to the end of the helper's input; 0x1C restarts the unit.
        let commands = wire.commands.map {
            $0.replacing(/print\('[0-9a-z]+',end=''\)/, with: "").replacing(/^[\s\S]* {7}(?=_n)/, with: "").trimmingPrefix("\u{1C}")
        }.map { String($0) }
        let others = Set(commands.filter { !listed.contains($0) })
        // Calls of the helpers' methods, on literals.
        #expect(others.filter { $0.firstMatch(of: /^_n[fls]\.[a-z]+\(/) == nil } == [])
        let calls = others.filter { !$0.hasPrefix("_nf.t(") && !$0.hasPrefix("_ns.a(") }
        #expect(calls.count > 15)
        #expect(try FirmwareNames.foreign(pieces: MonocleConsole.sentCode + calls) == [])
        #expect(commands.count > 80 && commands.allSatisfy { $0.utf8.count <= PythonCode.maximumPipelinedByteCount })
    }
}
