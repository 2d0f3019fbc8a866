import Bluetooth
import DFU
import Foundation
import Synchronization
import Testing
import VirtualDevices

@testable import Provisioning

/// A Frame in its bootloader, played by the bootloader's model; once updated it advertises as a Frame again.
private final class StrandedFrame: Central, Connection, WriteChannel, Discovery {
    static let application = DeviceAddress("D0:00:00:00:00:4F")!

    private struct State {
        var bootloader: SecureBootloader
        var isUpdated = false
        var connects = 0
        /// When it advertises as a Frame again.
        var returnsAt = Duration.zero
        var packets = 0
        /// The link breaks at this packet, once.
        var cutAt: Int?
        var isConnected = false
    }

    let clock: SessionClock
    let sightings = Inbox<Advertisement>()
    let payloadSize = 244
    private let notifications = Mutex(Inbox<[UInt8]>())
    private let state: Mutex<State>
    /// How long it is silent after its update.
    private let silence: Duration

    init(clock: SessionClock, key: [UInt8], cutAt: Int?, silence: Duration, runs: Bool) {
        self.clock = clock
        self.silence = silence
        var configuration = BootloaderConfiguration(trustedKeys: [key])
        configuration.softDeviceID = 0x0123
        let bootloader = SecureBootloader(configuration: configuration, nonvolatile: BootloaderStorage(), now: .zero)
        state = Mutex(State(bootloader: bootloader, isUpdated: runs, cutAt: cutAt))
    }

    var isUpdated: Bool { state.withLock { $0.isUpdated } }
    var connectCount: Int { state.withLock { $0.connects } }
    var address: DeviceAddress { Self.application.bootloader }

    /// Lets the flash work and advertises, four hundred times a second.
    func play() async throws {
        while true {
            let (isUpdated, isSilent) = state.withLock { state in
                state.bootloader.advance(to: clock.now.offset)
                collect(&state)
                return (state.isUpdated, state.isUpdated && clock.now.offset < state.returnsAt)
            }
            if !isSilent {
                sightings.deliver(Advertisement(
                    address: isUpdated ? Self.application : address, name: isUpdated ? "Frame 4F" : "Frame Update", services: [], rssi: -50))
            }
            try await clock.sleep(until: clock.deadline(in: .microseconds(2500)))
        }
    }

    private func collect(_ state: inout State) {
        let inbox = notifications.withLock { $0 }
        for effect in state.bootloader.takeEffects() {
            switch effect.event {
            case .notify(let bytes): inbox.deliver(bytes)
            default:
                guard state.bootloader.hasLeft else { continue }
                if !state.isUpdated, state.bootloader.storage.applicationIsValid {
                    state.isUpdated = true
                    state.returnsAt = clock.now.offset + silence
                }
                inbox.finish(throwing: LinkError.disconnected("reset"))
            }
        }
    }

    func discover() async throws -> any Discovery {
        while sightings.poll() != nil {}
        return self
    }
    func stop() async {}

    func connect(to wanted: DeviceAddress, deadline: SessionClock.Instant) async throws -> any Connection {
        state.withLock { $0.connects += 1 }
        guard wanted == address, !isUpdated else { throw LinkError.connectFailed(wanted, reason: "nobody there") }
        notifications.withLock { $0 = Inbox() }
        state.withLock { state in
            state.isConnected = true
            state.bootloader.connected(now: clock.now.offset)
        }
        return self
    }

    func write(_ value: [UInt8], to characteristic: AttributeID, deadline: SessionClock.Instant) async throws {
        try state.withLock { state in
            guard state.isConnected else { throw LinkError.disconnected("lost") }
            if let error = state.bootloader.writeControlPoint(value, now: clock.now.offset) {
                throw LinkError.refused(characteristic, attributeError: error)
            }
        }
    }

    func openChannel(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> any WriteChannel { self }

    func subscribe(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> Inbox<[UInt8]> {
        state.withLock { $0.bootloader.setControlPointNotifications(true) }
        return notifications.withLock { $0 }
    }

    func send(_ packet: [UInt8], deadline: SessionClock.Instant) async throws {
        // The pace of a link: six packets in 15 ms.
        try await clock.sleep(until: clock.deadline(in: .microseconds(2500)))
        try state.withLock { state in
            state.packets += 1
            if state.packets == state.cutAt { drop(&state) }
            guard state.isConnected else { throw LinkError.disconnected("lost") }
            state.bootloader.writePacket(packet, now: clock.now.offset)
        }
    }

    private func drop(_ state: inout State) {
        state.isConnected = false
        state.bootloader.disconnected(now: clock.now.offset)
        notifications.withLock { $0 }.finish(throwing: LinkError.disconnected("lost"))
    }

    func close() async {}
    func disconnect() async { state.withLock { if $0.isConnected { drop(&$0) } } }
    func waitUntilGone(deadline: SessionClock.Instant) async throws {}
}

@Suite struct FrameRescueTests {
    private static let version = "v26.200.0001"

    private func firmware(signedBy key: SigningKey) throws -> MonocleAssets.Firmware {
        var image = (0..<12_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        image.replaceSubrange(64..<78, with: [0] + Array(Self.version.utf8) + [0])
        let packet = try InitPacketBuilder(image: image, firmwareVersion: 1, target: .frame).signed(by: key)
        let package = try DFUPackage(bytes: try DFUPackageWriter(image: image, initPacket: packet).archive())
        return try .init(package: package, version: nil, target: .frame, trusting: [key.trusted(as: "test")])
    }

    private func rescue(
        trusting trusted: SigningKey? = nil, cutAt: Int? = nil, silence: Duration = .zero, runs: Bool = false
    ) async throws -> (UnitReport, isUpdated: Bool, connects: Int) {
        let key = try SigningKey.generate()
        let firmware = try firmware(signedBy: key)
        let coordinates = (trusted ?? key).publicCoordinates
        let time = VirtualTime.simulated()
        return try await time.run {
            let frame = StrandedFrame(
                clock: time.clock, key: coordinates.prefix(32).reversed() + coordinates.dropFirst(32).reversed(), cutAt: cutAt,
                silence: silence, runs: runs)
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await frame.play() }
                defer { group.cancelAll() }
                let unit = SightedUnit(
                    family: .frame, mode: .bootloader, advertisedAddress: frame.address, name: "Frame Update", rssi: -50)
                let report = try await FrameRescue(central: frame, unit: unit, firmware: firmware).run(isDryRun: false) { _ in }
                return (report, frame.isUpdated, frame.connectCount)
            }
        }
    }

    @Test(arguments: [nil, 20]) func aStrandedFrameComesBack(cutAt: Int?) async throws {
        let (report, isUpdated, _) = try await rescue(trusting: nil, cutAt: cutAt)
        #expect(report.passed, "\(String(describing: report.error))")
        #expect(isUpdated)
        #expect(report.family == "frame" && report.identity.address == StrandedFrame.application)
        #expect(report.steps.first == StepReport(
            part: .firmware, action: .transferred, from: nil, to: Self.version, bytes: 12_000, seconds: report.steps.first?.seconds ?? 0))
    }

    /// It boots late: nobody looks for a bootloader that is not there any more.
    @Test func aFrameThatComesBackLateIsFinished() async throws {
        let (report, _, connects) = try await rescue(silence: .seconds(33))
        #expect(report.passed, "\(String(describing: report.error))")
        #expect(report.steps.first?.action == .transferred)
        #expect(connects == 1)
    }

    @Test func aFrameThatDoesNotComeBackIsSaidToBeGone() async throws {
        let (report, _, connects) = try await rescue(silence: .seconds(100_000))
        #expect(report.error?.code == "PRV-0003", "\(String(describing: report.error))")
        #expect(connects == 1)
    }

    @Test func aFrameThatRunsMeanwhileIsLeftAlone() async throws {
        let (report, _, connects) = try await rescue(runs: true)
        #expect(report.passed && connects == 0)
        #expect(report.steps.first?.action == .skipped)
    }

    @Test func aPackageThatItsBootloaderRefusesIsAReport() async throws {
        let (report, isUpdated, _) = try await rescue(trusting: try SigningKey.generate(), cutAt: nil)
        #expect(!isUpdated && !report.passed)
        #expect(report.error?.code == "DFU-0005", "\(String(describing: report.error))")
        #expect(report.steps.first?.action == .failed)
    }
}
