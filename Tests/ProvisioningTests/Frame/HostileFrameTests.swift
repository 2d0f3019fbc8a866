import FrameFamily
import Provisioning
import REPL
import Support
import TestSupport
import Testing

@testable import VirtualDevices

/// Programs that take from the unit what a host asks it with: a flash gets past them, or says what alone helps.
@Suite(.enabled(if: TestTools.mayRunFrameLua, "the virtual Frame's Lua is missing: run Tools/setup runtime"), .serialized)
struct HostileFrameTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var main: String
        /// Of a verification.
        var code: String
        /// Of a flash; `nil` where it replaces the program.
        var flashCode: String?

        init(_ main: String, _ code: String, flash: String? = nil) { (self.main, self.code, flashCode) = (main + wait, code, flash) }

        private let wait = " while true do frame.sleep(0.1) end"
        var testDescription: String { main }
    }

    /// What a program takes away, and what is then said.
    static let cases = [
        Case("load=nil", "REPL-0014"),
        Case("pcall=nil", "REPL-0014"),
        Case("pcall=function() return true,'x' end", "REPL-0014"),
        Case("pcall=function() return true,'x' end error=print type=print tostring=print", "REPL-0014"),
        Case("pcall=function() return false,'x' end", "REPL-0014"),
        Case("print=nil", "REPL-0014"),
        Case("print=function() end", "REPL-0014"),
        Case("table=nil", "REPL-0014"),
        Case("math=nil", "REPL-0014"),
        Case("string=nil", "REPL-0014"),
        Case("ipairs=nil", "REPL-0014"),
        Case("tostring=function() return 'x' end", "REPL-0014"),
        Case("frame.battery_level=nil", "REPL-0014"),
        // No file can be given another name.
        Case("frame.file=nil", "REPL-0014", flash: "REPL-0014"),
        Case(hoarding(down: [4000, 400, 50]), "REPL-0014"),
        // The firmware draws when a program ends, and restarts where it cannot (frame-codebase, `luaport.c`).
        Case("getmetatable('').__index=nil", "PRV-0029", flash: "PRV-0029"),
        Case("frame={} while true do end --", "PRV-0029", flash: "PRV-0029"),
        Case("while true do pcall(function() while true do end end) end --", "REPL-0011", flash: "REPL-0011"),
        Case("coroutine.wrap(function() while true do end end)() --", "REPL-0011", flash: "REPL-0011"),
    ]

    /// Takes memory in ever smaller pieces, of bytes, until none is left of the last size.
    private static func hoarding(down sizes: [Int]) -> String {
        "local size local function take() hoard={hoard,('x'):rep(size)} end "
            + "for _,each in ipairs{\(sizes.map(String.init).joined(separator: ","))} do size=each while pcall(take) do end end"
    }

    /// Whatever a program leaves of the memory: the unit is asked and right, or the program is named.
    @Test(arguments: [400, 1000, 2500, 5000, 7500, 10_000, 15_000, 22_000]) func aHoardIsNamedOrInNobodysWay(least: Int) async throws {
        let bench = Bench(.frame)
        defer { bench.remove() }
        let assets = AssetSet(try FrameSamples.telling())
        #expect(try await bench.flash(assets).passed)
        try bench.leave(Case(Self.hoarding(down: [least]), "").main, as: "main.lua")
        for isDeep in [false, true] {
            let proof = try await bench.verify(assets, isDeep: isDeep)
            #expect([nil, "PRV-0020", "REPL-0014"].contains(proof.error?.code), "\(String(describing: proof.error))")
            #expect(!proof.passed, "another program than was installed")
        }
        #expect(try await bench.flash(assets).passed)
    }

    @Test(arguments: cases) func aProgramIsPassedByOrTheAdviceIsTrue(given: Case) async throws {
        let bench = Bench(.frame)
        defer { bench.remove() }
        let assets = AssetSet(try FrameSamples.telling())
        #expect(try await bench.flash(assets).passed)
        try bench.leave(given.main, as: "main.lua")
        for isDeep in [false, true] {
            let proof = try await bench.verify(assets, isDeep: isDeep)
            #expect(proof.error?.code == given.code, "\(String(describing: proof.error))")
            Self.expectAdvice(proof.error)
        }
        let journal = Journal()
        let report = try await bench.flash(assets) { journal.add($0) }
        #expect(report.error?.code == given.flashCode, "\(String(describing: report.error)) \(journal.text)")
        if report.passed {
            #expect(try await bench.verify(assets).passed)
        } else {
            Self.expectAdvice(report.error)
            try bench.unpairUnit()
            let cured = try await bench.flash(assets)
            #expect(cured.passed, "\(String(describing: cured.error))")
        }
    }

    /// What is said is the unit's fault, and what to do leads out of it.
    private static func expectAdvice(_ error: Diagnosis?) {
        #expect(error?.category == .unitFailed && error?.category.rawValue == 1, "\(String(describing: error))")
        #expect(error?.remedy.contains("press the cradle's button") == true, "\(String(describing: error))")
        #expect(error?.remedy.contains("closer") == false && error?.remedy.contains("--min-battery") == false)
    }

    /// It fills the file system at each start. What was written to it stays until somebody takes it away.
    @Test func aFullStoreIsNamed() async throws {
        let bench = Bench(.frame)
        defer { bench.remove() }
        let assets = AssetSet(try FrameSamples.telling())
        #expect(try await bench.flash(assets).passed)
        try bench.leave(
            """
            for i=1,20 do
            local f=frame.file.open("junk"..i,"w")
            while pcall(f.write,f,("j"):rep(4000)) do end
            f:close()
            end
            while true do frame.sleep(0.1) end
            """, as: "main.lua")
        _ = try await bench.play { central, _ in try await central.clock.sleep(until: central.clock.deadline(in: .seconds(120))) }
        let report = try await bench.flash(AssetSet(try FrameSamples.telling(padding: 9000)))
        #expect(report.error?.code == "SCR-0008", "\(String(describing: report.error))")
        #expect(report.error?.remedy.contains("noafw console: frame.file.remove(\"junk1\")") == true, "\(String(describing: report.error))")
    }

    /// Folders, too, take room; what the remedy says makes room.
    @Test func foldersThatFillTheStoreAreNamed() async throws {
        let bench = Bench(.frame)
        defer { bench.remove() }
        #expect(try await bench.flash(AssetSet(try FrameSamples.telling())).passed)
        for number in 10..<25 { try bench.makeFolder("d\(number)/e") }
        let assets = AssetSet(try FrameSamples.telling(padding: 30_000))
        let report = try await bench.flash(assets)
        let error = try #require(report.error)
        #expect(error.code == "SCR-0008", "\(error)")
        let code = try #require(error.remedy.firstMatch(of: /noafw console: (.*?) \(or those/)?.output.1)
        let console = try await bench.play { central, unit in
            let connection = try await central.connect(
                to: unit.address, security: .bonded, deadline: central.clock.deadline(in: .seconds(20)))
            let repl = try await LuaREPL.attach(to: connection, clock: central.clock, within: .seconds(20))
            _ = try await repl.runText(String(code), within: .seconds(60))
            let names = try await repl.runText(
                "local n=0 for _,e in ipairs(frame.file.listdir(''))do if e.type==2 then n=n+1 end end return n", within: .seconds(20))
            await repl.close()
            await connection.disconnect()
            return names
        }
        #expect(console == "9", "eight of 15 are gone, two are . and ..: \(code)")
    }

    /// It goes into its bootloader at each start: only the cradle ends that.
    @Test func aProgramThatGoesIntoTheBootloaderIsSaidSo() async throws {
        let bench = Bench(.frame)
        defer { bench.remove() }
        // Twice as long as what stands behind it: the files stay.
        let assets = try FrameSamples.assets(firmware: 500_000)
        #expect(try await bench.flash(assets).passed)
        try bench.leave("frame.update()", as: "main.lua")
        let proof = try await bench.verify(assets)
        #expect(proof.error?.code == "PRV-0007", "\(String(describing: proof.error))")
        let report = try await bench.flash(assets)
        #expect(report.error?.code == "PRV-0012", "\(String(describing: report.error))")
        Self.expectAdvice(report.error)
    }
}
