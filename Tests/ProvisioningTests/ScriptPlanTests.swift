import FrameFamily
import MonocleFamily
import Provisioning
import ScriptBundle
import Support
import TestSupport
import Testing

@testable import VirtualDevices

/// What a dry run says of scripts is what the run then does.
@Suite(.enabled(if: TestTools.mayRunFrameLua && TestTools.mayRunMicroPython, "a virtual unit's interpreter is missing"), .serialized)
struct ScriptPlanTests {
    enum Kind: CaseIterable {
        case monocle, frame

        var bench: Bench { self == .monocle ? Bench() : Bench(.frame) }

        func scripts(_ sizes: [Int]) throws -> ScriptSet {
            let comment: UInt8 = UInt8(ascii: self == .monocle ? "#" : "-")
            let (suffix, main) =
                self == .monocle ? (".py", "import time\nwhile 1:\n time.sleep(1)\n") : (".lua", "while true do frame.sleep(.1) end")
            let files = sizes.enumerated().map { index, size in
                ScriptSet.File(
                    name: "part\(100 + index)\(suffix)",
                    bytes: [comment, comment] + SeededNumbers.bytes(size, seed: UInt64(index)).map { UInt8(ascii: "a") + $0 % 26 })
            }
            return try ScriptSet(
                files: files + [.init(name: "main" + suffix, bytes: Array(main.utf8))], family: self == .monocle ? .monocle : .frame)
        }
    }

    private func dryRun(_ bench: Bench, _ assets: AssetSet) async throws -> UnitReport {
        var options = JobOptions()
        options.dryRun = true
        return try await bench.flash(assets, options: options)
    }

    @Test(arguments: Kind.allCases, [[1000], [30_000, 200, 200, 200], Array(repeating: 100, count: 30)])
    func thePlansSecondsAreThoseOfTheRun(kind: Kind, sizes: [Int]) async throws {
        let bench = kind.bench
        defer { bench.remove() }
        let assets = AssetSet(try kind.scripts(sizes))
        let planned = try await dryRun(bench, assets)
        let report = try await bench.flash(assets)
        #expect(planned.passed && report.passed, "\(String(describing: report.error))")
        let (expected, taken) = (try #require(planned.plan).seconds, try #require(report.steps.last).seconds)
        print("\(kind) \(sizes.count) files, \(sizes.reduce(0, +)) bytes: expected \(expected) s, took \(taken) s")
        #expect(expected > taken * 0.5 && expected < taken * 2, "expected \(expected) s, took \(taken) s")
    }

    /// What does not fit is said by the dry run, with the code of the run.
    @Test(arguments: Kind.allCases) func whatDoesNotFitIsForeseen(kind: Kind) async throws {
        let bench = kind.bench
        defer { bench.remove() }
        let assets = AssetSet(try kind.scripts(Array(repeating: 60_000, count: 12)))
        let (planned, report) = (try await dryRun(bench, assets), try await bench.flash(assets))
        #expect(planned.error?.code == "SCR-0008" && report.error?.code == "SCR-0008", "\(planned) \(report)")
    }

    /// Small files stand in their folder and take no blocks (littlefs, `SPEC.md`).
    @Test(arguments: Kind.allCases) func manySmallFilesLeaveRoom(kind: Kind) async throws {
        let bench = kind.bench
        defer { bench.remove() }
        #expect(try await bench.flash(AssetSet(try kind.scripts(Array(repeating: 20, count: 60)))).passed)
        let report = try await bench.flash(AssetSet(try kind.scripts([40_000])))
        #expect(report.passed, "\(String(describing: report.error))")
    }

    /// What the client counts is what the virtual unit's file system takes.
    @Test func blocksAreThoseOfTheUnit() {
        let blocks = FileBlocks(size: 4096, cacheSize: 32)
        for count in stride(from: 0, through: 65_536, by: 127) { #expect(blocks.count(of: count) == FrameBlocks.count(of: count)) }
    }
}
