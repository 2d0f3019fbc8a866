import Bluetooth
import Support

extension BlueZSession {
    /// How long a release may delay its owner; the request is sent in any case.
    private static let cleanUpTimeout = Duration.seconds(3)

    /// Calls a method and waits for its answer.
    /// - Parameter link: its end ends the wait.
    /// - Throws: ``BlueZError``, ``LinkError/timedOut(_:)`` at the deadline, the link's end, or `CancellationError`.
    func call(
        _ request: BusRequest, before deadline: SessionClock.Instant, link: Link? = nil,
        intercept: (@Sendable (Result<BusMessage, BlueZError>) -> Void)? = nil
    ) async throws -> [BusValue] {
        let inbox = Inbox<Result<BusMessage, BlueZError>>(capacity: 1)
        let id = bus.send(request) { answer in
            intercept?(answer)
            inbox.deliver(answer)
        }
        let token = link?.whenEnded { inbox.finish(throwing: $0) }
        defer { if let token { link?.forget(token) } }
        do {
            guard let answer = try await inbox.next(before: deadline, on: clock) else {
                throw LinkError.timedOut("bluetoothd's answer to \(request.member)")
            }
            return try answer.get().body
        } catch {
            if !(error is BlueZError) { bus.post(.abandon(id)) }
            throw error
        }
    }

    /// Sends a release without waiting.
    func release(_ request: BusRequest) {
        bus.send(request, expiry: .now.advanced(by: Self.cleanUpTimeout)) { _ in }
    }

    /// Like ``release(_:)``, but waits for the answer, even while the task is cancelled.
    /// - Returns: whether it succeeded.
    @discardableResult
    func releaseAndWait(_ request: BusRequest) async -> Bool {
        await withCheckedContinuation { continuation in
            bus.send(request, expiry: .now.advanced(by: Self.cleanUpTimeout)) { continuation.resume(returning: (try? $0.get()) != nil) }
        }
    }

    // MARK: Links

    /// Registers a link before it is made, so that its end is noticed.
    /// - Throws: ``LinkError/busy(_:)`` when this process has one to the same device.
    func register(_ link: Link) throws {
        let isFree = change { state in
            guard state.links[link.device] == nil else { return false }
            state.links[link.device] = link
            return true
        }
        guard isFree else { throw LinkError.busy("this process is connected to \(link.address) already") }
        traffic.count(.link)
        link.whenEnded { [weak self] _ in
            guard let self else { return }
            traffic.count(.link, -1)
            change { state in
                if state.links[link.device] === link { state.links[link.device] = nil }
            }
        }
    }

    /// Ends a link and waits for its end, even while the task is cancelled.
    func disconnect(_ link: Link) async {
        guard link.end == nil else { return }
        link.beginClosing()
        await releaseAndWait(.bluez(BusName.device, "Disconnect", at: link.device))
        _ = try? await wait(for: "the link to end", before: clock.deadline(in: Self.cleanUpTimeout)) { state in
            state.mirror.devices[link.device]?.isConnected == true ? nil : ()
        }
        link.finish(Link.closedHere)
    }

    func removeDevice(_ address: DeviceAddress, on adapter: String, before deadline: SessionClock.Instant) async throws {
        guard let device = read({ $0.mirror.device(address, on: adapter) }) else { return }
        do {
            _ = try await call(
                .bluez(BusName.adapter, "RemoveDevice", at: adapter, .objectPath(device.path)), before: deadline)
        } catch BlueZError.doesNotExist {
            return
        }
        try await wait(for: "bluetoothd to forget the device", before: deadline) { state in
            state.mirror.devices[device.path] == nil ? () : nil
        }
    }
}
