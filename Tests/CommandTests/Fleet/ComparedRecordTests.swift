import Foundation
import TestSupport
import Testing

/// What is recorded of a unit is the verdict that was shown, whatever it was held against.
@Suite(.enabled(if: TestTools.mayRunFrameLua, "the virtual Frame's Lua is missing: run Tools/setup runtime"))
struct ComparedRecordTests {
    private static let unit = ["--virtual", "frame:one", "--virtual-speed", "max", "--only", "scripts"]

    /// - Returns: exit code, the fleet's verdict, and by name each unit's verdict in the document, the events and the ledger's newest run.
    private func verify(_ bench: ToolBench, _ more: [String]) throws -> (status: Int32, verdict: String?, of: [String: [String?]]) {
        let events = bench.state.appendingPathComponent("events.jsonl")
        try? FileManager.default.removeItem(at: events)
        let (status, output, errors) = try bench.run(["verify"] + Self.unit + ["--deep", "--json", "--events", events.path] + more)
        let document = try ToolBench.json(output)
        let told = try String(contentsOf: events, encoding: .utf8).split(separator: "\n").map { try ToolBench.json(String($0)) }
        let (_, list, _) = try bench.run(["ledger", "list", "--json"])
        let runs = try #require(try ToolBench.json(list)["runs"] as? [[String: Any]])
        var verdicts: [String: [String?]] = [:]
        for unit in try #require(document["units"] as? [[String: Any]], "\(errors)") {
            let (name, address) = (unit["id"] as? String ?? "", unit["address"] as? String)
            let event = told.last { $0["event"] as? String == "result" && $0["unit"] as? String == address }
            let run = runs.last { $0["unit_address"] as? String == address }
            verdicts[name] = [
                unit["outcome"] as? String, event?["verdict"] as? String ?? event?["outcome"] as? String, run?["outcome"] as? String
            ]
        }
        return (status, document["verdict"] as? String, verdicts)
    }

    @Test func theRecordIsTheVerdict() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        #expect(try bench.run(["flash"] + Self.unit).status == 0)
        let (_, good, _) = try bench.run(["verify"] + Self.unit + ["--deep", "--json"])
        let baseline = bench.state.appendingPathComponent("baseline.json")
        try Data(good.utf8).write(to: baseline)
        let same = try verify(bench, ["--baseline", baseline.path])
        #expect(same.status == 0 && same.of["frame:one"]?.first == "pass" && same.of["frame:one"]?.last == "pass", "\(same)")

        // The unit is as the files say, and not as the baseline does.
        let digest = try #require(good.firstMatch(of: /SHA256 digest: [0-9a-f]{64}/)).output
        let other = bench.state.appendingPathComponent("other.json")
        try Data(good.replacing(digest, with: "SHA256 digest: " + String(repeating: "a", count: 64)).utf8).write(to: other)
        let differs = try verify(bench, ["--baseline", other.path])
        #expect(differs.status == 1 && differs.of["frame:one"]?.first == "fail" && differs.of["frame:one"]?.last == "fail", "\(differs)")

        // It differs from the files, and may.
        let script = bench.state.appendingPathComponent("virtual/frame/one/files/link.lua")
        try (Data(contentsOf: script) + Data("--".utf8)).write(to: script)
        let allowed = bench.state.appendingPathComponent("allowed.csv")
        try Data("*,*,*,all,2099-01-01\n".utf8).write(to: allowed)
        let allows = try verify(bench, ["--allow", allowed.path])
        #expect(allows.status == 0 && allows.of["frame:one"]?.first == "pass" && allows.of["frame:one"]?.last == "pass", "\(allows)")

        // The baseline does not know it.
        let empty = bench.state.appendingPathComponent("empty.json")
        let address = try #require(good.firstMatch(of: /([0-9A-F]{2}:){5}[0-9A-F]{2}/)).output.0
        try Data(good.replacing(address, with: "C0:00:00:00:00:01").utf8).write(to: empty)
        let unknown = try verify(bench, ["--baseline", empty.path])
        #expect(unknown.status == 65 && unknown.of["frame:one"]?.first != "pass", "\(unknown)")
        #expect(unknown.of["frame:one"]?[1] != "pass", "\(unknown)")
    }
}
