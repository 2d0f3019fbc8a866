import Bluetooth
import ESPImage
import Foundation
import Provisioning
import Support
import Synchronization
import TestSupport
import Testing
import VirtualDevices

@testable import KeyboardFamily

/// Firmware over Wi-Fi: whatever goes wrong, the verdict is what the unit runs afterwards.
@Suite struct OTATests {
    private let image = ESPImageRecipe(version: "2.11.0").bytes
    /// Each of its tenths ends in another piece of the server's and another sector of the unit's flash.
    private static let longImage = {
        var recipe = ESPImageRecipe(version: "2.11.0")
        recipe.codeByteCount = 1 << 20
        return recipe.bytes
    }()

    @Test func anImageArrivesAndIsReadBack() async throws {
        let bench = try OTABench()
        let stages = Mutex<[String]>([])
        let notices = Mutex<[String]>([])
        let report = try await bench.run { [image] in
            try await bench.flash(image) { event in
                if case .stage(let stage) = event.content { stages.withLock { $0.append(stage.name) } }
                if let notice = event.notice { notices.withLock { $0.append(notice) } }
            }
        }
        #expect(report.passed, "\(String(describing: report.error))")
        #expect(report.steps.map(\.action) == [.updated] && report.steps.map(\.from) == ["2.10.0"])
        #expect(report.firmware == "2.11.0" && report.recoveries.isEmpty)
        #expect(report.identity.facts.map(\.name) == ["uptime_seconds", "wifi_dbm"])
        #expect(bench.slot(1) == image && bench.slot(0) == nil)
        #expect(stages.withLock { $0 } == ["connect", "probe", "download", "restart", "proof"])
        #expect(notices.withLock { $0 }.contains { $0.contains("checks no signature") })
    }

    @Test func whatIsCurrentIsNotWritten() async throws {
        let bench = try OTABench()
        let current = ESPImageRecipe(version: "2.10.0").bytes
        let report = try await bench.run { try await bench.flash(current) }
        #expect(report.passed && report.steps.map(\.action) == [.current])
        #expect(bench.slot(1) == nil)
    }

    @Test(arguments: 0..<10) func aCutIsMended(tenth: Int) async throws {
        var faults = KeyboardNetworkFaults()
        let image = Self.longImage
        faults.cuts = [1: image.count * tenth / 10]
        let bench = try OTABench(faults)
        let report = try await bench.run { try await bench.flash(image) }
        #expect(report.passed && report.firmware == "2.11.0", "\(String(describing: report.error))")
        #expect(report.recoveries.map(\.reason.code) == ["OTA-000C"])
        #expect(bench.slot(1) == image)
    }

    @Test(arguments: 0..<10) func aDownloadThatAlwaysBreaksFails(tenth: Int) async throws {
        var faults = KeyboardNetworkFaults()
        let image = Self.longImage
        faults.cuts = [0: image.count * tenth / 10]
        let bench = try OTABench(faults)
        let (report, status) = try await bench.run { (try await bench.flash(image), try await bench.status()) }
        #expect(report.error?.code == "OTA-000C" && !report.passed)
        #expect(status.version == "2.10.0" && bench.slot(1) == nil)
    }

    @Test func aUnitThatDoesNotComeBackFails() async throws {
        var faults = KeyboardNetworkFaults()
        faults.hangs = ["2.11.0"]
        let bench = try OTABench(faults)
        let report = try await bench.run { [image] in try await bench.flash(image) }
        #expect(report.error?.code == "OTA-0010" && report.error?.fault == .unit)
    }

    @Test func aUnitThatIsBackWithoutBluetoothFails() async throws {
        var faults = KeyboardNetworkFaults()
        faults.radioless = ["2.11.0"]
        let bench = try OTABench(faults)
        let report = try await bench.run { [image] in try await bench.flash(image) }
        #expect(report.error?.code == "OTA-0011")
    }

    @Test func aRollbackFailsAndTheUnitWorks() async throws {
        var faults = KeyboardNetworkFaults()
        faults.dies = ["2.11.0"]
        let bench = try OTABench(faults)
        let (report, status) = try await bench.run { [image] in (try await bench.flash(image), try await bench.status()) }
        #expect(report.error?.code == "OTA-0012" && !report.passed)
        #expect(status.version == "2.10.0")
        let other = ESPImageRecipe(version: "2.12.0").bytes
        let again = try OTABench(faults)
        let second = try await again.run { [image] in
            _ = try await again.flash(image)
            return try await again.flash(other)
        }
        #expect(second.passed && second.firmware == "2.12.0", "\(String(describing: second.error))")
    }

    @Test func aUnitThatDoesNotRestartFails() async throws {
        var faults = KeyboardNetworkFaults()
        faults.neverRestarts = true
        let bench = try OTABench(faults)
        let report = try await bench.run { [image] in try await bench.flash(image) }
        #expect(report.error?.code == "OTA-000F")
    }

    /// It answers, and has run for longer than since the order: what it says is its old firmware's.
    @Test func aUnitThatStillRunsHasNotRestarted() async throws {
        let bench = try OTABench()
        await #expect(throws: OTAError.doesNotRestart) {
            try await bench.run {
                let clock = bench.air.time.clock
                try await clock.sleep(until: clock.deadline(in: .seconds(30)))
                let order = clock.now
                try await clock.sleep(until: clock.deadline(in: .seconds(5)))
                try await KeyboardUpdate(http: bench.http(), image: []).waitForRestart(since: order)
            }
        }
    }

    @Test func whatTheUnitRefusesFails() async throws {
        var faults = KeyboardNetworkFaults()
        faults.isFlashBad = true
        let bench = try OTABench(faults)
        let report = try await bench.run { [image] in try await bench.flash(image) }
        #expect(report.error?.code == "OTA-000E" && bench.slot(1) == nil)
    }

    /// Two keyboards have the same name, over Bluetooth and in the network.
    @Test func anotherUnitsAddressIsRefusedBeforeAnythingIsWritten() async throws {
        let bench = try OTABench(KeyboardNetworkFaults(), KeyboardNetworkFaults())
        let (report, other) = try await bench.run { [image] in
            (try await bench.flash(image, at: 1), try await bench.status(of: 1))
        }
        #expect(report.error?.code == "OTA-0005")
        #expect(other.update == .idle && other.version == "2.10.0")
    }

    @Test func anOlderImageNeedsPermission() async throws {
        let old = ESPImageRecipe(version: "2.9.9").bytes
        let bench = try OTABench()
        let refused = try await bench.run { try await bench.flash(old) }
        #expect(refused.error?.code == "PRV-0006" && bench.slot(1) == nil)
        var options = JobOptions()
        options.allowDowngrade = true
        let allowed = try OTABench()
        let report = try await allowed.run { [options] in try await allowed.flash(old, options) }
        #expect(report.passed && report.firmware == "2.9.9")
    }

    /// Afterwards nothing would show which of the two runs.
    @Test func theSameVersionIsNotForced() async throws {
        var options = JobOptions()
        options.force = true
        let bench = try OTABench()
        let report = try await bench.run { [options] in try await bench.flash(ESPImageRecipe(version: "2.10.0").bytes, options) }
        #expect(report.error?.code == "OTA-0007" && bench.slot(1) == nil)
    }

    @Test func aDryRunWritesNothing() async throws {
        var options = JobOptions()
        options.dryRun = true
        let bench = try OTABench()
        let report = try await bench.run { [image, options] in try await bench.flash(image, options) }
        #expect(report.passed && report.steps.map(\.action) == [.planned])
        #expect(bench.slot(1) == nil)
    }

    @Test func whoIsNotAllowedWritesNothing() async throws {
        var options = JobOptions()
        options.beforeErase = { throw ProvisioningError.notPermitted }
        let bench = try OTABench()
        let report = try await bench.run { [image, options] in try await bench.flash(image, options) }
        #expect(report.error?.code == "PRV-0019" && bench.slot(1) == nil)
    }

    @Test func anInterruptedRunEndsAtOnceAndTheNextOnePasses() async throws {
        let bench = try OTABench()
        let large = { () -> [UInt8] in
            var recipe = ESPImageRecipe(version: "2.11.0")
            recipe.codeByteCount = 400_000
            return recipe.bytes
        }()
        try await bench.run {
            let running = Mutex<Task<UnitReport, any Error>?>(nil)
            let task = bench.air.time.clock.task {
                try await bench.flash(large) { event in
                    if case .progress(let stage, _, let done, let total) = event.content, stage.name == "download", done * 2 > total {
                        running.withLock { $0?.cancel() }
                    }
                }
            }
            running.withLock { $0 = task }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await bench.status().version == "2.10.0" && bench.slot(1) == nil)
            let report = try await bench.flash(large)
            #expect(report.passed && report.firmware == "2.11.0", "\(String(describing: report.error))")
        }
    }

    @Test func aUnitWithoutWiFiIsNotFound() async throws {
        let bench = try OTABench(knowsWiFi: false)
        let report = try await bench.run { [image] in try await bench.flash(image) }
        #expect(report.error?.code == "PRV-0001")
    }

    @Test func verificationReadsTheVersionAndChangesNothing() async throws {
        let bench = try OTABench()
        let (same, other, status) = try await bench.run { [image] in
            (try await bench.verify(ESPImageRecipe(version: "2.10.0").bytes), try await bench.verify(image), try await bench.status())
        }
        #expect(same.passed)
        #expect(!other.passed && other.findings[.firmware]?.actual == "2.10.0" && other.findings[.firmware]?.expected == "2.11.0")
        #expect(status.update == .idle && bench.slot(1) == nil)
    }

    @Test func imagesForOtherUnitsAreRefusedBeforeAnythingIsSent() throws {
        func error(_ change: (inout ESPImageRecipe) -> Void) -> String? {
            var recipe = ESPImageRecipe()
            change(&recipe)
            do {
                _ = try KeyboardFirmware(recipe.bytes)
                return nil
            } catch { return diagnose(error).code }
        }
        #expect(error { $0.chip = 5 } == "ESP-000A")
        #expect(error { $0.projectName = "blink" } == "ESP-000B")
        #expect(error { $0.codeByteCount = 0x18_0000 } == "ESP-000C")
        #expect(error { $0.hasDigest = false } == "ESP-0009")
        #expect(error { _ in } == nil)
    }
}
