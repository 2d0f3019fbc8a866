import Bluetooth
import Support

/// The state of the machine's Bluetooth, for a report.
public struct BlueZSurvey: Sendable {
    /// A device with a link to this machine, whoever made it.
    public struct ConnectedDevice: Sendable, Hashable {
        /// By which ``BlueZCentral`` connects.
        public var address: DeviceAddress
        /// Untrusted text.
        public var name: String?
        /// In bytes (BlueZ 5.62 or newer).
        public var mtu: Int?
    }

    /// One adapter and the devices on it.
    public struct Adapter: Sendable, Hashable {
        /// What bluetoothd says of it.
        public var object: AdapterObject
        /// The kernel's names of other adapters with its address.
        public var twins: [String]
        /// Links of all programs.
        public var connectedDevices: [ConnectedDevice]
        /// Neither bonded nor connected nor heard.
        public var rememberedDevices: Int
    }

    /// Why the survey ended early: bus, permission or daemon.
    public var blockingError: BlueZError?
    /// Whether D-Bus let this process in.
    public var isBusReachable = false
    /// bluetoothd's process.
    public var daemonProcess: Int?
    /// In bluetoothd's order; empty where ``blockingError`` ended the survey before them.
    public var adapters: [Adapter] = []
    /// The kernel's names of adapters that bluetoothd does not show.
    public var hiddenAdapters: [String] = []
    /// Read from the kernel, so that they are known without bluetoothd.
    public var radioSwitches = RadioSwitch.all()

    /// Starts bluetoothd where D-Bus can.
    /// - Throws: `CancellationError`; everything else is part of the survey.
    public static func take(
        bus address: BusAddress = .system, clock: SessionClock = .continuous, before deadline: SessionClock.Instant
    ) async throws -> BlueZSurvey {
        var survey = BlueZSurvey()
        let session = BlueZSession(address: address, clock: clock)
        defer { session.bus.stop() }
        do {
            try await survey.look(session, before: deadline)
        } catch let error as BlueZError {
            survey.blockingError = error
        } catch LinkError.timedOut {
            survey.blockingError = .daemonSilent
        }
        return survey
    }

    private mutating func look(_ session: BlueZSession, before deadline: SessionClock.Instant) async throws {
        _ = try await session.call(.bus("GetId"), before: deadline)
        isBusReachable = true
        let mirror = try await session.wait(for: "bluetoothd's objects", before: deadline) { state -> ObjectMirror? in
            switch state.phase {
            case .loading: return nil
            case .ready: return state.mirror
            case .noDaemon(let error), .gone(let error): throw error
            }
        }
        let choice = AdapterChoice(mirror)
        adapters = choice.adapters.map { adapter in
            let known = mirror.devices.values.filter { $0.adapterPath == adapter.path }.sorted { $0.path < $1.path }
            return Adapter(
                object: adapter, twins: choice.twins(of: adapter).map(\.kernelName).sorted(),
                connectedDevices: known.filter(\.isConnected).map { device in
                    .init(address: device.address, name: device.name, mtu: mirror.characteristics(of: device.path).compactMap(\.mtu).max())
                },
                rememberedDevices: known.count { $0.mayBeForgotten && $0.rssi == nil })
        }
        hiddenAdapters = mirror.ports.kernelNames.filter { name in !adapters.contains { $0.object.kernelName == name } }
        let process = try await session.call(.bus("GetConnectionUnixProcessID", .string(BusName.bluez)), before: deadline)
        daemonProcess = process.first?.asInteger
    }
}

extension AdapterObject {
    /// Finds the adapter again after its number has changed.
    public var selector: AdapterSelector { .address(address) }

    /// The adapters that are on and have an address of their own: the named ones, or all, sorted by name.
    /// - Throws: ``BlueZError`` when there is none, or a named one cannot be used; `CancellationError`.
    public static func usable(
        named selectors: [AdapterSelector], clock: SessionClock, before deadline: SessionClock.Instant
    ) async throws -> [AdapterObject] {
        try await usable(named: selectors, bus: .system, clock: clock, before: deadline)
    }

    static func usable(
        named selectors: [AdapterSelector] = [], bus address: BusAddress, clock: SessionClock, ports: AdapterPorts = AdapterPorts(),
        before deadline: SessionClock.Instant
    ) async throws -> [AdapterObject] {
        let session = BlueZSession(address: address, clock: clock, ports: ports)
        defer { session.bus.stop() }
        try await session.awaitObjects(before: deadline)
        let end = min(deadline, clock.deadline(in: BlueZCentral.Timeouts().first))
        guard !selectors.isEmpty else {
            // Waits for the first one; the others come with it.
            _ = try await session.usableAdapter(nil, before: end, isRecovering: false)
            return session.read { AdapterChoice($0.mirror).usable }
        }
        var found: [AdapterObject] = []
        for selector in selectors { found.append(try await session.usableAdapter(selector, before: end, isRecovering: false)) }
        return found
    }
}
