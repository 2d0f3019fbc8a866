import Bluetooth
import FrameFamily
import Provisioning
import ScriptBundle
import Support
import TestSupport
import Testing
import VirtualDevices
import VirtualFaults

/// The power fails at a word of the flash while scripts are replaced.
@Suite(.enabled(if: TestTools.mayRunFrameLua, "the virtual Frame's Lua is missing: run Tools/setup runtime"), .serialized)
struct FrameFlashCutTests {
    /// The last words are those of the renaming: each of them, or every third.
    @Test(arguments: TestRange.of(Array(0..<60), quick: stride(from: 1, to: 60, by: 5).map { $0 }))
    func aCutInTheRenamingLeavesOldOrNewOrNeither(back: Int) async throws {
        try await expectNoMixture(cuttingAt: await Upload.words.value() - back)
    }

    @Test(arguments: TestRange.of(Array(0..<120), quick: stride(from: 3, to: 120, by: 12).map { $0 }))
    func aCutInTheUploadLeavesTheOld(step: Int) async throws {
        let words = try await Upload.words.value()
        try await expectNoMixture(cuttingAt: 1 + (words - 60) * step / 120)
    }

    private func expectNoMixture(cuttingAt word: Int) async throws {
        var bench = Bench(.frame)
        defer { bench.remove() }
        let (old, new) = (AssetSet(try FrameSamples.telling()), AssetSet(try Upload.scripts()))
        #expect(try await bench.flash(old).passed)
        bench.faults.flashCuts = [word]
        await #expect(throws: (any Error).self, "cut at word \(word)") { try await Upload.run(on: bench) }
        bench.faults = FaultPlan()
        for assets in [old, new] {
            // Who believes the version is not deceived.
            let believed = try await bench.verify(assets, isDeep: false), proof = try await bench.verify(assets)
            #expect(believed.passed == proof.passed, "cut at word \(word): \(proof)")
            #expect(proof.program?.sign == (proof.passed ? .announced : nil))
        }
        let second = try await bench.flash(new)
        #expect(second.passed, "cut at word \(word): \(String(describing: second.error))")
        let proof = try await bench.verify(new)
        #expect(
            proof.passed && proof.program?.sign == .announced && proof.findings[.scripts]?.extras == [], "cut at word \(word): \(proof)")
    }
}

/// One installation over one link, which nobody takes up again.
private enum Upload {
    static let words = WordCount()

    static func scripts() throws -> ScriptSet {
        var odd = FrameSamples.oddModule
        odd.append(contentsOf: Array("\n-- newer".utf8))
        let main = try #require(try FrameSamples.telling(padding: 500).files.last)
        return try ScriptSet(files: [.init(name: "odd.lua", bytes: odd), main], family: .frame)
    }

    /// - Returns: the words that the unit has written.
    @discardableResult
    static func run(on bench: Bench) async throws -> Int {
        let scripts = try scripts()
        return try await bench.play { central, unit in
            let clock = central.clock
            let rules = try #require(Family.frame.provisioning)
            let link = try await central.connect(to: unit.address, security: .bonded, deadline: clock.deadline(in: .seconds(20)))
            let console = try #require(try await rules.open(link, clock, RestoreGuard()) as? any ProgramConsole)
            _ = try await console.store(for: scripts).install(["odd.lua", "main.lua"]) { _ in }
            return unit.writtenFlashWords
        }
    }
}

/// Measured once.
private actor WordCount {
    private var count: Int?

    func value() async throws -> Int {
        if let count { return count }
        let bench = Bench(.frame)
        defer { bench.remove() }
        #expect(try await bench.flash(AssetSet(try FrameSamples.telling())).passed)
        let measured = try await Upload.run(on: bench)
        count = measured
        return measured
    }
}
