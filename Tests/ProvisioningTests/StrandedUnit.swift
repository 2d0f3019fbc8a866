import Bluetooth
import DFU
import Foundation
import FrameFamily
import Support
import Synchronization
import VirtualDevices

@testable import Provisioning

/// A unit in its bootloader, played by the bootloader's model; once updated it advertises as an application again, unless it stays.
final class StrandedUnit: Central, Connection, WriteChannel, Discovery {
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
        /// So many links break at the EXECUTE of the last object, which is no whole one.
        var lostLastExecutes: Int
        var isLastObject = false
        var isConnected = false
    }

    let clock: SessionClock
    let sightings = Inbox<Advertisement>()
    let payloadSize = 244
    func offers(_ characteristic: AttributeID) -> Bool { false }
    private let notifications = Mutex(Inbox<[UInt8]>())
    private let state: Mutex<State>
    /// How long it is silent after its update.
    private let silence: Duration
    private let family: FamilyID
    /// It takes whatever it is given, and begins anew.
    private let stays: Bool
    /// The ATT error that its control point answers a subscription with.
    private let refusal: UInt8?
    private let configuration: BootloaderConfiguration

    init(
        _ family: FamilyID, clock: SessionClock, key: [UInt8], cutAt: Int? = nil, lostLastExecutes: Int = 0,
        silence: Duration = .zero, runs: Bool = false,
        stays: Bool = false, refusal: UInt8? = nil
    ) {
        self.clock = clock
        self.silence = silence
        self.family = family
        self.stays = stays
        self.refusal = refusal
        var configuration = BootloaderConfiguration(trustedKeys: [key])
        if family == .frame { configuration.softDeviceID = 0x0123 }
        self.configuration = configuration
        let bootloader = SecureBootloader(configuration: configuration, nonvolatile: BootloaderStorage(), now: .zero)
        state = Mutex(State(bootloader: bootloader, isUpdated: runs, cutAt: cutAt, lostLastExecutes: lostLastExecutes))
    }

    var isUpdated: Bool { state.withLock { $0.isUpdated } }
    /// To its bootloader.
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
                        address: isUpdated ? Self.application : address, name: isUpdated ? "Frame 4F" : bootloaderName, services: [],
                        rssi: -50))
            }
            try await clock.sleep(until: clock.deadline(in: .microseconds(2500)))
        }
    }

    var bootloaderName: String { family == .frame ? "Frame Update" : "DfuTarg" }

    private func collect(_ state: inout State) {
        let inbox = notifications.withLock { $0 }
        for effect in state.bootloader.takeEffects() {
            switch effect.event {
            case .notify(let bytes): inbox.deliver(bytes)
            default:
                guard state.bootloader.hasLeft else { continue }
                if stays {
                    state.isConnected = false
                    state.bootloader = SecureBootloader(
                        configuration: configuration, nonvolatile: BootloaderStorage(), now: clock.now.offset)
                } else if !state.isUpdated, state.bootloader.storage.applicationIsValid {
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

    func connect(
        to wanted: DeviceAddress, security: LinkSecurity, deadline: SessionClock.Instant
    ) async throws -> any Connection {
        if wanted == Self.application, isUpdated { return self }
        state.withLock { $0.connects += 1 }
        guard wanted == address, !isUpdated else { throw LinkError.connectFailed(wanted, reason: "nobody there") }
        notifications.withLock { $0 = Inbox() }
        state.withLock { state in
            (state.isConnected, state.isLastObject) = (true, false)
            state.bootloader.connected(now: clock.now.offset)
        }
        return self
    }

    func write(_ value: [UInt8], to characteristic: AttributeID, deadline: SessionClock.Instant) async throws {
        try state.withLock { state in
            if value.count == 6, value[0] == 0x01 { state.isLastObject = value[1] == 0x02 && (value[2] != 0 || value[3] != 0x10) }
            if value == [0x04], state.isLastObject, state.lostLastExecutes > 0 {
                state.lostLastExecutes -= 1
                drop(&state)
            }
            guard state.isConnected else { throw LinkError.disconnected("lost") }
            if let error = state.bootloader.writeControlPoint(value, now: clock.now.offset) {
                throw LinkError.refused(characteristic, attributeError: error)
            }
        }
    }

    func openChannel(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> any WriteChannel { self }

    func subscribe(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> Inbox<[UInt8]> {
        if let refusal { throw LinkError.refused(characteristic, attributeError: refusal, of: .subscription) }
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

extension Family {
    /// The same bootloader, and an application that says its firmware's version and nothing else.
    func stating(_ version: String) -> Family {
        Family(
            id: id, recognise: recognise,
            provisioning: ProvisioningRules(
                components: [.firmware], bootloader: bootloader,
                open: { connection, _, _ in StatingConsole(connection: connection, version: version) }))
    }
}

private struct StatingConsole: UnitConsole {
    let connection: any Connection
    let version: String

    func version(of component: Component) async throws -> String? { version }
    func facts() async throws -> [UnitFact] { [] }
    func reboot(into mode: UnitMode) async throws {}
    func recover(isFresh: Bool) async throws {}
    func detach() async -> any Connection { connection }
    func close() async { await connection.disconnect() }
}
