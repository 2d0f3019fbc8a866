import Bluetooth
import Foundation
import FrameFamily
import Provisioning
import ScriptBundle
import Support
import TestSupport
import Testing
@testable import VirtualDevices

@Suite(.enabled(if: TestTools.mayRunFrameLua, "the virtual Frame's Lua is missing: run Tools/setup runtime"), .serialized)
struct FrameFlashTests {
    private func withBench<Value>(_ body: (Bench) async throws -> Value) async throws -> Value {
        let bench = Bench(.frame)
        defer { bench.remove() }
        return try await body(bench)
    }

    @Test func aFactoryNewUnitIsBroughtUpToDate() async throws {
        try await withBench { bench in
            let assets = try FrameSamples.assets()
            let journal = Journal()
            let first = try await bench.flash(assets) { journal.add($0) }
            #expect(first.passed, "\(String(describing: first.error)) \(journal.text)")
            #expect(first.program?.sign == .announced)
            #expect(
                first.identity.versions[.firmware] == Bench.firmwareVersion && first.identity.versions[.scripts] == assets.scripts?.version)
            #expect(first.identity.batteryPercent != nil)
            #expect(first.steps.map(\.action) == [.updated, .updated])
            let second = try await bench.flash(assets)
            #expect(second.passed && second.steps.map(\.action) == [.current, .current], "\(String(describing: second.error))")
            let proof = try await bench.verify(assets)
            #expect(proof.passed && proof.program?.sign == .announced, "\(proof)")
        }
    }

    @Test func theProjectsScriptsAreInstalledAndHeard() async throws {
        try await withBench { bench in
            let folder = TestTools.root.appendingPathComponent("Scripts/frame")
            let names = ["state.lua", "graphics.lua", "link.lua", "media.lua", "picture.lua", "main.lua"]
            let files = try names.compactMap { name -> ScriptSet.File? in
                let file = folder.appendingPathComponent(name)
                guard FileManager.default.fileExists(atPath: file.path) else { return nil }
                return .init(name: name, bytes: Array(try Data(contentsOf: file)))
            }
            let scripts = try ScriptSet(files: files, family: .frame)
            let report = try await bench.flash(AssetSet(scripts))
            #expect(report.passed && report.program?.sign == .announced, "\(String(describing: report.error))")
        }
    }

    /// Someone else's program that answers nothing: it has to run, be the right one, and keep quiet.
    @Test func aSilentProgramIsProved() async throws {
        try await withBench { bench in
            let assets = AssetSet(try FrameSamples.set("while true do frame.sleep(0.1) end"))
            let report = try await bench.flash(assets)
            #expect(report.passed && report.program?.sign == .silent, "\(String(describing: report.error))")
        }
    }

    private static let tells = "frame.bluetooth.send('\\x18' .. ARGPT_VERSION) -- \\x17\n"

    @Test(arguments: [
        ("error('bad')", "PRV-0040"), ("x = 1", "PRV-0041"), ("print('now') error('bad')", "PRV-0040"),
        (Self.tells, "PRV-0041"), (Self.tells + "error('bad')", "PRV-0040"), (Self.tells + "frame.sleep(1) error('bad')", "PRV-0040"),
        ("frame.file.remove('odd.lua') " + Self.tells + "while true do frame.sleep(0.1) end", "PRV-0044"), ("local = 1", "PRV-0040"),
        // At the prompt it would not fail again.
        ("if again then return end again = 1 error('bad')", "PRV-0040"),
        ("while true do print('again') frame.sleep(0.05) end", "PRV-0043"),
        ("-- \\x17 \\x18\nwhile true do frame.sleep(0.1) end", "PRV-0042"),
        ("frame.bluetooth.send('\\x18other') while true do frame.sleep(0.1) end -- \\x17", "PRV-0004"),
        ("ARGPT_VERSION='other' while true do frame.sleep(0.1) end", "PRV-0004"),
        (
            "frame.bluetooth.receive_callback(function(d) local x = nil .. d end) while true do frame.sleep(0.1) end -- \\x17 \\x18",
            "PRV-0040"
        )
    ])
    func aProgramThatDoesNotLiveFails(main: String, code: String) async throws {
        try await withBench { bench in
            let report = try await bench.flash(AssetSet(try FrameSamples.set(main)))
            #expect(report.error?.code == code, "\(String(describing: report.error))")
        }
    }

    /// On the unit the version's line is in front of it.
    @Test(arguments: ["-- one\nerror('bad')", "print('-- one')\nerror('bad')", "\nerror('bad')"])
    func anErrorHasItsAuthorsLine(main: String) async throws {
        try await withBench { bench in
            let report = try await bench.flash(AssetSet(try FrameSamples.set(main)))
            #expect(report.error?.message.contains("[string \"main.lua\"]:2: bad") == true, "\(String(describing: report.error))")
        }
    }

    @Test(arguments: ["open", "listdir"])
    func aFunctionThatAProgramHasReplacedIsNotBelieved(name: String) async throws {
        try await withBench { bench in
            let hostile =
                "local own=frame.file.\(name) frame.file.\(name)=function(...)return own(...)end while true do frame.sleep(0.1) end"
            try bench.leave("", as: "notes.txt")
            #expect(try await bench.flash(AssetSet(try FrameSamples.telling(hasZeros: false))).passed)
            try bench.leave(hostile, as: "main.lua")
            let scripts = AssetSet(try FrameSamples.telling(hasZeros: false))
            #expect(try await bench.verify(scripts).error?.code == "FRM-0005")
            var options = JobOptions()
            options.force = true
            let flashed = try await bench.flash(scripts, options: options)
            #expect(flashed.passed && flashed.steps.contains { $0.component == .scripts && $0.action == .updated }, "\(flashed)")
            #expect(try await bench.verify(scripts).passed)
        }
    }

    @Test func anOldFirmwareTakesNoByteOfZero() async throws {
        let bench = Bench(.frame(.v24_248))
        defer { bench.remove() }
        let report = try await bench.flash(AssetSet(try FrameSamples.telling()))
        #expect(report.error?.code == "FRM-0006", "\(String(describing: report.error))")
        #expect(try await bench.flash(FrameSamples.assets()).passed)
    }

    @Test func otherFilesStay() async throws {
        try await withBench { bench in
            let assets = AssetSet(try FrameSamples.telling())
            #expect(try await bench.flash(assets).passed)
            try bench.leave("mine", as: "notes.txt")
            try bench.leave("mine", as: "odd.lua.new")
            try bench.leave("old", as: "odd.lua.noafw")
            try bench.leave("old", as: "gone.lua.noafw")
            var options = JobOptions()
            options.force = true
            #expect(try await bench.flash(assets, options: options).passed)
            let proof = try await bench.verify(assets)
            #expect(
                proof.passed
                    && proof.findings[.scripts]?.extras == ["notes.txt is not part of the set", "odd.lua.new is not part of the set"],
                "\(proof)")
        }
    }
}
