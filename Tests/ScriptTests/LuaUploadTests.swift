import Foundation
import FrameFamily
import REPL
import ScriptBundle
import TestSupport
import Testing
@testable import VirtualDevices

/// What was bundled and uploaded to real Lua is what is on the unit, byte for byte.
@Suite(.enabled(if: TestTools.mayRunLua, "Lua 5.4 is missing: run Tools/setup tests"))
struct LuaUploadTests {
    /// Frame's payload: a command has to fit one write.
    private static let payloadSize = 244

    /// The commands that write one file, none longer than a payload.
    private static func commands(_ name: String, _ bytes: [UInt8]) -> [String] {
        var commands = ["f=frame.file.open('\(name)','w')"]
        var piece: [UInt8] = []
        func flush() {
            commands.append("f:write(" + String(decoding: LuaLiteral.string(piece), as: UTF8.self) + ")")
            piece = []
        }
        for byte in bytes {
            if LuaLiteral.string(piece + [byte]).count + "f:write()".count > payloadSize { flush() }
            piece.append(byte)
        }
        flush()
        return commands + ["f:close()"]
    }

    /// - Returns: the files as they then stand in the unit's file system.
    private func upload(_ files: [(name: String, bytes: [UInt8])]) throws -> [[UInt8]] {
        let bench = try FrameBench { _, folder in
            for name in FrameBench.names { try FileManager.default.removeItem(at: folder.appendingPathComponent(name)) }
        }
        defer { bench.end() }
        let commands = files.flatMap { Self.commands($0.name, $0.bytes) }
        #expect(commands.allSatisfy { $0.utf8.count <= Self.payloadSize && $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } })
        bench.commands = commands + ["print('=done')"]
        try bench.run(within: .seconds(600)) { bench.printed.last == "=done" }
        #expect(bench.printed.dropFirst() == ["=done"], "Lua had nothing to complain of but that there is no program")
        return try files.map { [UInt8](try Data(contentsOf: bench.folder.files.appendingPathComponent($0.name))) }
    }

    @Test(arguments: 0..<6) func anyBytesArrive(seed: Int) throws {
        var numbers = SeededNumbers(seed: UInt64(900 + seed))
        let awkward = [
            Array("]===]\n'''\\ \r\n\u{3}\u{1C}\0\0001 \"q\"".utf8), [0x0A, 0x0A, 0x5D], [0xEF, 0xBB, 0xBF, 0x0D, 0x0A], [],
            Array(0...255), [0x00, 0x31, 0x07, 0x39],
        ]
        let files =
            [("main.lua", awkward[seed])] + (0..<2).map { ("f\($0).lua", numbers.bytes(count: Int.random(in: 0...900, using: &numbers))) }
        #expect(try upload(files) == files.map(\.1))
    }

    /// Through a bundle: what `bundle` put in, what the archive gives out, what Lua stores.
    @Test func bundledBytesArrive() throws {
        var numbers = SeededNumbers(seed: 77)
        let files = [
            ScriptSet.File(name: "main.lua", bytes: Array("print('x')\r\n-- ]===] \u{3}".utf8)),
            ScriptSet.File(name: "data.lua", bytes: numbers.bytes(count: 3000)),
        ]
        let set = try ScriptSet(files: files, family: .frame)
        let archive = try BundleRecipe(scripts: set, tool: "test").archive(place: "test", signedBy: nil)
        let bundled = try ReleaseBundle(bytes: archive, place: "test").scripts().installed
        #expect(bundled == set.installed)
        #expect(try upload(bundled.map { ($0.name, $0.bytes) }) == bundled.map(\.bytes))
    }
}
