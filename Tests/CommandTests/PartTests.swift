import Foundation
import Provisioning
import TestSupport
import Testing

@testable import noafw

/// `--only` over the verbs, the families and their parts: whoever passes has had each part looked at that was asked for.
@Suite(
    .enabled(if: TestTools.mayRunMicroPython && TestTools.mayRunFrameLua, "an interpreter is missing: run Tools/setup runtime"), .serialized
)
final class PartTests {
    private let bench: ToolBench

    init() throws { bench = try ToolBench() }

    deinit { bench.remove() }

    /// Every set of parts that has one at least.
    private static let wishes: [[Component]] = (1..<8).map { bits in
        FamilyList.supported.components.enumerated().filter { bits & (1 << $0.offset) != 0 }.map(\.element)
    }

    private static let verbs = [
        ["flash"], ["flash", "--dry-run"], ["flash", "--force"], ["flash", "--watch"], ["flash", "--count", "2"], ["verify"],
        ["verify", "--deep"],
        ["verify", "--count", "2"],
    ]

    @Test func aPartThatTheFamilyLacksIsAUsageError() throws {
        for family in FamilyList.supported.provisioned {
            let lacking = Self.wishes.filter { !Set($0).isSubset(of: family.components) }
            for (verb, wish) in Self.verbs.flatMap({ verb in lacking.map { (verb, $0) } }) {
                let only = wish.map(\.name).joined(separator: ",")
                let run = try bench.run(verb + ["--virtual", family.id.rawValue, "--virtual-speed", "max", "--json", "--only", only])
                #expect(run.status == 64, "\(verb) \(family.id) \(only): \(run.errors)")
                #expect(
                    run.errors.contains("its parts are \(family.components.map(\.name).joined(separator: ", "))"),
                    "\(verb) \(only): \(run.errors)")
                #expect(try ToolBench.json(run.output)["verdict"] as? String == "fail")
            }
            if !lacking.isEmpty {
                #expect(!FileManager.default.fileExists(atPath: bench.state.path + "/virtual/\(family.id)"), "no unit was opened")
            }
        }
    }

    @Test func everyPartThatWasAskedForIsLookedAt() throws {
        for family in FamilyList.supported.provisioned {
            for wish in Self.wishes where Set(wish).isSubset(of: family.components) {
                let options = [
                    "--virtual", family.id.rawValue, "--virtual-speed", "max", "--json", "--only", wish.map(\.name).joined(separator: ",")
                ]
                let plan = try Self.unit(bench.run(["flash", "--dry-run"] + options).output)
                let steps = try #require(plan["steps"] as? [[String: Any]]).filter { $0["action"] as? String != "skipped" }
                #expect(steps.compactMap { $0["name"] as? String } == wish.map(\.name), "\(options)")
                let verified = try Self.unit(bench.run(["verify"] + options).output)
                #expect(FamilyList.supported.components.filter { verified[$0.name] is [String: Any] } == wish, "\(options)")
            }
        }
    }

    /// In a mixed fleet a unit without the part is told, and passes nothing.
    @Test(arguments: [["flash", "--dry-run"], ["verify"], ["flash", "--watch"]]) func oneWithoutThePartIsLeftOut(verb: [String]) throws {
        let both = ["--virtual", "monocle", "--virtual", "frame", "--virtual-speed", "max", "--only", "fpga", "--json"]
        let run = try bench.run(verb + both)
        let units = try #require(try ToolBench.json(run.output)["units"] as? [[String: Any]])
        let frame = try #require(units.first { $0["family"] as? String == "frame" })
        #expect(frame["outcome"] as? String == "not_expected" && frame["verdict"] as? String != "pass", "\(frame)")
        #expect(run.errors.contains("NOA-0038"), "\(run.errors)")
        #expect(run.status == (verb == ["verify"] ? 1 : 0), "the others make the verdict: \(run.errors)")
        let runs = try ToolBench.json(try bench.run(["ledger", "export", "--json"]).output)["runs"] as? [[String: Any]] ?? []
        #expect(!runs.contains { $0["family"] as? String == "frame" })
    }

    private static func unit(_ output: String) throws -> [String: Any] {
        let units = try #require(try ToolBench.json(output)["units"] as? [[String: Any]])
        return try #require(units.first)
    }
}
