import Bluetooth
import Support

extension BlueZConnection {
    /// How long bluetoothd may take to report a lost link after an operation failed because of it.
    private static let endTimeout = Duration.seconds(1)
    /// How long bluetoothd may take to notice that an earlier socket was closed.
    private static let releaseTimeout = Duration.seconds(1)

    /// Replaces bluetoothd's errors by the link's where those are more precise.
    func translating<Value>(
        _ characteristic: AttributeID, _ operation: LinkError.Operation, _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch let error as BlueZError {
            if let attributeError = error.attributeError, attributeError != 0 {
                throw LinkError.refused(characteristic, attributeError: attributeError, of: operation)
            }
            if error.isAcquired { throw LinkError.acquired(characteristic, operation) }
            switch error {
            case .notConnected, .doesNotExist, .failed, .canceled, .abortedByLocal, .abortedByRemote, .daemonSilent,
                .daemonNotRunning, .busLost:
                // The operation's answer may arrive before the signal of the lost link.
                try? await waitUntilGone(deadline: clock.deadline(in: Self.endTimeout))
                throw link.end ?? error
            default: throw error
            }
        }
    }

    /// Uses `StartNotify`, not `AcquireNotify`: with the latter bluetoothd drops what does not fit its socket or arrives before the
    /// answer to the subscription, and never answers a refused subscription (BlueZ 5.66, gatt-client.c). Signals wait in the bus's much
    /// larger queue and arrive in order with the loss of the link.
    func subscribe(to target: CharacteristicObject, before deadline: SessionClock.Instant) async throws -> Inbox<[UInt8]> {
        guard target.allows(["notify", "indicate"]) else { throw LinkError.notAllowed(target.id, .subscription) }
        let session = session, link = link
        if let running = session.read({ $0.subscriptions[target.path] }) { return running }
        let inbox = Inbox<[UInt8]>(overrun: LinkError.overrun)
        let subscription = Subscription(session: session, path: target.path, inbox: inbox)
        session.traffic.count(.subscription)
        session.change { $0.subscriptions[target.path] = inbox }
        do {
            try await startNotify(target, before: deadline)
        } catch {
            // A StopNotify after a refused StartNotify would end another program's notifications.
            subscription.end(error, mayBeOn: !(error is BlueZError))
            guard error as? BlueZError == .notSupported, target.flags.contains("notify") else { throw error }
            return try await acquireNotifications(of: target, before: deadline)
        }
        link.whenEnded { subscription.end($0, mayBeOn: true) }
        return inbox
    }

    private func acquireNotifications(
        of target: CharacteristicObject, before deadline: SessionClock.Instant
    ) async throws -> Inbox<[UInt8]> {
        let session = session
        let inbox = Inbox<[UInt8]>(overrun: LinkError.overrun)
        let (socket, _) = try await acquire("AcquireNotify", target, receiver: inbox, before: deadline)
        session.change { $0.subscriptions[target.path] = inbox }
        link.whenEnded { error in
            socket.drain()
            socket.close()
            inbox.finish(throwing: error)
            session.change { state in
                if state.subscriptions[target.path] === inbox { state.subscriptions[target.path] = nil }
            }
        }
        session.bus.post(.watch(socket))
        return inbox
    }

    private func startNotify(_ target: CharacteristicObject, before deadline: SessionClock.Instant) async throws {
        let start = BusRequest.bluez(BusName.characteristic, "StartNotify", at: target.path)
        do {
            _ = try await session.call(start, before: deadline, link: link)
        } catch BlueZError.inProgress {
            // bluetoothd is renewing this process's subscription from an earlier link.
            await session.releaseAndWait(.bluez(BusName.characteristic, "StopNotify", at: target.path))
            _ = try await session.call(start, before: deadline, link: link)
        }
    }

    func acquire(
        _ method: String, _ target: CharacteristicObject, receiver: Inbox<[UInt8]>?, before deadline: SessionClock.Instant
    ) async throws -> (AcquiredSocket, mtu: Int) {
        let request = BusRequest.bluez(BusName.characteristic, method, at: target.path, .dictionary([:]))
        return try await afterRelease(before: deadline) {
            let answer = try await session.call(request, before: deadline, link: link)
            guard answer.count == 2, let descriptor = answer[0].asDescriptor, let mtu = answer[1].asInteger,
                ObjectLimits.mtu.contains(mtu)
            else { throw BlueZError.unintelligible(method) }
            let socket = AcquiredSocket(descriptor, traffic: session.traffic, receiver: receiver)
            return (socket, mtu)
        }
    }

    /// Retries for a moment while the characteristic is acquired, perhaps by an earlier socket which bluetoothd has not closed yet.
    func afterRelease<Value>(before deadline: SessionClock.Instant, _ operation: () async throws -> Value) async throws -> Value {
        let end = min(deadline, clock.deadline(in: Self.releaseTimeout))
        while true {
            do {
                return try await operation()
            } catch let error as BlueZError where error.isAcquired && clock.now < end {
                try await clock.sleep(until: clock.deadline(in: .milliseconds(20)))
            }
        }
    }
}

/// Cleans up after one subscription.
private struct Subscription: Sendable {
    let session: BlueZSession
    let path: String
    let inbox: Inbox<[UInt8]>

    /// Call it once.
    /// - Parameter mayBeOn: whether bluetoothd may be notifying this process.
    func end(_ error: any Error, mayBeOn: Bool) {
        inbox.finish(throwing: error)
        session.traffic.count(.subscription, -1)
        session.change { state in
            if state.subscriptions[path] === inbox { state.subscriptions[path] = nil }
        }
        // Otherwise bluetoothd turns it on again at the next link.
        if mayBeOn { session.release(.bluez(BusName.characteristic, "StopNotify", at: path)) }
    }
}
