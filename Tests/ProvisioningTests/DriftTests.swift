import Bluetooth
import Foundation
import MonocleFamily
import Provisioning
import Support
import Synchronization
import TestSupport
import Testing
import VirtualDevices

/// What is changed behind the tool's back is found by a deep look, and mended alone.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct DriftTests {
    @Test func oneByteOfFlashIsFoundAndOnlyTheFPGAIsWrittenAgain() async throws {
        let bench = try await Self.provisioned()
        defer { bench.remove() }
        let file = bench.root.appendingPathComponent("fpga-flash.bin")
        var flash = try Data(contentsOf: file)
        flash[70_000] ^= 0x10
        try flash.write(to: file)
        let drifted = try await bench.verify(try Bench.assets())
        #expect(!drifted.passed)
        #expect(drifted.findings[.fpga]?.differences.first?.contains("page 17") == true, "\(drifted)")
        let report = try await bench.flash(try Bench.assets())
        #expect(report.passed)
        #expect(report.steps.map(\.action) == [.current, .updated, .current])
        let proof = try await bench.verify(try Bench.assets())
        #expect(proof.passed)
    }

    @Test func oneByteOfAScriptIsFoundAndOnlyScriptsAreWrittenAgain() async throws {
        let bench = try await Self.provisioned()
        defer { bench.remove() }
        let file = bench.root.appendingPathComponent("files/states.py")
        var script = try Data(contentsOf: file)
        script[0] = UInt8(ascii: "J")
        try script.write(to: file)
        let shallow = try await bench.verify(try Bench.assets(), isDeep: false)
        #expect(shallow.passed, "versions alone do not show it: \(shallow)")
        let drifted = try await bench.verify(try Bench.assets())
        #expect(drifted.findings[.scripts]?.differences.first?.contains("states.py") == true, "\(drifted)")
        let report = try await bench.flash(try Bench.assets())
        #expect(report.steps.map(\.action) == [.current, .current, .updated], "\(report)")
        #expect(try Data(contentsOf: file).first == UInt8(ascii: "I"))
    }

    @Test func dryRunChangesNothing() async throws {
        let bench = Bench()
        defer { bench.remove() }
        var options = JobOptions()
        options.dryRun = true
        let report = try await bench.flash(try Bench.assets(), options: options)
        #expect(report.passed)
        #expect(report.steps.map(\.action) == [.planned, .planned, .planned], "\(report)")
        let after = try await bench.verify(try Bench.assets(), isDeep: false)
        #expect(after.identity.versions[.firmware] == "v23.100.0927")
        #expect(after.identity.versions[.scripts] == nil)
    }

    @Test func forceWritesOnlyWhatIsAskedFor() async throws {
        let bench = try await Self.provisioned()
        defer { bench.remove() }
        var options = JobOptions()
        options.force = true
        options.components = [.scripts]
        let report = try await bench.flash(try Bench.assets(), options: options)
        #expect(report.steps.map(\.action) == [.skipped, .skipped, .updated], "\(report)")
    }

    @Test func lowBatteryStopsTheRunBeforeAnythingIsErased() async throws {
        let bench = try Bench(batteryPercent: 7)
        defer { bench.remove() }
        let flash = try Data(contentsOf: bench.root.appendingPathComponent("fpga-flash.bin"))
        let report = try await bench.flash(try Bench.assets())
        #expect(report.error?.code == "PRV-0005", "\(report)")
        #expect(try Data(contentsOf: bench.root.appendingPathComponent("fpga-flash.bin")) == flash)
    }

    /// Such as a claim that runs out.
    @Test func nothingIsErasedWithoutLeave() async throws {
        let bench = try Bench(batteryPercent: 90)
        defer { bench.remove() }
        let flash = try Data(contentsOf: bench.root.appendingPathComponent("fpga-flash.bin"))
        var options = JobOptions()
        options.components = [.fpga]
        options.beforeErase = { throw ProvisioningError.inBootloader }
        #expect(try await bench.flash(try Bench.assets(), options: options).error?.code == ProvisioningError.inBootloader.diagnosis.code)
        #expect(try Data(contentsOf: bench.root.appendingPathComponent("fpga-flash.bin")) == flash)
    }

    /// What was planned before the new firmware is planned again, and asks for leave of its own.
    @Test func newFirmwareIsNoLeaveToEraseTheRest() async throws {
        let bench = Bench()
        defer { bench.remove() }
        let journal = Journal()
        var options = JobOptions()
        options.beforeErase = { journal.note("leave") }
        let report = try await bench.flash(try Bench.assets(), options: options) { event in
            if case .stage(let stage) = event.content { journal.note(stage.name) }
        }
        #expect(report.passed)
        #expect(report.plan?.components.map(\.action) == [.update, .update, .update])
        let text = journal.text
        let leaves = text.indices.filter { text[$0] == "leave" }
        #expect(leaves.map { text[$0 - 1] } == ["preflight", "preflight"])
        #expect(leaves.map { text[$0 + 1] } == ["bootloader", "erase"], "\(text)")
    }

    private static func files(of bench: Bench) throws -> [String: Data] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: bench.root.path).filter { !$0.hasSuffix(".json") }
        return names.reduce(into: [:]) { $0[$1] = FileManager.default.contents(atPath: bench.root.appendingPathComponent($1).path) }
    }

    /// Such as a record that cannot be kept.
    @Test(arguments: [Component.firmware, .fpga, .scripts])
    func nothingIsChangedBeforeThePlanIsKept(component: Component) async throws {
        let bench = try Bench(batteryPercent: 90)
        defer { bench.remove() }
        let before = try Self.files(of: bench)
        let stages = Mutex<[Stage]>([])
        var options = JobOptions()
        options.components = [component]
        options.beforeChange = { _ in
            let count = stages.withLock(\.count)
            for _ in 0..<1000 { await Task.yield() }
            #expect(stages.withLock(\.count) == count, "the job waits")
            throw ProvisioningError.inBootloader
        }
        let report = try await bench.flash(try Bench.assets(), options: options) { event in
            if case .stage(let stage) = event.content { stages.withLock { $0.append(stage) } }
        }
        #expect(report.error?.code == ProvisioningError.inBootloader.diagnosis.code)
        #expect(try Self.files(of: bench) == before)
    }

    /// 255 is no percentage: what is unknown is not enough, unless the operator says that it does not matter.
    @Test func anUnknownBatteryStopsTheRunUnlessItIsToBeIgnored() async throws {
        let bench = try Bench(batteryPercent: 255)
        defer { bench.remove() }
        let flash = try Data(contentsOf: bench.root.appendingPathComponent("fpga-flash.bin"))
        let refused = try await bench.flash(try Bench.assets())
        #expect(refused.error?.code == "PRV-0018", "\(refused)")
        #expect(try Data(contentsOf: bench.root.appendingPathComponent("fpga-flash.bin")) == flash)
        var options = JobOptions()
        options.minimumBattery = 0
        options.components = [.scripts]
        #expect(try await bench.flash(try Bench.assets(), options: options).passed)
    }

    @Test func newerFirmwareIsNotReplacedByAnOlderOne() async throws {
        let bench = try await Self.provisioned()
        defer { bench.remove() }
        var assets = try Bench.assets()
        assets[.firmware] = try Bench.firmware(version: "v25.001.0001")
        let refused = try await bench.flash(assets)
        #expect(refused.error?.code == "PRV-0006", "\(refused)")
        var options = JobOptions()
        options.allowDowngrade = true
        options.components = [.firmware]
        let insisted = try await bench.flash(assets, options: options)
        #expect(insisted.passed, "\(insisted)")
        #expect(insisted.identity.versions[.firmware] == "v25.001.0001")
    }

    @Test func stopsAtAUnitInItsBootloaderWhenFirmwareIsNotAskedFor() async throws {
        let bench = Bench()
        defer { bench.remove() }
        // Too large to stand beside the old application, which is given up for it.
        let assets = try Bench.assets(firmwareSize: 180_000)
        let report = try await bench.play { central, monocle in
            // Cut the power in the middle of the firmware and give up; then look at the unit in its bootloader.
            let started = Inbox<Void>()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    let run = try ProvisioningJob(
                        family: .monocle, central: central, address: monocle.address, assets: assets, options: JobOptions())
                    _ = try? await run.run {
                        if case .progress(.firmware, _, 8192..., _) = $0.content { started.deliver(()) }
                    }
                }
                _ = try await started.next(before: central.clock.deadline(in: .seconds(60)), on: central.clock)
                monocle.stimulate(.cut(.power))
                group.cancelAll()
                try await group.waitForAll()
            }
            var options = JobOptions()
            options.beforeChange = { _ in throw ProvisioningError.doesNotReturn }
            let refused = try await ProvisioningJob(
                family: .monocle, central: central, address: monocle.address, assets: assets, options: options
            ).run {
                if case .stage(.firmware) = $0.content { Issue.record("the firmware was begun without leave") }
            }
            #expect(refused.error?.code == ProvisioningError.doesNotReturn.diagnosis.code)
            options = JobOptions()
            options.components = [.scripts]
            return try await ProvisioningJob(family: .monocle, central: central, address: monocle.address, assets: assets, options: options)
                .run { _ in }
        }
        #expect(report.error?.code == "PRV-0007", "\(report)")
        let finished = try await bench.flash(assets)
        #expect(finished.passed, "\(finished)")
    }

    @Test func verifyLeavesTheProgramRunning() async throws {
        let bench = try await Self.provisioned()
        defer { bench.remove() }
        let assets = try Bench.assets()
        let answer = try await bench.play { central, monocle in
            let report = try await VerifyJob(
                family: .monocle, central: central, address: monocle.address, assets: assets, isDeep: true
            ).run { _ in }
            #expect(report.passed, "\(report)")
            let clock = central.clock
            let connection = try await central.connect(to: monocle.address, deadline: clock.deadline(in: .seconds(10)))
            let output = try await connection.subscribe(
                to: AttributeID("6e400003-b5a3-f393-e0a9-e50e24dcca9e"), deadline: clock.deadline(in: .seconds(2)))
            try await clock.sleep(until: clock.deadline(in: .seconds(1)))
            let receive = AttributeID("6e400002-b5a3-f393-e0a9-e50e24dcca9e")
            try await connection.write([0x03], to: receive, deadline: clock.deadline(in: .seconds(2)))
            var text = ""
            while let piece = try await output.next(before: clock.deadline(in: .seconds(1)), on: clock) {
                text += String(decoding: piece, as: UTF8.self)
            }
            return text
        }
        // Only a running program can be interrupted.
        #expect(answer.contains("main.py") && answer.contains("KeyboardInterrupt"), "\(answer)")
    }

    static func provisioned() async throws -> Bench {
        let bench = Bench()
        let report = try await bench.flash(try Bench.assets())
        try #require(report.passed, "\(report)")
        return bench
    }
}
