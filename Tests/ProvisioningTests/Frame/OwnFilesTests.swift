import Bluetooth
import FrameFamily
import Provisioning
import Support
import Synchronization
import TestSupport
import Testing

@testable import VirtualDevices

/// What a person has put on a unit is named before an update takes it.
@Suite(.enabled(if: TestTools.mayRunFrameLua, "the virtual Frame's Lua is missing: run Tools/setup runtime"), .serialized)
struct OwnFilesTests {
    private static let own = "-- mine\nwhile true do frame.sleep(0.1) end"

    private func foreseen(_ bench: Bench, _ assets: AssetSet) async throws -> (plan: Plan, notes: [String]) {
        var options = JobOptions()
        options.dryRun = true
        let journal = Journal()
        let report = try await bench.flash(assets, options: options) { journal.add($0) }
        #expect(report.passed, "\(String(describing: report.error))")
        return (try #require(report.plan), journal.text.filter { $0.hasPrefix("notice") && $0.contains("on the unit") })
    }

    /// Its scripts replace the main script; another firmware may erase everything.
    @Test(arguments: [false, true]) func aProgramOfOnesOwnIsNamed(withFirmware: Bool) async throws {
        let bench = Bench(.frame)
        defer { bench.remove() }
        let scripts = AssetSet(try FrameSamples.telling())
        #expect(try await bench.flash(scripts).passed)
        for (content, name) in [(Self.own, "main.lua"), ("mine", "mine.lua")] { try bench.leave(content, as: name) }
        let assets = withFirmware ? try FrameSamples.assets() : scripts
        let (plan, notes) = try await foreseen(bench, assets)
        let component = try #require(plan.components.first { $0.component == (withFirmware ? .firmware : .scripts) })
        #expect(component.erases == (withFirmware ? ["main.lua", "mine.lua"] : ["main.lua"]))
        #expect(plan.erases == component.erases)
        #expect(notes == (withFirmware
            ? ["notice the new firmware may erase on the unit: main.lua, mine.lua"]
            : ["notice the scripts replace on the unit: main.lua", "notice left alone on the unit: mine.lua"]))
        let asked = Mutex<[[String]]>([])
        var options = JobOptions()
        options.beforeChange = { plan in asked.withLock { $0.append(plan?.erases ?? []) } }
        #expect(try await bench.flash(assets, options: options).passed)
        #expect(asked.withLock { $0 } == [component.erases ?? []], "the run asks with the same names")
    }

    /// A person who says no keeps everything.
    @Test func whatIsNotPermittedIsNotDone() async throws {
        let bench = Bench(.frame)
        defer { bench.remove() }
        try bench.leave(Self.own, as: "main.lua")
        let assets = AssetSet(try FrameSamples.telling())
        _ = try await bench.verify(assets)
        try bench.leave(Self.own, as: "main.lua")
        var options = JobOptions()
        options.beforeChange = { _ in throw ProvisioningError.notPermitted }
        let report = try await bench.flash(assets, options: options)
        #expect(report.error?.code == "PRV-0019" && report.recoveries.isEmpty, "\(String(describing: report.error))")
        #expect(try bench.frameFolder().content(of: #require(FramePath(Array("main.lua".utf8)))) == Array(Self.own.utf8))
    }

    /// No scripts are at hand to compare with: what a release does not consist of is an owner's.
    @Test func firmwareAloneNamesWhatIsNoScript() async throws {
        let bench = Bench(.frame)
        defer { bench.remove() }
        #expect(try await bench.flash(AssetSet(try FrameSamples.telling())).passed)
        try bench.leave("mine", as: "notes.txt")
        let (plan, notes) = try await foreseen(bench, AssetSet(try FrameSamples.assets()[.firmware]))
        #expect(plan.erases == ["notes.txt"] && notes == ["notice the new firmware may erase on the unit: notes.txt"], "\(plan) \(notes)")
    }

    /// Releases follow each other, and nobody is asked.
    @Test func filesOfAReleaseAreNobodysOwn() async throws {
        let bench = Bench(.frame)
        defer { bench.remove() }
        #expect(try await bench.flash(AssetSet(try FrameSamples.telling())).passed)
        let (plan, notes) = try await foreseen(bench, try FrameSamples.assets(scripts: FrameSamples.telling(padding: 100)))
        #expect(plan.erases.isEmpty && plan.components.allSatisfy { $0.erases == nil } && notes.isEmpty, "\(plan) \(notes)")
    }
}
