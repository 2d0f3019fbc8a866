import Bluetooth
import DFU
import Foundation
import FrameFamily
import Support
import Testing
import VirtualDevices

@testable import Provisioning

@Suite struct FrameRescueTests {
    private static let version = "v26.200.0001"

    private func firmware(signedBy key: SigningKey) throws -> FirmwareAsset {
        var image = (0..<12_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        image.replaceSubrange(64..<78, with: [0] + Array(Self.version.utf8) + [0])
        let packet = try InitPacketBuilder(image: image, firmwareVersion: 1, target: .frame).signed(by: key)
        let package = try DFUPackage(bytes: try DFUPackageWriter(image: image, initPacket: packet).archive())
        return try .init(package: package, version: nil, target: .frame, trusting: [key.trusted(as: "test")])
    }

    private func rescue(
        trusting trusted: SigningKey? = nil, cutAt: Int? = nil, silence: Duration = .zero, runs: Bool = false, stays: Bool = false,
        options: JobOptions = JobOptions()
    ) async throws -> (UnitReport, isUpdated: Bool, connects: Int) {
        let key = try SigningKey.generate()
        let firmware = try firmware(signedBy: key)
        let coordinates = (trusted ?? key).publicCoordinates
        let time = VirtualTime.simulated()
        return try await time.run {
            let frame = StrandedUnit(
                .frame, clock: time.clock, key: coordinates.prefix(32).reversed() + coordinates.dropFirst(32).reversed(), cutAt: cutAt,
                silence: silence, runs: runs, stays: stays)
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await frame.play() }
                defer { group.cancelAll() }
                let job = try ProvisioningJob(
                    family: .frame.stating(Self.version), central: frame, address: StrandedUnit.application, assets: AssetSet(firmware),
                    options: options)
                let report = try await job.run { _ in }
                return (report, frame.isUpdated, frame.connectCount)
            }
        }
    }

    @Test(arguments: [nil, 20]) func aStrandedFrameComesBack(cutAt: Int?) async throws {
        let (report, isUpdated, _) = try await rescue(trusting: nil, cutAt: cutAt)
        #expect(report.passed, "\(String(describing: report.error))")
        #expect(isUpdated)
        #expect(report.family == "frame" && report.identity.address == StrandedUnit.application)
        #expect(report.steps.first == StepReport(
            component: .firmware, action: .updated, from: nil, to: Self.version, bytes: 12_000, seconds: report.steps.first?.seconds ?? 0))
    }

    @Test func whatItGotInItsBootloaderIsNotForcedOnItOnceMore() async throws {
        var options = JobOptions()
        options.force = true
        let (report, _, connects) = try await rescue(options: options)
        #expect(report.passed && connects == 1, "\(report)")
    }

    /// It boots late: nobody looks for a bootloader that is not there any more.
    @Test func aFrameThatComesBackLateIsFinished() async throws {
        let (report, _, connects) = try await rescue(silence: .seconds(33))
        #expect(report.passed, "\(String(describing: report.error))")
        #expect(report.steps.first?.action == .updated)
        #expect(connects == 1)
    }

    @Test func aFrameThatDoesNotComeBackIsSaidToBeGone() async throws {
        let (report, _, connects) = try await rescue(silence: .seconds(100_000))
        #expect(report.error?.code == "PRV-0003", "\(String(describing: report.error))")
        #expect(connects == 1)
    }

    /// It takes everything, and stays on the air.
    @Test func aBootloaderThatStaysGetsTwoTransfers() async throws {
        let (report, _, connects) = try await rescue(stays: true)
        #expect(report.error?.code == "PRV-0012", "\(String(describing: report.error))")
        #expect(report.error?.message.hasSuffix("took the whole firmware (2×) and is still on the air") == true)
        #expect(connects == 2)
    }

    @Test func aFrameThatRunsMeanwhileIsLeftAlone() async throws {
        let (report, _, connects) = try await rescue(runs: true)
        #expect(report.passed && connects == 0)
        #expect(report.steps.first?.action == .current)
    }

    @Test func aPackageThatItsBootloaderRefusesIsAReport() async throws {
        let (report, isUpdated, _) = try await rescue(trusting: try SigningKey.generate(), cutAt: nil)
        #expect(!isUpdated && !report.passed)
        #expect(report.error?.code == "DFU-0005", "\(String(describing: report.error))")
        #expect(report.steps.first?.action == .failed)
    }
}
