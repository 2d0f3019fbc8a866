import Bluetooth
import Support

extension BlueZCentral {
    public func linkCount(before deadline: SessionClock.Instant) async throws -> Int {
        let (session, adapter) = try await station(before: deadline)
        return session.read { $0.mirror.linkCount(on: adapter.path) }
    }

    /// Of the adapter that is used.
    public func adapterAddress(before deadline: SessionClock.Instant) async throws -> DeviceAddress {
        try await station(before: deadline).1.address
    }

    @discardableResult
    public func forgetUnlessBonded(_ address: DeviceAddress, deadline: SessionClock.Instant) async throws -> Bool {
        let (session, adapter) = try await station(before: deadline)
        guard let device = session.read({ $0.mirror.device(address, on: adapter.path) }), device.mayBeForgotten else { return false }
        try await session.removeDevice(address, on: adapter.path, before: deadline)
        return true
    }
}

extension ObjectMirror {
    /// The links of an adapter, whoever made them.
    /// - Parameter path: a device that does not count.
    func linkCount(on adapter: String, besides path: String? = nil) -> Int {
        devices.values.count { $0.adapterPath == adapter && $0.isConnected && $0.path != path }
    }
}

extension DeviceObject {
    /// No key and no link is lost with it.
    var mayBeForgotten: Bool { !isPaired && isBonded != true && !isConnected }
}
