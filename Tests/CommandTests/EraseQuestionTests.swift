import Provisioning
import Support
import Synchronization
import Testing

@testable import noafw

/// Before files of a person's own go, the person is asked, if there is one.
@Suite struct EraseQuestionTests {
    private let harness = Harness()
    private static let question = "erase these 2 files on the unit? [y/N] "

    private static func plan(_ names: [String]?) -> Plan {
        var component = ComponentPlan(component: .scripts, action: .update, from: nil, to: "v2", byteCount: 5)
        component.erases = names
        return Plan(family: "frame", unit: "D3:5A:00:11:22:33", components: [component])
    }

    /// - Parameter asked: how often the job asks.
    private func services(_ names: [String]?, asked: Int = 1) -> FakeServices {
        FakeServices(onFlash: { request, _ in
            do {
                for _ in 0..<asked { try await request.options.beforeChange(Self.plan(names)) }
                return try Sample.flashed()
            } catch let error as ProvisioningError {
                return try Sample.flashed(error: error.diagnosis, steps: [])
            }
        })
    }

    @Test(arguments: [("y\n", 0), ("yes\n", 0), ("n\n", 77), ("\n", 77)]) func aTerminalAsksOnce(answer: String, code: Int32) async throws {
        let terminal = FakeTerminal()
        let context = terminal.attach(
            harness.context(["flash", "--virtual", "frame"], services: services(["main.lua", "mine.lua"], asked: 2), environment: ["HOME": "/home/op", "TERM": "dumb"]))
        async let exit = Noafw.execute(in: context)
        try await terminal.waitFor(Self.question)
        terminal.type(answer)
        #expect(await exit == code)
        #expect(terminal.screen.ranges(of: Self.question).count == 1, "\(terminal.screen)")
        #expect(terminal.screen.contains("PRV-0019") == (code == 77))
    }

    @Test(arguments: [["--yes"], ["--json"]]) func whoAsksForNoneIsNotAsked(options: [String]) async throws {
        let terminal = FakeTerminal()
        let context = terminal.attach(
            harness.context(["flash", "--virtual", "frame"] + options, services: services(["main.lua", "mine.lua"])))
        #expect(await Noafw.execute(in: context) == 0)
        #expect(!terminal.screen.contains("[y/N]"))
    }

    @Test func whereNobodySitsNobodyIsAsked() async throws {
        #expect(await Noafw.execute(in: harness.context(["flash", "--virtual", "frame"], services: services(["main.lua"]))) == 0)
        #expect(!harness.diagnostics.contains("[y/N]"))
    }

    @Test func aUnitWithoutFilesOfOnesOwnIsNotAskedAbout() async throws {
        let terminal = FakeTerminal()
        #expect(await Noafw.execute(in: terminal.attach(harness.context(["flash", "--virtual", "frame"], services: services(nil)))) == 0)
        #expect(!terminal.screen.contains("[y/N]"))
    }

    /// The document has the names, where there are some.
    @Test func thePlanNamesThem() {
        #expect(ReportText.document(Self.plan(["main.lua"])).text.contains(#""erases":["main.lua"]"#))
        #expect(!ReportText.document(Self.plan(nil)).text.contains("erases"))
    }
}
