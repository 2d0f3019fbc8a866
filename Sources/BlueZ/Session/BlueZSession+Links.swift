import Bluetooth
import Support

extension BlueZSession {
    /// Takes note of a link that is about to be made, so that its end is seen.
    /// - Throws: ``LinkError/busy(_:)`` when this process has one to the same device.
    func register(_ link: Link) throws {
        let isFree = change { state in
            guard state.links[link.device] == nil else { return false }
            state.links[link.device] = link
            return true
        }
        guard isFree else { throw LinkError.busy("this process is connected to \(link.address) already") }
        counter.opened(.link)
        link.whenEnded { [weak self] _ in
            guard let self else { return }
            counter.closed(.link)
            change { state in
                if state.links[link.device] === link { state.links[link.device] = nil }
            }
        }
    }

    /// Ends a link and waits until bluetoothd has done so; the request is sent even while the task is being cancelled.
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

    /// Asks bluetoothd for its objects anew; what its signals said stays true if they say it again.
    func refresh(before deadline: SessionClock.Instant) async throws {
        _ = try await call(Self.objectsRequest, before: deadline) { [weak self] in self?.loaded($0) }
    }

    func close() async {
        let links = change { state in
            state.listeners.values.forEach { $0.sightings.finish(throwing: Link.closedHere) }
            return Array(state.links.values)
        }
        for link in links { await disconnect(link) }
        bus.stop()
    }
}
