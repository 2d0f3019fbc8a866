import Bluetooth
import FrameFamily
import Support
import Testing
@testable import Provisioning

/// No verdict is made of nothing: a job without a part to work on neither looks for its unit nor passes it.
@Suite struct NothingWantedTests {
    /// Whoever listens or connects is told of.
    private struct UnusedCentral: Central {
        let clock = SessionClock.continuous
        func discover() async throws -> any Discovery { throw LinkError.unavailable("it was listened to") }
        func connect(to address: DeviceAddress, security: LinkSecurity, deadline: SessionClock.Instant) async throws -> any Connection {
            throw LinkError.unavailable("it was connected to")
        }
    }

    private static func address() throws -> DeviceAddress { try #require(DeviceAddress("C0:00:00:00:00:01")) }

    @Test(arguments: [nil, [], [.fpga]] as [Set<Component>?]) func aJobWithoutAPartPassesNothing(components: Set<Component>?) async throws {
        var options = JobOptions()
        options.components = components
        let job = try ProvisioningJob(
            family: .frame, central: UnusedCentral(), address: try Self.address(), assets: AssetSet(), options: options)
        let report = try await job.run { _ in }
        #expect(!report.passed && report.error?.code == "PRV-0033", "\(report)")
    }

    @Test(arguments: [false, true]) func aLookAtNothingPassesNothing(isDeep: Bool) async throws {
        let job = try VerifyJob(family: .frame, central: UnusedCentral(), address: try Self.address(), assets: AssetSet(), isDeep: isDeep)
        let report = try await job.run { _ in }
        #expect(!report.passed && report.error?.code == "PRV-0033", "\(report)")
    }
}
