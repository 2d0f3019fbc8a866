import Bluetooth
import MonocleFamily
import Support
import Synchronization
import Testing
import VirtualDevices

@testable import Provisioning

/// A radio of which an attempt hangs for 10 s, as bluetoothd's may; the next one is answered by an error of its own.
private final class HangingRadio: Central {
    struct Answered: Error {}

    private static let attempt = Duration.seconds(10)
    let clock: SessionClock

    init(clock: SessionClock) { self.clock = clock }

    func discover() async throws -> any Discovery { throw LinkError.unavailable("nobody discovers here") }

    func connect(
        to address: DeviceAddress, security: LinkSecurity, deadline: SessionClock.Instant
    ) async throws -> any Connection {
        try await clock.sleep(until: min(deadline, clock.deadline(in: Self.attempt)))
        guard clock.now.duration(to: deadline) >= Self.attempt else {
            throw LinkError.connectFailed(address, reason: "the unit did not answer in time")
        }
        throw Answered()
    }
}

@Suite struct ConnectPatienceTests {
    @Test func anAttemptThatHangsLeavesTimeForAnother() async throws {
        let time = VirtualTime.simulated()
        try await time.run {
            let radio = try UnitLocator(central: HangingRadio(clock: time.clock), family: .monocle, address: UnitMatcherTests.first)
            await #expect(throws: HangingRadio.Answered.self) { try await radio.withConnection(.application) { _ in } }
        }
    }
}
