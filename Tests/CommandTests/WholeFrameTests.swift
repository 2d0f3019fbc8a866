import DFU
import Foundation
import Glibc
import TestSupport
import Testing

/// The tool as an operator runs it for a Frame: its own process, the catalogue's assets, a virtual unit in simulated time.
@Suite(.enabled(if: TestTools.mayRunFrameLua, "the Frame's Lua is missing: run Tools/setup runtime"), .serialized)
struct WholeFrameTests {
    private static let unit = ["--virtual", "frame", "--virtual-speed", "max"]
    private static let flash = ["flash"] + unit
    private static let package = ToolBench.root.appendingPathComponent("Firmware/frame-development-v26.326.0900.zip")

    private static func first(_ output: String) throws -> [String: Any] {
        let units = try #require(try ToolBench.json(output)["units"] as? [[String: Any]])
        return try #require(units.first)
    }

    private static func actions(_ output: String) throws -> [String] {
        let steps = try #require(try first(output)["steps"] as? [[String: Any]])
        return steps.compactMap { $0["action"] as? String }
    }

    @Test func aFactoryNewUnitIsPlannedUpdatedCurrentAndVerified() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let plan = try bench.run(Self.flash + ["--dry-run", "--json"])
        #expect(plan.status == 0, "\(plan.errors)")
        let planned = try #require(try Self.first(plan.output)["plan"] as? [String: Any])
        let components = try #require(planned["components"] as? [[String: Any]])
        #expect(components.compactMap { $0["name"] as? String } == ["firmware", "scripts"])
        #expect(components.compactMap { $0["action"] as? String } == ["update", "update"])

        let run = try bench.run(Self.flash + ["--json"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(try Self.actions(run.output) == ["updated", "updated"])
        #expect(try Self.first(run.output)["family"] as? String == "frame")
        let again = try bench.run(Self.flash)
        #expect(again.status == 0 && again.output.contains("PASS  everything is current"), "\(again.output)\(again.errors)")

        let proof = try bench.run(["verify"] + Self.unit + ["--deep", "--json"])
        #expect(proof.status == 0, "\(proof.errors)")
        let findings = try Self.first(proof.output)
        #expect((findings["scripts"] as? [String: Any])?["proof"] as? String == "digest")
        #expect(findings["fpga"] == nil && findings["program"] as? String == "announced")

        let echo = try bench.run(["console"] + Self.unit, input: "1+1\nfor i=1,2 do\nprint(i,'x')\nend\nerror('no',0)\n")
        #expect(echo.output == "2\n1\tx\n2\tx\n" && echo.errors == "no" && echo.status == 1, "\(echo)")
    }

    @Test func filesOfAnotherFamilyAreRefused() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let monocle = ToolBench.root.appendingPathComponent("Firmware/monocle-development-v26.320.0900.zip").path
        let firmware = try bench.run(Self.flash + ["--firmware", monocle])
        #expect(firmware.status == 65 && firmware.errors.contains("DFU-1018"), "\(firmware.errors)")
        let scripts = try bench.run(Self.flash + ["--scripts", "Scripts/monocle"])
        #expect(scripts.status == 65 && scripts.errors.contains("main.lua"), "\(scripts.errors)")
        let image = try bench.run([
            "bundle", "Scripts/frame", "-o", bench.state.path + "/x.zip", "--no-check", "--fpga", monocle, "--fpga-version", "v26.001.0000"
        ])
        #expect(image.status == 65 && image.errors.contains("BND-0007"), "\(image.errors)")
        #expect(!FileManager.default.fileExists(atPath: bench.state.appendingPathComponent("virtual").path))
    }

    /// Nordic's own tool makes the package, with the header values of the vendor's and the development key.
    @Test(.enabled(if: TestTools.mayRunNrfutil, "nrfutil is missing: run Tools/setup tests"))
    func packageOfNordicsOwnToolIsFlashed() async throws {
        let nrfutil = try Nrfutil()
        let bench = try ToolBench()
        defer {
            bench.remove()
            nrfutil.files.remove()
        }
        let stood = Array("v26.326.0900".utf8)
        let package = try DFUPackage(bytes: Array(Data(contentsOf: URL(fileURLWithPath: Self.package.path))))
        var image = try #require(package.images.first).bytes
        let place = try #require(image.firstRange(of: stood))
        image.replaceSubrange(place, with: Array("v26.326.0901".utf8))
        let made = try await nrfutil(
            "pkg", "generate", "--hw-version", "52", "--sd-req", "0x0123", "--application", nrfutil.files.write(image, to: "app.bin"),
            "--application-version", "0", "--key-file", ToolBench.root.appendingPathComponent("Firmware/development-key.pem").path,
            nrfutil.files.path("made.zip"))
        #expect(made.status == 0, "\(made.output)")
        let run = try bench.run(Self.flash + ["--firmware", nrfutil.files.path("made.zip"), "--only", "firmware", "--json"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(try Self.actions(run.output).first == "updated" && run.output.contains("v26.326.0901"))
    }

    @Test func aBundleIsMadeAndFlashed() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let file = bench.state.path + "/frame.zip"
        let key = ToolBench.root.appendingPathComponent("Firmware/development-key.pub.pem").path
        let (signer, signerPublic) = (bench.state.path + "/signer.pem", bench.state.path + "/signer.pub.pem")
        #expect(try bench.run(["bundle", "key", "new", "-o", signer]).status == 0)
        try bench.run(["bundle", "key", "show", signer]).output.write(toFile: signerPublic, atomically: true, encoding: .utf8)
        let made = try bench.run([
            "bundle", "Scripts/frame", "-o", file, "--no-check", "--firmware", Self.package.path, "--trust", key, "--sign", signer, "--json"
        ])
        #expect(made.status == 0, "\(made.errors)")
        #expect(try ToolBench.json(made.output)["family"] as? String == "frame")
        let run = try bench.run(Self.flash + ["--bundle", file, "--trust", key, "--trust", signerPublic, "--json"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(try Self.actions(run.output) == ["updated", "updated"])
    }

    /// Ctrl-C breaks the statement that runs, and drops one that is half typed. Ctrl-D leaves, whatever runs.
    @Test func aPersonBreaksALine() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let tool = try TerminalTool(["console", "--virtual", "frame", "--virtual-speed", "4"], environment: bench.environment())
        try tool.waitFor("help explains.")
        try tool.waitFor("> ")
        tool.type("while true do frame.sleep(0.1) end\r")
        try tool.waitFor("sleep(0.1) end")
        // Before the statement is on the unit there is nothing to break.
        let end = ContinuousClock.now.advanced(by: .seconds(60))
        repeat { tool.type("\u{03}") } while (try? tool.waitFor("break signal", seconds: 1)) == nil && ContinuousClock.now < end
        try tool.waitFor("> ")
        tool.type("\u{03}for i=1,3 do\r")
        try tool.waitFor(">> ")
        tool.type("error('no')\u{03}")
        try tool.waitFor("> ")
        tool.type("local a = 6\rprint(a * 7)\r")
        try tool.waitFor("attempt to perform arithmetic on a nil value")
        tool.type("\u{1B}[200~local a = 6\nprint(a * 7)\u{1B}[201~\r")
        try tool.waitFor("\u{1B}[J42")
        tool.type("frame.battery_l\t()\r")
        try tool.waitFor("frame.battery_level()")
        tool.type("frame.bluetooth.\t")
        try tool.waitFor("max_length  ")
        tool.type("\u{03}while true do pcall(frame.sleep, 0.1) end\r")
        try tool.waitFor("0.1) end")
        tool.type("\u{04}")
        #expect(tool.wait().status == 0, "\(tool.screen)")
        #expect(!tool.screen.contains("\u{1B}[Jno"), "\(tool.screen)")
    }

    /// A person at the virtual unit's cradle.
    @Test func theCradlesButtonMakesAUnitForget() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let scripts = bench.state.appendingPathComponent("virtual/frame/default/files")
        #expect(try bench.run(Self.flash + ["--only", "scripts"]).status == 0)
        let unpaired = try bench.run(["unpair", "--virtual", "frame"])
        #expect(unpaired.status == 0 && unpaired.output.contains("--press-cradle-button"), "\(unpaired)")
        let refused = try bench.run(["pair", "--virtual", "frame"])
        #expect(refused.status == 1 && refused.errors.contains("BLE-0011"), "\(refused.errors)")
        #expect(FileManager.default.fileExists(atPath: scripts.appendingPathComponent("main.lua").path))
        let pressed = try bench.run(["unpair", "--virtual", "frame", "--press-cradle-button", "--json"])
        #expect(pressed.status == 0, "\(pressed.errors)")
        #expect(try ToolBench.json(pressed.output)["unit"] as? String == "reset")
        #expect(!FileManager.default.fileExists(atPath: scripts.appendingPathComponent("main.lua").path))
        #expect(try bench.run(["pair", "--virtual", "frame"]).status == 0)
        for words in [["--virtual", "monocle"], ["--device", "C6:05:04:03:02:01"]] {
            #expect(try bench.run(["unpair", "--press-cradle-button"] + words).status == 64)
        }
    }

    /// SIGKILL of the process that plays the unit: its folder stays readable, and the next run ends it.
    @Test func killedAtAnyMomentTheNextRunGoesOn() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let start = ContinuousClock.now
        #expect(try bench.run(Self.flash).status == 0)
        let milliseconds = max(1, Int(start.duration(to: .now) / .milliseconds(1)))
        let unit = bench.state.appendingPathComponent("virtual")
        for seed in TestRange.of(Array(0..<30), quick: [2, 9, 14, 19, 24, 29]) {
            // Every other run begins with a new unit; what the last one left is gone on with otherwise.
            if seed.isMultiple(of: 2) { try? FileManager.default.removeItem(at: unit) }
            let tool = try bench.start(Self.flash)
            var numbers = SeededNumbers(seed: UInt64(seed))
            Thread.sleep(forTimeInterval: Double(Int.random(in: 0...milliseconds, using: &numbers)) / 1000)
            tool.signal(SIGKILL)
            _ = tool.wait()
            let look = try bench.run(["verify"] + Self.unit)
            // Drift, no scripts, or in its bootloader: a verdict on the unit.
            #expect([0, 1].contains(look.status), "\(seed): \(look.errors)")
        }
        let last = try bench.run(Self.flash)
        #expect(last.status == 0, "\(last.errors)")
        #expect(try bench.run(["verify"] + Self.unit + ["--deep"]).status == 0)
    }
}
