import Foundation
import TestSupport
import Testing

/// The tool as an operator runs it: its own process, the catalogue's assets, a virtual unit in simulated time.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct WholeToolTests {
    private static let flash = ["flash", "--virtual", "monocle", "--virtual-speed", "max"]
    private static let verify = ["verify", "--virtual", "monocle", "--virtual-speed", "max", "--deep"]

    @Test func firstRunUpdatesTheSecondFindsEverythingCurrentAndVerifyProvesIt() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let first = try bench.run(Self.flash + ["--json"])
        #expect(first.status == 0, "\(first.errors)")
        #expect(try Self.actions(first.output) == ["updated", "updated", "updated"])
        let second = try bench.run(Self.flash + ["--json"])
        #expect(try Self.actions(second.output) == ["current", "current", "current"])
        let proof = try bench.run(Self.verify + ["--json"])
        #expect(proof.status == 0, "\(proof.errors)")
        #expect(try ToolBench.json(proof.output)["verdict"] as? String == "pass")

        var flash = try Data(contentsOf: bench.unit.appendingPathComponent("fpga-flash.bin"))
        flash[300_000] ^= 1
        try flash.write(to: bench.unit.appendingPathComponent("fpga-flash.bin"))
        let drift = try bench.run(Self.verify + ["--json"])
        #expect(drift.status == 1)
        let repair = try bench.run(Self.flash + ["--json"])
        #expect(try Self.actions(repair.output) == ["current", "updated", "current"])
    }

    /// SIGKILL as soon as a run has said its n-th word, again and again on the same unit.
    @Test func killedAtAnyMomentTheNextRunGoesOn() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        for words in [1, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14] {
            let tool = try bench.start(Self.flash)
            for _ in 0..<words where tool.nextLine() == nil { break }
            tool.signal(SIGKILL)
            _ = tool.wait()
        }
        let last = try bench.run(Self.flash)
        #expect(last.status == 0, "\(last.errors)")
        #expect(try bench.run(Self.verify).status == 0)
    }

    /// At a pace that leaves the stage some seconds, so that the interrupt comes in the middle of it.
    @Test func interruptEndsWithTheUnitsStateAndTheNextCommand() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let tool = try bench.start(["flash", "--virtual", "monocle", "--virtual-speed", "4", "--only", "firmware"])
        #expect(tool.waitForLine { $0.hasPrefix("firmware") })
        tool.signal(SIGINT)
        let words = tool.remainingErrors()
        #expect(tool.wait() == 130)
        #expect(words.contains("noafw flash"), "\(words)")
        #expect(words.contains("bootloader"), "\(words)")
        #expect(try bench.run(Self.flash).status == 0)
    }

    /// Who does not wait is told, too, how the unit is left; once.
    @Test func aSecondSignalSaysHowThingsAreLeft() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let tool = try bench.start(["flash", "--virtual", "monocle", "--virtual-speed", "4", "--only", "firmware", "--json"])
        #expect(tool.waitForLine { $0.hasPrefix("firmware") })
        tool.signal(SIGINT)
        tool.signal(SIGTERM)
        let words = tool.remainingErrors()
        #expect(tool.wait() == 130)
        #expect(words.components(separatedBy: "error NOA-0003").count == 2, "\(words)")
        let units = try ToolBench.json(tool.output())["units"] as? [[String: Any]]
        #expect((units?.first?["error"] as? [String: Any])?["code"] as? String == "NOA-0003")
    }

    @Test func aSecondProcessOnTheSameUnitIsRefused() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let first = try bench.start(["flash", "--virtual", "monocle", "--virtual-speed", "0.1"])
        #expect(first.nextLine() != nil)
        let second = try bench.run(Self.flash)
        #expect(second.status == 75)
        #expect(second.errors.contains("BLE-0008"), "\(second.errors)")
        first.signal(SIGKILL)
        _ = first.wait()
        #expect(try bench.run(Self.flash + ["--dry-run"]).status == 0)
    }

    @Test(arguments: ["empty", "truncated", "flipped", "untrusted", "text"])
    func badPackagesLeaveTheUnitAlone(kind: String) throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let original = try Data(contentsOf: Self.package)
        var bytes = original
        switch kind {
        case "empty": bytes = Data()
        case "truncated": bytes = original.prefix(original.count / 2)
        case "flipped": bytes[original.count / 2] ^= 4
        case "text": bytes = Data("not a package\n".utf8)
        default: break
        }
        let file = bench.state.appendingPathComponent("package.zip")
        try bytes.write(to: file)
        var arguments = Self.flash + ["--firmware", file.path]
        if kind == "untrusted" { arguments += ["--assets", try Self.assetsWithoutKey(in: bench.state).path] }
        let run = try bench.run(arguments)
        #expect(run.status == 65, "\(run.errors)")
        #expect(run.errors.contains("DFU-10"), "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: bench.unit.path), "nothing is opened before the files are checked")
    }

    /// Nordic's own tool makes the package, signed with the development key that the virtual unit trusts.
    @Test(.enabled(if: TestTools.mayRunNrfutil, "nrfutil is missing: run Tools/setup tests"))
    func packageOfNordicsOwnToolIsFlashed() throws {
        let nrfutil = try TestTools.require(TestTools.nrfutil, "nrfutil")
        let bench = try ToolBench()
        defer { bench.remove() }
        let hex = bench.state.appendingPathComponent("application.hex")
        try Data(Self.intelHex(version: "v26.311.0707").utf8).write(to: hex)
        let package = bench.state.appendingPathComponent("nordic.zip")
        let made = try runProgram(
            nrfutil,
            [
                "pkg", "generate", "--hw-version", "52", "--sd-req", "0x0124", "--application", hex.path,
                "--application-version", "1", "--key-file", ToolBench.root.appendingPathComponent("Firmware/development-key.pem").path,
                package.path,
            ])
        #expect(made.status == 0, "\(made.output)")
        let run = try bench.run(Self.flash + ["--firmware", package.path, "--only", "firmware", "--json"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(try Self.actions(run.output).first == "updated")
        #expect(run.output.contains("v26.311.0707"))
    }

    private static let package = ToolBench.root.appendingPathComponent("Firmware/monocle-development-v26.320.0900.zip")

    private static func actions(_ output: String) throws -> [String] {
        let units = try #require(try ToolBench.json(output)["units"] as? [[String: Any]])
        let steps = try #require(units.first?["steps"] as? [[String: Any]])
        return steps.compactMap { $0["action"] as? String }
    }

    /// The same assets with the firmware's key left out of the manifest.
    private static func assetsWithoutKey(in folder: URL) throws -> URL {
        let root = folder.appendingPathComponent("assets")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        for name in ["Firmware", "FPGA", "Scripts"] {
            try FileManager.default.copyItem(at: ToolBench.root.appendingPathComponent(name), to: root.appendingPathComponent(name))
        }
        let manifest = root.appendingPathComponent("Firmware/manifest.json")
        let text = String(decoding: try Data(contentsOf: manifest), as: UTF8.self)
        try Data(text.replacing(/"key"\s*:\s*"[^"]*"\s*,?/, with: "").replacing(/,(\s*})/) { $0.1 }.utf8).write(to: manifest)
        return root
    }

    /// 8 KiB of application at 0x26000 with a version text in it.
    private static func intelHex(version: String) -> String {
        var image = (0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        image.replaceSubrange(512..<526, with: [0] + Array(version.utf8) + [0])
        func record(_ address: Int, _ type: UInt8, _ data: ArraySlice<UInt8>) -> String {
            let bytes = [UInt8(data.count), UInt8(address >> 8 & 0xFF), UInt8(address & 0xFF), type] + data
            let sum = 0 &- bytes.reduce(0, &+)
            return ":" + (bytes + [sum]).map { String(format: "%02X", $0) }.joined() + "\n"
        }
        var text = record(0, 4, [0x00, 0x02])
        for offset in stride(from: 0, to: image.count, by: 16) { text += record(0x6000 + offset, 0, image[offset..<offset + 16]) }
        return text + ":00000001FF\n"
    }

    /// However early: once the signals are kept, a document comes, and one alone.
    @Test(arguments: [
        ["flash", "--virtual", "monocle"], ["flash", "--watch", "--virtual", "monocle"], ["verify", "--all"], ["ledger", "list"],
        ["assets", "check"], ["doctor"]
    ]) func twoSignalsAtTheStart(verb: [String]) throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        for delay in stride(from: useconds_t(0), to: 120_000, by: 8000) {
            let tool = try bench.start(verb + ["--json"])
            usleep(delay)
            tool.signal(SIGINT)
            tool.signal(SIGINT)
            let (errors, status, output) = (tool.remainingErrors(), tool.wait(), try tool.output())
            guard status != -SIGINT else { continue }
            #expect((try? ToolBench.json(output)) != nil, "\(delay) \(status): \(output) \(errors)")
        }
    }
}
