import Bluetooth
import Support

/// Performs what ``ConnectMachine`` decides.
struct Connector: Sendable {
    let central: BlueZCentral
    let address: DeviceAddress
    let deadline: SessionClock.Instant
    let security: LinkSecurity

    private var clock: SessionClock { central.clock }

    struct Established: Sendable {
        var session: BlueZSession
        var link: Link
        /// In bytes.
        var payloadSize: Int
        var isNewlyBonded: Bool
    }

    /// A link that ends this soon was not encrypted: the other side has another key or none.
    private static let encryptionTime = Duration.seconds(2)

    private struct Station {
        var session: BlueZSession
        var adapter: String
        var address: DeviceAddress

        var device: DeviceObject? { session.read { $0.mirror.device(address, on: adapter) } }
        var readiness: ConnectMachine.Event { .adapterReady(isKnown: device != nil) }
    }

    private struct Progress {
        var station: Station?
        var link: Link?
        var isPaused = false
        var isNewlyBonded = false
        /// bluetoothd encrypts the link with an earlier pairing's key.
        var usesKey = false
    }

    /// - Parameter byForgetting: first removes the device, whose attribute table is stale.
    func connect(byForgetting: Bool = false) async throws -> Established {
        var machine = ConnectMachine(address: address, deadline: deadline)
        var progress = Progress()
        do {
            var action = ConnectMachine.Action.awaitAdapter
            var mustForget = byForgetting
            while true {
                if case .succeed = action, let session = progress.station?.session, let link = progress.link {
                    leaveRadio(&progress)
                    return Established(
                        session: session, link: link, payloadSize: await payloadSize(session, link), isNewlyBonded: progress.isNewlyBonded)
                }
                if case .fail(let failure) = action { throw failure.error }
                var event = try await perform(action, &progress)
                if mustForget, case .adapterReady = event {
                    _ = machine.handle(event, at: clock.now)
                    event = try await perform(.forget, &progress)
                    mustForget = event != .forgotten
                }
                action = machine.handle(event, at: clock.now)
            }
        } catch {
            leaveRadio(&progress)
            await abandon(&progress)
            throw error
        }
    }

    private func perform(_ action: ConnectMachine.Action, _ progress: inout Progress) async throws -> ConnectMachine.Event {
        do {
            if case .pause(let until) = action {
                try await clock.sleep(until: until)
                return .paused
            }
            if action != .awaitServices { await abandon(&progress) }
            guard action != .awaitAdapter, let station = progress.station else {
                leaveRadio(&progress)
                let (session, adapter) = try await central.station(before: deadline)
                let station = Station(session: session, adapter: adapter.path, address: address)
                progress.station = station
                return station.readiness
            }
            switch action {
            case .find: return try await find(on: station, &progress)
            case .connect(let until): return try await attempt(on: station, before: until, &progress)
            case .awaitServices: return try await awaitServices(on: station, progress)
            case .forget:
                if security == .bonded { central.notice(BondRecovery.notice(of: address)) }
                try await station.session.removeDevice(address, on: station.adapter, before: deadline)
                return .forgotten
            case .endForeignAttempt(let isForgotten):
                if isForgotten, station.device?.mayBeForgotten == true {
                    try await station.session.removeDevice(address, on: station.adapter, before: deadline)
                }
                return station.readiness
            case .awaitAdapter, .pause, .succeed, .fail: return .timedOut
            }
        } catch let error as BlueZError {
            return error.recovery == .again && wasNotEncrypted(progress) ? .encryptionFailed : .failed(error)
        } catch LinkError.timedOut {
            return .timedOut
        } catch LinkError.disconnected {
            defer { progress.link = nil }
            return wasNotEncrypted(progress) ? .encryptionFailed : .linkLost
        }
    }

    private func wasNotEncrypted(_ progress: Progress) -> Bool {
        guard progress.usesKey, let connectedAt = progress.link?.connectedAt else { return false }
        return connectedAt.duration(to: clock.now) < Self.encryptionTime
    }

    private func find(on station: Station, _ progress: inout Progress) async throws -> ConnectMachine.Event {
        leaveRadio(&progress)
        let (number, sightings) = station.session.addListener(on: station.adapter)
        defer { station.session.removeListener(number) }
        try await station.session.awaitDiscovery(of: number, before: deadline)
        while let sighting = try await sightings.next(before: deadline, on: clock) {
            if sighting.address == address { return .found }
        }
        return .timedOut
    }

    private func attempt(
        on station: Station, before until: SessionClock.Instant, _ progress: inout Progress
    ) async throws -> ConnectMachine.Event {
        let session = station.session
        guard let device = station.device else { return .failed(.doesNotExist) }
        if !progress.isPaused {
            progress.isPaused = true
            try await session.pauseDiscovery(before: until)
        }
        let link = Link(device: device.path, address: address)
        try session.register(link)
        progress.link = link
        progress.usesKey = security == .bonded && device.hasBond
        do {
            if security == .bonded, !device.hasBond {
                try await session.pair(link, on: station.adapter, before: until, notice: central.notice)
                progress.isNewlyBonded = true
            } else {
                _ = try await session.call(.bluez(BusName.device, "Connect", at: device.path), before: until, link: link)
            }
        } catch BlueZError.alreadyConnected {
        } catch BlueZError.inProgress {
            return .attemptPending
        } catch let error as BlueZError where error.mayMeanFullAdapter && link.connectedAt == nil {
            let others = session.read { $0.mirror.linkCount(on: station.adapter, besides: device.path) }
            return others > 0 ? .noPlace(error) : .failed(error)
        }
        return .connected
    }

    private func awaitServices(on station: Station, _ progress: Progress) async throws -> ConnectMachine.Event {
        guard let link = progress.link else { return .linkLost }
        // bluetoothd reports Connected before or after it answers Connect.
        try await station.session.wait(for: "the unit's services", before: deadline) { state in
            if let end = link.end { throw end }
            let device = state.mirror.devices[link.device]
            return device?.isConnected == true && device?.areServicesResolved == true ? () : nil
        }
        return .resolved
    }

    private func abandon(_ progress: inout Progress) async {
        guard let link = progress.link else { return }
        progress.link = nil
        await progress.station?.session.disconnect(link)
    }

    private func leaveRadio(_ progress: inout Progress) {
        guard progress.isPaused else { return }
        progress.isPaused = false
        progress.station?.session.resumeDiscovery()
    }

    private func payloadSize(_ session: BlueZSession, _ link: Link) async -> Int {
        let characteristics = session.read { $0.mirror.characteristics(of: link.device) }
        guard let first = characteristics.first else { return ObjectLimits.payload(mtu: ObjectLimits.mtu.lowerBound) }
        // The mirror may hold an earlier link's value: bluetoothd does not announce a change.
        let answer = try? await session.call(
            .bluez(BusName.properties, "Get", at: first.path, .string(BusName.characteristic), .string("MTU")),
            before: deadline, link: link)
        let mtu = answer?.first?.asInteger ?? characteristics.compactMap(\.mtu).first
        return ObjectLimits.payload(mtu: mtu ?? ObjectLimits.mtu.lowerBound)
    }
}

extension ConnectMachine.Failure {
    fileprivate var error: any Error {
        switch self {
        case .link(let error): error
        case .bluez(let error): error
        }
    }
}
