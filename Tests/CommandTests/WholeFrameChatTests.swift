import Foundation
import TestSupport
import Testing

/// The built tool in conversation with a virtual Frame that runs the project's scripts in real Lua.
@Suite(.serialized, .enabled(if: TestTools.mayRunMicroPython, "the virtual units are missing: run Tools/setup tests"))
struct WholeFrameChatTests {
    private static let chat = ["chat", "--virtual", "frame", "--virtual-speed", "max", "--assistant", "echo", "--no-verify"]

    private static func bench() throws -> ToolBench {
        let bench = try ToolBench()
        let run = try bench.run(["flash", "--virtual", "frame", "--virtual-speed", "max", "--only", "scripts"])
        #expect(run.status == 0, "\(run.errors)")
        return bench
    }

    @Test func oneQuestionReachesTheDisplay() throws {
        let bench = try Self.bench()
        defer { bench.remove() }
        let run = try bench.run(Self.chat + ["--query", "hello there"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output == "I heard: hello there\non the unit's display:\n  I heard: hello there\n")
    }

    /// The guide's restore test: nothing is lost, doubled or out of order, however often the link is.
    @Test func aSoakWithLinkCutsAndAPicture() throws {
        let bench = try Self.bench()
        defer { bench.remove() }
        let picture = Array("P6 40 20 255\n".utf8) + [UInt8](repeating: 200, count: 2400)
        try Data(picture).write(to: bench.state.appendingPathComponent("grey.ppm"))
        let script = bench.state.appendingPathComponent("soak.txt")
        try Data("soak 30 every 2s cut every 15s\npicture grey.ppm\nexpect delivered within 60s\n".utf8).write(to: script)
        let run = try bench.run(Self.chat + ["--script", script.path, "--json"])
        #expect(run.status == 0, "\(run.errors)")
        let end = try ToolBench.json(String(run.output.split(separator: "\n").last ?? ""))
        let soak = try #require((end["soaks"] as? [[String: Any]])?.first)
        #expect(soak["delivered"] as? Int == 30 && soak["answered"] as? Int == 30, "\(soak)")
        #expect(soak["lost"] as? Int == 0 && soak["duplicates"] as? Int == 0 && soak["reordered"] as? Int == 0, "\(soak)")
        #expect((soak["reconnects"] as? Int ?? 0) >= 3, "\(soak)")
    }

    @Test func aUnitWithoutItsProgramDoesNotPass() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let run = try bench.run(Self.chat + ["--query", "hello"])
        #expect(run.status == 1)
        #expect(run.errors.contains("error NOA-0018") || run.errors.contains("error NOA-0020"), "\(run.errors)")
    }
}
