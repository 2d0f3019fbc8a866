import Foundation
import TestSupport
import Testing

struct FrameSyntaxTests {
    @Test func scriptsAreSmallPlainTextThatEvenTheAppCouldUpload() throws {
        var total = 0
        for name in FrameBench.names {
            let bytes = [UInt8](try Data(contentsOf: FrameBench.scripts.appendingPathComponent(name)))
            total += bytes.count
            #expect(bytes.allSatisfy { $0 == 0x0A || (0x20...0x7E).contains($0) }, "\(name)")
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(!text.contains("]===]"), "\(name)")
            #expect(!text.contains("ARGPT_VERSION="), "\(name): the version is put in when it is installed")
        }
        #expect(total < 24 * 1024)
    }

    @Test(.enabled(if: TestTools.mayRunLua, "Lua 5.4 is missing: run Tools/setup tests"), arguments: FrameBench.names)
    func luaCompiles(name: String) throws {
        let file = FrameBench.scripts.appendingPathComponent(name).path
        let run = try runProgram(try TestTools.require(TestTools.luac, "luac5.4"), ["-p", file])
        #expect(run.status == 0, "\(run.output)")
    }
}
