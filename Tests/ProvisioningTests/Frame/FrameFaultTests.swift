import Bluetooth
import FrameFamily
import Provisioning
import ScriptBundle
import Support
import TestSupport
import Testing
import VirtualFaults

@testable import VirtualDevices

/// Bad input and faults, each with a clear message; what was lost comes back.
@Suite(.enabled(if: TestTools.mayRunFrameLua, "the virtual Frame's Lua is missing: run Tools/setup runtime"), .serialized)
struct FrameFaultTests {
    /// A unit that was brought up to date, changed by `prepare` while it is off.
    private func withBench<Value>(
        of firmware: FrameFirmware = .v25_080, _ prepare: (inout Bench) throws -> Void = { _ in },
        _ body: (Bench, AssetSet) async throws -> Value
    ) async throws -> Value {
        var bench = Bench(.frame(firmware))
        defer { bench.remove() }
        let assets = AssetSet(try FrameSamples.telling(hasZeros: firmware == .v25_080))
        let report = try await bench.flash(assets)
        #expect(report.passed, "\(String(describing: report.error))")
        try prepare(&bench)
        return try await body(bench, assets)
    }

    /// A program that prints what answers begin with, for ever; one whose callback raises; one that is not there; garbage.
    @Test(arguments: [
        "while true do print('0123456789abcdef 1 1 2 +5 00000000') end",
        "while true do print(('\\0\\1\\255'):rep(90)) frame.bluetooth.send('x') end",
        "frame.imu.tap_callback(function() error('tap') end) while true do frame.sleep(0.01) end",
        "f = frame.file.open('left', 'w') f:write('x') while true do frame.sleep(0.01) end",
        "frame.microphone.start{} while true do frame.sleep(0.01) end",
        "_nf = 5 while true do frame.sleep(0.01) end", "_nf = setmetatable({}, {__index = error})", "",
    ])
    func whateverRunsIsReplaced(main: String) async throws {
        try await withBench({ try $0.leave(main, as: "main.lua") }) { bench, assets in
            let report = try await bench.flash(assets)
            #expect(report.passed, "\(String(describing: report.error))")
            #expect(try await bench.verify(assets).passed)
        }
    }

    /// Nothing over the air stops it; the cradle does, and wipes it.
    @Test func aProgramThatDoesNotStopIsSaidSo() async throws {
        try await withBench({ try $0.leave("while true do pcall(function() while true do end end) end", as: "main.lua") }) {
            bench, assets in
            let report = try await bench.flash(assets)
            #expect(report.error?.code == "REPL-0011", "\(String(describing: report.error))")
            try bench.unpairUnit()
            let second = try await bench.flash(assets)
            #expect(second.passed, "\(String(describing: second.error))")
        }
    }

    // MARK: - Bonds

    @Test func aStrangersBondIsRefused() async throws {
        try await withBench({ try $0.bondElsewhere() }) { bench, assets in
            let (flash, verify) = (try await bench.flash(assets), try await bench.verify(assets))
            #expect(flash.error != nil && flash.error?.code.hasPrefix("BLE-001") == true, "\(String(describing: flash.error))")
            #expect(verify.error?.code == flash.error?.code)
        }
    }

    @Test func aBondThatTheHostLostIsSaidSo() async throws {
        try await withBench { bench, assets in
            var stranger = Bench(sharing: bench)
            stranger.faults = bench.faults
            let report = try await stranger.flash(assets)
            #expect(report.error?.code == "BLE-0011", "\(String(describing: report.error))")
            #expect(try await bench.verify(assets).passed)
        }
    }

    /// The unit has formatted its files: they come back.
    @Test func aBondThatTheUnitLostIsMadeAnew() async throws {
        try await withBench({ try $0.unpairUnit() }) { bench, assets in
            let report = try await bench.flash(assets)
            #expect(report.passed && report.steps.last?.action == .updated, "\(String(describing: report.error))")
        }
    }

    // MARK: - Files

    /// The old scripts are whole, and nothing of the new ones lies about.
    @Test(arguments: [(FrameFirmware.v24_149, [50_000]), (.v25_080, [65_000, 65_000, 65_000, 60_000])])
    func aFullFileSystemIsToldBeforeAnythingIsLost(firmware: FrameFirmware, fillers: [Int]) async throws {
        try await withBench(of: firmware, { bench in
            for (index, count) in fillers.enumerated() { try bench.leave(String(repeating: "f", count: count), as: "filler\(index)") }
        }) { bench, assets in
            let new = AssetSet(try FrameSamples.telling(padding: 12_000, hasZeros: firmware == .v25_080))
            let report = try await bench.flash(new)
            #expect(report.error?.code == "SCR-0008", "\(String(describing: report.error))")
            let proof = try await bench.verify(assets)
            #expect(proof.passed && proof.program?.sign == .announced, "\(proof)")
            #expect(proof.findings[.scripts]?.extras.count == fillers.count, "\(proof)")
        }
    }

    /// The same length, and one byte that differs.
    @Test func oneWrongByteIsFound() async throws {
        try await withBench({ bench in
            var bytes = FrameSamples.oddModule
            bytes[700] ^= 1
            try bench.frameFolder().put(bytes, at: #require(FramePath(Array("odd.lua".utf8))))
        }) { bench, assets in
            let proof = try await bench.verify(assets)
            #expect(!proof.passed && proof.findings[.scripts]?.differences == ["odd.lua differs in content"], "\(proof)")
            #expect(try await bench.flash(assets).passed)
            #expect(try await bench.verify(assets).passed)
        }
    }

    @Test func aFileThatNoUnitTakesIsRefused() async throws {
        try await withBench { bench, assets in
            let report = try await bench.flash(AssetSet(try FrameSamples.telling(padding: 70_000)))
            #expect(report.error?.code == "SCR-0007", "\(String(describing: report.error))")
            #expect(try await bench.verify(assets).passed)
        }
    }

    /// The command that renames, and those around it.
    @Test(arguments: [FaultPlan.Cut.power, .link], -3...4)
    func aCutWhileScriptsAreRenamedIsRecovered(cut: FaultPlan.Cut, offset: Int) async throws {
        try await withBench { bench, _ in
            let new = AssetSet(try FrameSamples.telling(padding: 1000))
            let packet = try await Self.renamingPacket(of: new)
            var cutting = bench
            cutting.faults.cuts[packet + offset] = cut
            try await cutting.expectRecovery(new, runs: 2)
        }
    }

    private static func renamingPacket(of assets: AssetSet) async throws -> Int {
        let bench = Bench(.frame)
        defer { bench.remove() }
        #expect(try await bench.flash(AssetSet(try FrameSamples.telling())).passed)
        return try #require(try await packets(on: bench) { String(decoding: $0, as: UTF8.self).contains("_nf.m{") } of: { central, unit in
            let report = try await bench.job(assets, for: unit, over: central).run { _ in }
            #expect(report.passed)
        }.first)
    }

    /// The numbers of those among all that come to the unit.
    private static func packets(
        on bench: Bench, _ isWanted: ([UInt8]) -> Bool, of body: @escaping @Sendable (ListeningCentral, VirtualUnit) async throws -> Void
    ) async throws -> [Int] {
        let wire = Wire()
        let total = try await bench.play { central, unit in
            try await body(ListeningCentral(central: central, wire: wire), unit)
            return unit.deliveredPackets
        }
        let packets = wire.packets
        return packets.indices.filter { isWanted(packets[$0]) }.map { total - packets.count + $0 + 1 }
    }

    private static func verify(
        _ assets: AssetSet, _ unit: VirtualUnit, _ central: any Central
    ) async throws -> VerifyReport {
        try await VerifyJob(family: .frame, central: central, address: unit.address, assets: assets, isDeep: true).run { _ in }
    }

    /// Its prompt answers as that of a program that has ended. The first restart is for the proof, the last leaves the program running.
    @Test(arguments: ["while true do frame.sleep(0.1) end --\\x17\\x18", "while true do frame.sleep(0.1) end", "print('over')"])
    func aLostRestartIsDoneAgain(main: String) async throws {
        let bench = Bench(.frame)
        defer { bench.remove() }
        let tells = main.contains("x17"), ends = main.hasPrefix("print")
        let assets = AssetSet(try tells ? FrameSamples.telling() : FrameSamples.set(main))
        #expect(try await bench.flash(assets).error?.code == (ends ? "PRV-0041" : nil))
        let restarts = try await Self.packets(on: bench) { $0 == [4] } of: { _ = try await Self.verify(assets, $1, $0) }
        #expect(restarts.count == 2)
        for packet in restarts {
            var losing = bench
            losing.faults.lostPackets = [packet]
            try await losing.play { central, unit in
                let report = try await Self.verify(assets, unit, central)
                #expect(report.error?.code == (ends ? "PRV-0041" : nil), "\(packet): \(report)")
                #expect(unit.isAtPrompt == ends, "\(packet)")
            }
        }
    }

    // MARK: - The cradle

    /// It sleeps right after its update: the remedy says so, and off the cradle the next run ends it.
    @Test func aDockedUnitThatDoesNotComeBackIsSaidSo() async throws {
        let bench = Bench(.frame)
        defer { bench.remove() }
        let assets = try FrameSamples.assets()
        let report = try await bench.play { central, unit in
            try await ProvisioningJob(family: .frame, central: central, address: unit.address, assets: assets, options: JobOptions())
                .run { if case .stage(.firmware) = $0.content { unit.stimulate(.dock) } }
        }
        #expect(report.error?.code == "PRV-0003", "\(String(describing: report.error))")
        #expect(report.error?.remedy.contains("charger") == true)
        let second = try await bench.play { central, unit in
            unit.stimulate(.undock)
            return try await ProvisioningJob(family: .frame, central: central, address: unit.address, assets: assets, options: JobOptions())
                .run { _ in }
        }
        #expect(second.passed, "\(String(describing: second.error))")
    }
}
