import Bluetooth
import Support

extension BlueZSession {
    /// bluetoothd itself makes the adapter pairable for its first agent.
    private static let pairableTimeout = Duration.milliseconds(500)
    /// How long the answer to `Pair` may lag behind the bond or the link's end.
    private static let answerTimeout = Duration.seconds(1)
    private static let othersTimeout = Duration.seconds(5)

    /// Connects to a device and bonds with it, without confirmation. `Pair` without `Connect`: a unit may ask for the bond as soon as it
    /// is connected; then the kernel pairs, bluetoothd asks the desktop's agent, and never answers a `Pair` that arrives meanwhile (BlueZ
    /// 5.66).
    /// - Parameter notice: gets what could not be restored.
    func pair(
        _ link: Link, on adapter: String, before deadline: SessionClock.Instant, notice: @escaping @Sendable (String) -> Void
    ) async throws {
        try await registerAgent(for: link, before: deadline)
        var isChanged = false
        do {
            isChanged = try await makePairable(adapter, before: deadline)
            try await requestBond(link, adapter, before: deadline)
        } catch {
            release(.bluez(BusName.device, "CancelPairing", at: link.device))
            await giveBack(link, adapter, isChanged, notice)
            throw error
        }
        await giveBack(link, adapter, isChanged, notice)
    }

    private func giveBack(_ link: Link, _ adapter: String, _ isChanged: Bool, _ notice: @escaping @Sendable (String) -> Void) async {
        releaseAgent(of: link)
        guard isChanged, await !setPairable(false, adapter) else { return }
        notice("bluetoothd left the adapter pairable; run: bluetoothctl pairable off")
    }

    /// Both bluetoothd's answer and the device's properties report the bond.
    private func requestBond(_ link: Link, _ adapter: String, before deadline: SessionClock.Instant) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { [self] in
                do {
                    _ = try await call(.bluez(BusName.device, "Pair", at: link.device), before: deadline)
                } catch let error as BlueZError where error == .alreadyExists || error == .inProgress {
                    // Another one makes the bond, perhaps the kernel.
                    do {
                        try await awaitBond(link, before: min(deadline, clock.deadline(in: Self.othersTimeout)))
                    } catch LinkError.timedOut { throw error }
                }
            }
            group.addTask { [self] in
                do { try await awaitBond(link, before: deadline) } catch let error as LinkError {
                    // The answer gives a better reason for the link's end.
                    try await clock.sleep(until: clock.deadline(in: Self.answerTimeout))
                    throw error
                }
                try await clock.sleep(until: clock.deadline(in: Self.answerTimeout))
            }
            try await group.next()
        }
        guard read({ $0.mirror.devices[link.device]?.isBonded }) != false else {
            throw BlueZError.adapterNotPairable(AdapterObject.kernelName(of: adapter))
        }
    }

    private func awaitBond(_ link: Link, before deadline: SessionClock.Instant) async throws {
        try await wait(for: "the bond", before: deadline) { state in
            if let end = link.end { throw end }
            return state.mirror.devices[link.device]?.hasBond == true ? () : nil
        }
    }

    // MARK: The adapter

    /// - Returns: whether it was not pairable.
    private func makePairable(_ adapter: String, before deadline: SessionClock.Instant) async throws -> Bool {
        do {
            let end = min(deadline, clock.deadline(in: Self.pairableTimeout))
            try await wait(for: "bluetoothd to make the adapter pairable", before: end) {
                $0.mirror.adapters[adapter]?.isPairable == true ? () : nil
            }
            return false
        } catch LinkError.timedOut {
            guard await setPairable(true, adapter) else {
                throw BlueZError.adapterNotPairable(AdapterObject.kernelName(of: adapter))
            }
            return true
        }
    }

    private func setPairable(_ isOn: Bool, _ adapter: String) async -> Bool {
        await releaseAndWait(
            .bluez(BusName.properties, "Set", at: adapter, .string(BusName.adapter), .string("Pairable"), .variant(.boolean(isOn))))
    }

    // MARK: The agent

    private func registerAgent(for link: Link, before deadline: SessionClock.Instant) async throws {
        change { _ = $0.pairing.insert(link.device) }
        traffic.count(.agent)
        do {
            _ = try await call(
                .bluez(
                    BusName.agentManager, "RegisterAgent", at: "/org/bluez", .objectPath(PairingAgent.path), .string("NoInputNoOutput")),
                before: deadline, link: link)
        } catch BlueZError.alreadyExists {
            // Another unit is being paired by this process.
        } catch {
            releaseAgent(of: link)
            throw error
        }
    }

    private func releaseAgent(of link: Link) {
        traffic.count(.agent, -1)
        change { state in
            state.pairing.remove(link.device)
            guard state.pairing.isEmpty else { return }
            // Sent before another pairing can register the agent, which this would withdraw.
            release(.bluez(BusName.agentManager, "UnregisterAgent", at: "/org/bluez", .objectPath(PairingAgent.path)))
        }
    }
}

/// The agent that bluetoothd asks while this process pairs. It has no display and no keys, and answers yes or no.
enum PairingAgent {
    static let path = "/noafw/agent"

    /// - Parameter pairing: the paths of the devices to accept.
    /// - Returns: an error's name, `nil` for yes (BlueZ's org.bluez.Agent.rst).
    static func answer(_ call: BusMessage, pairing: Set<String>) -> String? {
        let rejected = "org.bluez.Error.Rejected"
        guard call.path == path, call.interface == BusName.agent else { return "org.freedesktop.DBus.Error.UnknownObject" }
        switch call.member {
        case "Release", "Cancel": return nil
        case "RequestConfirmation", "RequestAuthorization", "AuthorizeService":
            return call.body.first?.asText.map(pairing.contains) == true ? nil : rejected
        case "RequestPinCode", "RequestPasskey", "DisplayPinCode", "DisplayPasskey": return rejected
        default: return "org.freedesktop.DBus.Error.UnknownMethod"
        }
    }
}
