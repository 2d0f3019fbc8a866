import Bluetooth
import FPGA
import Foundation
import MonocleFamily
import Provisioning
import REPL
import ScriptBundle
import Support
import TestSupport
import Testing
import VirtualDevices

/// Units and assets that only one guard tells from the right ones.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct GuardTests {
    private static let other = "v26.366.2359"

    private func flash(in bench: Bench) throws -> Data { try Data(contentsOf: bench.root.appendingPathComponent("fpga-flash.bin")) }

    // MARK: - Battery

    @Test(arguments: [(20, true), (19, false), (11, false)], [Set<Component>([.firmware]), [.fpga]])
    func theBatteryIsEnoughFromTheLimitOn(charge: (percent: Int, isEnough: Bool), parts: Set<Component>) async throws {
        let bench = try Bench(batteryPercent: charge.percent)
        defer { bench.remove() }
        let before = try flash(in: bench)
        var options = JobOptions()
        options.components = parts
        options.dryRun = true
        let plan = try await bench.flash(try Bench.assets(), options: options)
        #expect(plan.error?.code == (charge.isEnough ? nil : "PRV-0005"), "\(plan)")
        options.dryRun = charge.isEnough
        let report = try await bench.flash(try Bench.assets(), options: options)
        #expect(report.passed == charge.isEnough, "\(report)")
        #expect(try flash(in: bench) == before)
    }

    // MARK: - Age

    @Test(arguments: [
        (Bench.firmwareVersion, nil), ("v20.001.0000", nil), (other, "PRV-0006"), ("?", "PRV-0011"), (nil, "PRV-0011"),
    ] as [(String?, String?)])
    func newerFirmwareIsNotReplaced(held: String?, code: String?) throws {
        let updater = NordicFirmwareUpdater(try Bench.firmware())
        var unit = UnitIdentity(address: try #require(DeviceAddress("C0:00:00:00:00:01")), name: "unit")
        unit.versions[.firmware] = held
        do {
            try updater.checkAge(on: unit)
            #expect(code == nil)
        } catch let error as ProvisioningError {
            #expect(error.diagnosis.code == code)
        }
    }

    // MARK: - What came up

    /// The package says another version than the unit does once it runs it: nothing is built on that.
    @Test func firmwareThatSaysAnotherVersionEndsTheRun() async throws {
        let bench = try Bench(batteryPercent: 80)
        defer { bench.remove() }
        var assets = try Bench.assets()
        assets[.firmware] = try Bench.firmware(version: Bench.firmwareVersion, stated: Self.other)
        let before = try flash(in: bench)
        let report = try await bench.flash(assets)
        #expect(report.error?.code == "PRV-0004", "\(report)")
        #expect(report.steps.map(\.action).dropFirst() == [.skipped, .skipped], "\(report)")
        #expect(try flash(in: bench) == before)
    }

    @Test func anFPGAThatSaysAnotherVersionEndsTheRun() async throws {
        let bench = Bench()
        defer { bench.remove() }
        var assets = try Bench.assets()
        assets[.fpga] = BitstreamAsset(image: try FPGAImage(Bench.bitstream(), isChecked: false), version: Self.other)
        var options = JobOptions()
        options.components = [.fpga, .scripts]
        let report = try await bench.flash(assets, options: options)
        #expect(report.error?.code == "PRV-0010", "\(report)")
        #expect(report.steps.last?.action == .skipped, "\(report)")
    }

    /// A program that replaces itself as soon as it runs: the unit's last word counts, not what was written.
    @Test func scriptsThatSayAnotherVersionAfterTheirStartAreNotProved() async throws {
        let bench = Bench()
        defer { bench.remove() }
        let program = """
            f=open('main.py','rb')
            t=f.read()
            f.close()
            f=open('main.py','wb')
            f.write(b'ARGPT_VERSION="another"\\n'+t)
            f.close()
            import time
            while True:
                time.sleep(1)

            """
        var assets = try Bench.assets()
        assets[.scripts] = try ScriptSet(files: [.init(name: "main.py", bytes: Array(program.utf8))])
        var options = JobOptions()
        options.components = [.scripts]
        let report = try await bench.flash(assets, options: options)
        #expect(report.error?.code == "PRV-0004", "\(report)")
        #expect(!report.passed)
    }

    // MARK: - Verification

    @Test func verifyComparesEachVersion() async throws {
        let bench = try await DriftTests.provisioned()
        defer { bench.remove() }
        var assets = try Bench.assets()
        assets[.firmware] = try Bench.firmware(version: Bench.firmwareVersion, stated: Self.other)
        assets[.fpga] = BitstreamAsset(image: try FPGAImage(Bench.bitstream(), isChecked: false), version: Self.other)
        assets[.scripts] = try ScriptSet(files: [.init(name: "main.py", bytes: Array("pass\n".utf8))])
        let report = try await bench.verify(assets, isDeep: false)
        #expect(!report.passed)
        for part in TestFamilies.all.components { #expect(report.findings[part]?.matches == false, "\(part): \(report)") }
    }

    /// The FPGA was loaded before its flash changed, so it still says the right version.
    @Test func aFlashThatChangedUnderTheRunningFPGAIsFoundAndWritten() async throws {
        let bench = try await DriftTests.provisioned()
        defer { bench.remove() }
        let assets = try Bench.assets()
        try await bench.play { central, monocle in
            let clock = central.clock
            let connection = try await central.connect(to: monocle.address, deadline: clock.deadline(in: .seconds(10)))
            let repl = try await PythonREPL.attach(to: connection, clock: clock, within: .seconds(10))
            _ = try await repl.runText("import update;update.Fpga.write(bytes(16))", within: .seconds(5))
            await repl.close()
            await connection.disconnect()
            let look = try await VerifyJob(family: .monocle, central: central, address: monocle.address, assets: assets, isDeep: true)
                .run { _ in }
            #expect(look.identity.versions[.fpga] == Bench.fpgaVersion)
            #expect(look.findings[.fpga]?.differences == ["page 0 of the FPGA flash"], "\(look)")
            #expect(!look.passed)
            var options = JobOptions()
            options.components = [.fpga]
            let report = try await ProvisioningJob(
                family: .monocle, central: central, address: monocle.address, assets: assets, options: options
            )
                .run { _ in }
            #expect(report.passed && report.steps.first { $0.component == .fpga }?.action == .updated, "\(report)")
        }
    }
}
