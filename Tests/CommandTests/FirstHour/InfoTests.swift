import Foundation
import TestSupport
import Testing

/// `noafw info` as an owner runs it: the four families on the virtual air, without a catalogue.
@Suite(
    .enabled(if: TestTools.mayRunMicroPython && TestTools.mayRunFrameLua, "the interpreters are missing: run Tools/setup tests"),
    .serialized)
struct InfoTests {
    private static func info(_ bench: ToolBench, _ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
        try bench.run(["info", "--virtual-speed", "max"] + arguments, environment: ["NOAFW_ASSETS": bench.state.path + "/none"])
    }

    private static func unit(_ bench: ToolBench, _ family: String) throws -> [String: Any] {
        let run = try info(bench, ["--virtual", family, "--json"])
        #expect(run.status == 0, "\(family): \(run.errors)")
        let document = try ToolBench.json(run.output)
        #expect(document["schema"] as? String == "noafw.info/1" && document["verdict"] as? String == "pass")
        return try #require(document["unit"] as? [String: Any])
    }

    @Test func glassesTellVersionsBatteryAndBond() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let monocle = try Self.unit(bench, "monocle")
        let versions = try #require(monocle["versions"] as? [String: Any])
        #expect(Set(versions.keys) == ["firmware", "fpga", "scripts"] && (versions["firmware"] as? String)?.hasPrefix("v") == true)
        #expect(monocle["mode"] as? String == "application" && monocle["bond"] is NSNull, "\(monocle)")
        #expect((monocle["facts"] as? [String: Int])?["battery_percent"] ?? 0 > 0)
        let frame = try Self.unit(bench, "frame")
        #expect(Set((frame["versions"] as? [String: Any] ?? [:]).keys) == ["firmware", "scripts"] && frame["bond"] as? String == "made")
        #expect(try Self.unit(bench, "frame")["bond"] as? String == "kept")
    }

    @Test func theOthersTellWhatTheyHave() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let robot = try Self.unit(bench, "openbot")
        let details = try #require(robot["details"] as? [[String: String]])
        #expect(details.map { $0["name"] ?? "" } == ["body", "features", "battery", "firmware"], "\(details)")
        let keyboard = try Self.unit(bench, "keyboard")
        #expect((keyboard["versions"] as? [String: String])?["firmware"] == "2.10.0", "\(keyboard)")
    }

    @Test func aPersonReadsItInOnePage() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let address = try #require(try Self.unit(bench, "frame")["address"] as? String)
        #expect(try bench.run(["units", "name", address, "Room 3, 12"]).status == 0)
        let run = try Self.info(bench, ["--virtual", "frame"])
        let lines = run.output.split(separator: "\n")
        #expect(lines.first == "name      Room 3, 12" && lines.contains { $0 == "address   \(address)" }, "\(run.output)")
        #expect(lines.contains("bond      with this machine") && lines.contains { $0.hasPrefix("battery   ") } && lines.count < 12)
        #expect(try Self.unit(bench, "frame")["label"] as? String == "Room 3, 12")
        // What a unit held before it holds afterwards.
        let flashed = try bench.run(["verify", "--virtual", "frame", "--virtual-speed", "max", "--only", "scripts"])
        #expect([0, 1].contains(flashed.status), "\(flashed.errors)")
    }

    @Test func aUnitThatDoesNotAnswerIsAnError() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let run = try bench.run(
            ["info", "--json"], environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(bench.state.path)/none"])
        let document = try ToolBench.json(run.output)
        #expect(run.status != 0 && document["unit"] is NSNull && document["error"] is [String: Any], "\(run)")
    }
}
