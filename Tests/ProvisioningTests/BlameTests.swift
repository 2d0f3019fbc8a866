import Bluetooth
import Cryptography
import DFU
import FPGA
import Foundation
import MonocleFamily
import Support
import Synchronization
import TestSupport
import Testing
import VirtualDevices
import VirtualFaults

@testable import Provisioning

/// Bootloaders that are none: what a run says of them, and how often it tries.
@Suite struct OddBootloaderTests {
    private func flash(
        stays: Bool = false, refusal: UInt8? = nil, lostLastExecutes: Int = 0, family: Family = .monocle
    ) async throws -> (UnitReport, connects: Int) {
        try await play(stays: stays, refusal: refusal, lostLastExecutes: lostLastExecutes) { unit, firmware in
            let run = try ProvisioningJob(
                family: family, central: unit, address: StrandedUnit.application, assets: AssetSet(firmware), options: JobOptions())
            return (try await run.run { _ in }, unit.connectCount)
        }
    }

    private func play<Value: Sendable>(
        stays: Bool = false, refusal: UInt8? = nil, lostLastExecutes: Int = 0, cutAt: Int? = nil,
        _ body: @escaping @Sendable (StrandedUnit, FirmwareAsset) async throws -> Value
    ) async throws -> Value {
        let key = try SigningKey.generate()
        var image = (0..<12_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        image.replaceSubrange(64..<78, with: [0] + Array("v26.200.0001".utf8) + [0])
        let packet = try InitPacketBuilder(image: image, firmwareVersion: 1, target: .monocle).signed(by: key)
        let package = try DFUPackage(bytes: try DFUPackageWriter(image: image, initPacket: packet).archive())
        let firmware = try FirmwareAsset(package: package, version: nil, target: .monocle, trusting: [key.trusted(as: "test")])
        let time = VirtualTime.simulated()
        let coordinates = key.publicCoordinates
        return try await time.run {
            let unit = StrandedUnit(
                .monocle, clock: time.clock, key: coordinates.prefix(32).reversed() + coordinates.dropFirst(32).reversed(), cutAt: cutAt,
                lostLastExecutes: lostLastExecutes, stays: stays, refusal: refusal)
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await unit.play() }
                defer { group.cancelAll() }
                return try await body(unit, firmware)
            }
        }
    }

    /// It takes everything, and stays on the air.
    @Test func twoWholeTransfersAreEnough() async throws {
        let (report, connects) = try await flash(stays: true)
        #expect(report.error?.code == "PRV-0012", "\(report)")
        #expect(connects == 2)
        #expect(report.steps.first?.action == .failed)
    }

    /// Whatever became of the unit after them: no third one is begun.
    @Test func afterTwoWholeTransfersNoneIsBegun() async throws {
        try await play { unit, firmware in
            let job = Self.job(unit.clock)
            job.count { $0.whole = TransferCounts.wholeLimit }
            let lease = UnitLease(try UnitLocator(central: unit, family: .monocle, address: StrandedUnit.application))
            await #expect(throws: ProvisioningError.staysInBootloader(lease.address, transfers: 2)) {
                try await NordicFirmwareUpdater(firmware).transfer(lease, job)
            }
            #expect(unit.connectCount == 0)
        }
    }

    /// The next one then saves more often.
    @Test func aTransferWhoseLinkWasLostIsCounted() async throws {
        try await play(cutAt: 20) { unit, firmware in
            let job = Self.job(unit.clock)
            let lease = UnitLease(try UnitLocator(central: unit, family: .monocle, address: StrandedUnit.application))
            await #expect(throws: (any Error).self) { try await NordicFirmwareUpdater(firmware).transfer(lease, job) }
            #expect(job.transfers.lost == 1 && job.transfers.whole == 0)
        }
    }

    private static func job(_ clock: SessionClock) -> JobState {
        JobState(
            unit: UnitIdentity(address: StrandedUnit.application, name: "monocle"), family: .monocle, components: Family.monocle.components,
            options: JobOptions(), expecting: [], clock: clock, report: { _ in })
    }

    /// A link that breaks at the last EXECUTE has proved nothing: it is a lost link and no whole transfer, and the next one goes on.
    @Test func aTransferWhoseEndWasNotConfirmedIsNotWhole() async throws {
        let (report, connects) = try await flash(lostLastExecutes: 2, family: .monocle.stating("v26.200.0001"))
        #expect(report.passed, "\(report)")
        #expect(connects == 3)
        #expect(report.recoveries.count == 2 && report.recoveries.allSatisfy { $0.reason.code.hasPrefix("DFU-") }, "\(report.recoveries)")
    }

    /// Asking again changes nothing about a demand for pairing or encryption.
    @Test(arguments: [0x05, 0x0F] as [UInt8]) func aDemandForPairingIsNamedAndEndsTheRun(error: UInt8) async throws {
        let (report, connects) = try await flash(refusal: error)
        #expect(report.error?.code == "BLE-0005" && report.error?.cause.contains("pairing") == true, "\(report)")
        #expect(report.error?.message.contains("refused a subscription") == true)
        #expect(connects == 1)
    }
}

/// What a run says of units that are not what they should be.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct BlameTests {
    /// The unit took everything, and nobody knows its image: it is erased again, and the built-in one runs.
    @Test(arguments: [false, true]) func anImageThatDoesNotRunIsTakenOutAgain(isKnown: Bool) async throws {
        let bench = Bench()
        defer { bench.remove() }
        var assets = try Bench.assets()
        let content = isKnown ? Bench.bitstream() : [1, 2, 3]
        assets[.fpga] = BitstreamAsset(
            image: try FPGAImage(content, isChecked: false), version: isKnown ? "v26.366.2359" : Bench.fpgaVersion)
        var options = JobOptions()
        options.components = [.fpga]
        let journal = Journal()
        let report = try await bench.flash(assets, options: options) { journal.add($0) }
        let error = try #require(report.error)
        #expect(error.code == "PRV-0010", "\(report)")
        #expect(error.message.contains(isKnown ? "reports v26.300.1201 instead of" : "does not answer instead of"))
        #expect(error.message.contains("the built-in v22.351.1434 runs"), "\(error.message)")
        #expect(report.steps.first { $0.component == .fpga }?.action == .failed)
        let flash = try Data(contentsOf: bench.root.appendingPathComponent("fpga-flash.bin"))
        #expect(flash.allSatisfy { $0 == 0xFF })
        #expect(!journal.text.contains("step fpga updated"))
        let look = try await bench.verify(try Bench.assets(), isDeep: false)
        #expect(look.identity.versions[.fpga] == "v22.351.1434")
    }

    /// The link breaks while the image is taken out: that goes on, and nothing is written a second time. Some of these packets come after
    /// the erase and before the restart.
    @Test(arguments: TestRange.of([3, 9, 14, 15, 16, 17, 18, 19, 20], quick: [9, 15, 17, 19]))
    func anImageThatIsTakenOutIsNotWrittenAgain(packetsLater: Int) async throws {
        let (calm, start) = try await withdrawal()
        #expect(calm.recoveries.isEmpty)
        let (report, again) = try await withdrawal(cutAt: start.packet + packetsLater)
        // The request to restart is made again without one.
        #expect(report.error?.code == "PRV-0010" && report.recoveries.count <= 1, "\(report)")
        #expect(report.error?.message.contains("the built-in v22.351.1434 runs") == true, "\(report)")
        #expect(again.journal.text.filter { $0 == "stage fpga" }.count == 1, "\(again.journal.text)")
        // The image would take some hundred.
        #expect(again.packets - start.packet < start.packet / 2, "\(again.packets) \(start.packet)")
    }

    /// - Returns: the packet at which the image began to be taken out, and the last one.
    private func withdrawal(cutAt packet: Int? = nil) async throws -> (UnitReport, (packet: Int, packets: Int, journal: Journal)) {
        var bench = Bench()
        defer { bench.remove() }
        if let packet { bench.faults.cuts[packet] = .link }
        var (assets, options) = (try Bench.assets(), JobOptions())
        assets[.fpga] = BitstreamAsset(image: try FPGAImage(Bench.bitstream(), isChecked: false), version: "v26.366.2359")
        options.components = [.fpga]
        let (given, limits, faulty, journal) = (assets, options, bench, Journal())
        let start = Mutex(0)
        let end = Mutex(0)
        let report = try await bench.play { central, unit in
            defer { end.withLock { $0 = unit.deliveredPackets } }
            return try await faulty.job(given, limits, for: unit, over: central).run { event in
                journal.add(event)
                if case .notice(let text) = event.content, text.contains("taking the image out") {
                    start.withLock { $0 = unit.deliveredPackets }
                }
            }
        }
        return (report, (start.withLock { $0 }, end.withLock { $0 }, journal))
    }

    /// A bootloader that takes everything proves nothing: the version is asked first.
    @Test func updatedIsSaidAfterTheVersionWasRead() async throws {
        let bench = Bench()
        defer { bench.remove() }
        var assets = try Bench.assets()
        assets[.firmware] = try Bench.firmware(version: Bench.firmwareVersion, stated: "v26.366.2359")
        let journal = Journal()
        let report = try await bench.flash(assets) { journal.add($0) }
        #expect(report.error?.code == "PRV-0004", "\(report)")
        #expect(report.steps.first?.action == .failed)
        #expect(!journal.text.contains { $0.hasPrefix("step firmware") }, "\(journal.text)")
    }

    /// The same for a unit that is found in its bootloader: the wrong firmware is not sent a second time.
    @Test func aWrongVersionFromABootloaderIsNotSentAgain() async throws {
        let bench = Bench()
        defer { bench.remove() }
        var assets = try Bench.assets()
        assets[.firmware] = try Bench.firmware(version: Bench.firmwareVersion, stated: "v26.366.2359")
        let (given, journal) = (assets, Journal())
        let report = try await bench.play { central, unit in
            try await UnitLease(try UnitLocator(central: central, family: .monocle, address: unit.address)).reboot(into: .bootloader)
            return try await bench.job(given, for: unit, over: central).run { journal.add($0) }
        }
        #expect(report.error?.code == "PRV-0004", "\(report)")
        #expect(report.steps.first?.action == .failed)
        #expect(journal.text.filter { $0 == "stage firmware" }.count == 1, "\(journal.text)")
        #expect(!journal.text.contains("stage bootloader"))
    }

    /// Neither a unit's version nor ours is passed over because it cannot be read.
    @Test func aVersionThatDoesNotParseIsNoDowngradeUnlessItIsAllowed() async throws {
        let bench = Bench()
        defer { bench.remove() }
        var assets = try Bench.assets()
        assets[.firmware] = try Bench.firmware(version: Bench.firmwareVersion, stated: "v1")
        var options = JobOptions()
        options.dryRun = true
        let refused = try await bench.flash(assets, options: options)
        #expect(refused.error?.code == "PRV-0011", "\(refused)")
        options.allowDowngrade = true
        #expect(try await bench.flash(assets, options: options).passed)
    }

    /// The last answer of an installation is lost with the link: the next pass finds what this run wrote.
    @Test func whatThisRunWroteIsUpdated() {
        let state = JobState(
            unit: UnitIdentity(address: DeviceAddress("C0:00:00:00:00:01")!, name: "monocle"), family: .monocle,
            components: Family.monocle.components, options: JobOptions(),
            expecting: [], clock: .continuous, report: { _ in })
        state.start(.scripts, from: nil)
        state.current(.scripts, version: "SHA256 digest: 12", byteCount: 100)
        state.current(.fpga, version: "v23.230.0808", byteCount: 100)
        #expect(state.finished(nil).steps.map(\.action) == [.skipped, .current, .updated])
    }
}

/// A healthy unit, and a stranger that calls itself DfuTarg at the address after it.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct ImpostorTests {
    @Test func aUnitThatIsHeardIsNotInItsBootloader() async throws {
        let bench = try await DriftTests.provisioned()
        defer { bench.remove() }
        let assets = try Bench.assets()
        try await bench.play { central, monocle in
            let crowded = CrowdedCentral(central, adding: monocle.address.bootloader)
            let report = try await ProvisioningJob(
                family: .monocle, central: crowded, address: monocle.address, assets: assets, options: JobOptions()
            ).run { _ in }
            #expect(report.passed && report.steps.map(\.action) == [.current, .current, .current], "\(report)")
            let look = try await VerifyJob(family: .monocle, central: crowded, address: monocle.address, assets: assets, isDeep: false).run
            { _ in }
            #expect(look.passed, "\(look)")
            #expect(!crowded.wasAsked)
        }
    }
}
