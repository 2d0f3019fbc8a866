import Foundation
import Provisioning
import TestSupport
import Testing

@testable import noafw

/// Nothing verified is never passed: every way to a run without a unit or a component, as a process.
@Suite(.enabled(if: TestTools.python != nil, "the Python of .venv is missing: run Tools/setup runtime"), .serialized)
struct NothingVerifiedTests {
    private static let fast = ["--virtual-speed", "max"]

    private static func verdict(_ output: String) throws -> String? { try ToolBench.json(output)["verdict"] as? String }

    /// Before the radio is used, or a virtual unit's folder is made.
    @Test(arguments: ["flash", "verify"]) func aFamilyThatCannotBeProvisionedIsAUsageError(verb: String) throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        for arguments in [
            ["--family", "openbot"], ["--family", "openbot", "--all"], ["--family", "keyboard", "--all"], ["--virtual", "openbot"],
            ["--virtual", "openbot", "--count", "2"], ["--virtual", "openbot", "--virtual", "openbot:two"],
        ] {
            let run = try bench.run([verb] + arguments + ["--json"])
            #expect(run.status == 64 && run.errors.contains("PRV-0028"), "\(arguments): \(run.status) \(run.errors)")
            #expect(try Self.verdict(run.output) == "fail", "\(arguments): \(run.output)")
        }
        #expect(!FileManager.default.fileExists(atPath: bench.state.appendingPathComponent("virtual").path))
    }

    @Test(arguments: [["flash"], ["verify"], ["verify", "--deep"]]) func aBundleWithoutAComponentThatWasAskedFor(verb: [String]) throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let bundle = bench.state.appendingPathComponent("scripts.zip").path
        #expect(try bench.run(["bundle", ToolBench.root.appendingPathComponent("Scripts/monocle").path, "-o", bundle]).status == 0)
        let run = try bench.run(
            verb + ["--virtual", "monocle", "--only", "firmware,scripts", "--bundle", bundle, "--json"] + Self.fast)
        #expect(run.status == 66 && run.errors.contains("BND-0006"), "\(run.status) \(run.errors)")
        #expect(try Self.verdict(run.output) == "fail")
    }

    /// A plan is no verdict, for one unit as for several.
    @Test(arguments: [["--virtual", "frame"], ["--virtual", "frame", "--virtual", "frame:two"]])
    func aDryRunThatFindsWorkHasNotPassed(units: [String]) throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let arguments = ["flash"] + units + ["--only", "scripts", "--dry-run"] + Self.fast
        let document = try bench.run(arguments + ["--json", "--events", bench.state.appendingPathComponent("events").path])
        #expect(document.status == 0, "\(document.errors)")
        let json = try ToolBench.json(document.output)
        #expect(json["verdict"] is NSNull && !document.output.contains("\"verdict\":\"pass\""), "\(document.output)")
        let events = try String(contentsOf: bench.state.appendingPathComponent("events"), encoding: .utf8)
        #expect(!events.contains("\"verdict\":\"pass\""), "\(events)")
        let text = try bench.run(arguments)
        #expect(text.output.contains("DRY RUN") && !text.output.contains("PASS"), "\(text.output)")
    }

    @Test func aRescueOfNobodyIsNoPass() throws {
        let harness = Harness()
        let report = RescueReport(fleet: .init(entries: []), heard: StrandedUnits())
        let presentation = RescuePresentation()
        let end = RunEnd(context: harness.context(["rescue"]), progress: RunProgress(isVerbose: false), seconds: 1)
        let result = presentation.result(of: .finished(report), end)
        #expect(presentation.verdict(of: result) == nil && presentation.exitCode(of: result) == 0)
        #expect(!presentation.summary(result, style: TextStyle(isColoured: false)).joined().contains("PASS"))
    }

    @Test func keysThatNoHostShowsAreNoPass() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        for words in [["--dry-run"], ["--virtual", "keyboard"] + Self.fast] {
            let run = try bench.run(["type", "hi", "--json"] + words)
            #expect(try run.status == 0 && Self.verdict(run.output) == nil, "\(run.output) \(run.errors)")
        }
    }

    /// One unit that is left alone keeps the line from no other, and holds no end up.
    @Test(arguments: [Self.fast, ["--virtual-speed", "200"]]) func aLineGoesOnAfterAUnitThatIsLeftAlone(speed: [String]) throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let run = try bench.run(
            ["flash", "--watch", "--virtual", "openbot", "--virtual", "frame", "--only", "scripts", "--json"] + speed)
        let units = try #require(try ToolBench.json(run.output)["units"] as? [[String: Any]], "\(run.errors)")
        #expect(run.status == 0 && run.errors.contains("left alone"), "\(run.errors)")
        #expect(units.map { $0["family"] as? String } == ["frame"], "\(run.output)")
    }
}
