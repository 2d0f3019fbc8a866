import Bluetooth
import Foundation
import Ledger
import Provisioning
import TestSupport
import Testing

@testable import noafw

/// What a chat holds a unit against, and what it advises where the unit differs.
@Suite struct ChatExpectationTests {
    private static let parts: Set<Component> = [.firmware, .fpga, .scripts]

    private func inputs(_ change: (inout AssetInputs) -> Void = { _ in }) -> AssetInputs {
        var inputs = AssetInputs(search: AssetSearch(given: nil, environment: [:], currentDirectory: "/line", executable: nil))
        change(&inputs)
        return inputs
    }

    private func passed(_ versions: [String: String], verb: String = "flash", plan: [String]? = nil) -> RunRecord {
        let now = UTCTime(microseconds: 1_795_000_000_000_000)
        var start = RunRecord(station: "s", unitAddress: "D3:5A:00:11:22:33", family: "monocle", verb: verb, toolVersion: "1", host: "h")
        start.plan = plan.map { parts in "{\"components\":[\(parts.map { "{\"component\":\"\($0)\"}" }.joined(separator: ","))]}" }
        var record = start.begun(as: RunIDGenerator(now: { now }).next(), at: now)
        record.versionsAfter = versions
        return record
    }

    private func report(scripts: String?, expected: String) throws -> VerifyReport {
        var report = VerifyReport(identity: try Sample.identity(), family: "monocle", findings: [:], error: nil)
        report.findings = [.firmware: .init(expected: "v1", actual: "v1"), .scripts: .init(expected: expected, actual: scripts)]
        return report
    }

    @Test func theCatalogueCountsWhereNothingElseIsKnown() throws {
        let expectation = ChatExpectation(inputs(), Self.parts, passes: [])
        #expect(expectation.words == "the catalogue")
        #expect(expectation.filed == Self.parts && expectation.recorded.isEmpty)
        #expect(expectation.advice(on: try report(scripts: "other", expected: "ours"), assets: nil) == .flash(isKnown: false))
    }

    @Test func theLastPassCountsBeforeTheCatalogue() {
        let pass = passed(["firmware": "v1", "fpga": "v2", "scripts": "mine"])
        let expectation = ChatExpectation(inputs(), Self.parts, passes: [pass])
        #expect(expectation.words == "its last pass, 2026-11-18 11:06 UTC (flash)")
        #expect(expectation.filed.isEmpty && expectation.recorded == [.firmware: "v1", .fpga: "v2", .scripts: "mine"])
        let half = ChatExpectation(inputs(), Self.parts, passes: [passed(["firmware": "v1"])])
        #expect(half.filed == [.fpga, .scripts] && half.words == "its last pass, 2026-11-18 11:06 UTC (flash) and the catalogue")
    }

    /// What changed in between has been looked at by nobody.
    @Test func aVerificationOfOtherPartsExpectsNothingOfThese() {
        let flashed = passed(["firmware": "v1", "fpga": "v2", "scripts": "mine"], plan: ["firmware", "fpga", "scripts"])
        let verified = passed(["firmware": "v1", "fpga": "v2", "scripts": "changed"], verb: "verify")
        let expectation = ChatExpectation(inputs(), Self.parts, passes: [verified, flashed])
        #expect(expectation.recorded == [.firmware: "v1", .fpga: "v2", .scripts: "mine"])
        let renewed = passed(["firmware": "v1", "fpga": "drifted", "scripts": "new"], plan: ["scripts"])
        let later = ChatExpectation(inputs(), Self.parts, passes: [renewed, flashed])
        #expect(later.recorded == [.firmware: "v1", .fpga: "v2", .scripts: "new"])
        #expect(ChatExpectation(inputs(), Self.parts, passes: [verified]).recorded[.scripts] == "changed", "all that is known")
    }

    @Test func namedFilesCountBeforeTheLastPass() {
        let pass = passed(["firmware": "v1", "fpga": "v2", "scripts": "mine"])
        let scripts = ChatExpectation(inputs { $0.files = [.scripts: "folder"] }, Self.parts, passes: [pass])
        #expect(scripts.filed == [.scripts] && scripts.recorded == [.firmware: "v1", .fpga: "v2"])
        #expect(scripts.words == "the files of the command line and its last pass, 2026-11-18 11:06 UTC (flash)")
        let bundle = ChatExpectation(inputs { $0.bundle = "release.zip" }, Self.parts, passes: [pass])
        #expect(bundle.filed == Self.parts && bundle.recorded.isEmpty && bundle.words == "bundle release.zip")
        let catalogue = ChatExpectation(inputs { $0.search.given = "assets" }, Self.parts, passes: [pass])
        #expect(catalogue.filed == Self.parts && catalogue.words == "the files of the command line")
    }

    /// No advice replaces what was provisioned.
    @Test func aFlashIsAdvisedOnlyWhereItRestores() throws {
        let pass = passed(["firmware": "v1", "scripts": "mine"])
        let named = ChatExpectation(inputs { $0.files = [.scripts: "folder"] }, Self.parts, passes: [pass])
        #expect(named.advice(on: try report(scripts: "mine", expected: "other"), assets: nil) == .otherFiles)
        let recorded = ChatExpectation(inputs(), Self.parts, passes: [pass])
        #expect(recorded.advice(on: try report(scripts: nil, expected: "mine"), assets: nil) == .provision(run: "\(pass.id)"))
        #expect(recorded.advice(on: try report(scripts: nil, expected: "mine"), assets: AssetSet()) == .provision(run: "\(pass.id)"))
        for advice in [RepairAdvice.otherFiles, .provision(run: "R")] { #expect(!advice.text("COMMAND").contains("COMMAND")) }
        #expect(RepairAdvice.flash(isKnown: true).text("COMMAND") == "run: COMMAND")
        #expect(RepairAdvice.flash(isKnown: false).text("COMMAND").contains("--bundle or --scripts; else run: COMMAND"))
    }
}

/// The built tool: what was just provisioned is talked to.
@Suite(.serialized, .enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"))
struct WholeChatExpectationTests {
    private static let unit = ["--virtual", "monocle", "--virtual-speed", "max"]
    private static let chat = ["chat"] + unit + ["--assistant", "echo", "--query", "hello"]

    /// The project's scripts with one more line.
    private func release(in folder: TemporaryFolder) throws -> String {
        let own = ToolBench.root.appendingPathComponent("Scripts/monocle")
        for file in try FileManager.default.contentsOfDirectory(at: own, includingPropertiesForKeys: nil) where file.pathExtension == "py" {
            let text = try String(contentsOf: file, encoding: .utf8)
            try folder.write(text + (file.lastPathComponent == "states.py" ? "# release\n" : ""), to: "release/\(file.lastPathComponent)")
        }
        return folder.path("release")
    }

    private func expect(_ code: Int32, _ bench: ToolBench, _ arguments: [String], says: String, not: String? = nil) throws {
        let run = try bench.run(arguments)
        #expect(run.status == code && run.errors.contains(says), "\(arguments): \(run.status) \(run.errors)")
        if let not { #expect(!run.errors.contains(not), "\(arguments): \(run.errors)") }
    }

    @Test func whatWasProvisionedIsTalkedTo() throws {
        let (bench, folder) = (try ToolBench(), try TemporaryFolder())
        defer { bench.remove() }
        let release = try release(in: folder)
        #expect(try bench.run(["flash"] + Self.unit + ["--only", "scripts", "--scripts", release]).status == 0)
        try expect(0, bench, Self.chat, says: "note: the unit is compared with its last pass, ")
        try expect(0, bench, Self.chat + ["--scripts", release], says: "compared with the files of the command line and its last pass, ")
        let ours = ToolBench.root.appendingPathComponent("Scripts/monocle").path
        try expect(1, bench, Self.chat + ["--scripts", ours], says: "leave out the files that the command line names", not: "noafw flash")
        try Data("print('another program')\n".utf8).write(to: bench.unit.appendingPathComponent("files/main.py"))
        try expect(1, bench, Self.chat, says: "provision the unit with the same files again: noafw ledger show ", not: "noafw flash")
        try expect(
            1, bench, Self.chat + ["--scripts", release], says: "run: noafw flash --virtual monocle --scripts \(release) --only scripts (or"
        )
    }
}
