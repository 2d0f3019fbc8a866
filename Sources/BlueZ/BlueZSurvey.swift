import Bluetooth
import Support

/// What the machine's Bluetooth looks like from here, for a report: data only.
public struct BlueZSurvey: Sendable {
    public struct ConnectedDevice: Sendable, Hashable {
        public var address: DeviceAddress
        /// Untrusted text.
        public var name: String?
        /// What was agreed on for this link (BlueZ 5.62 or newer), in bytes.
        public var mtu: Int?
    }

    public struct Adapter: Sendable, Hashable {
        /// The kernel's name, such as `hci0`.
        public var kernelName: String
        public var address: DeviceAddress
        /// Untrusted text.
        public var name: String
        public var isPowered: Bool
        /// Whether any program discovers with it.
        public var isDiscovering: Bool
        /// Such as `1-1.4`; `nil` for an adapter that is not on USB.
        public var usbPort: String?
        /// The kernel's names of other adapters with its address.
        public var twins: [String]
        /// Whoever connected them.
        public var connectedDevices: [ConnectedDevice]
        /// How many devices bluetoothd remembers without a bond that are neither connected nor heard.
        public var rememberedDevices: Int
    }

    /// The bus's address, in D-Bus's form.
    public var bus: String
    /// Why the survey ended early: bus, permission or daemon.
    public var blockingError: BlueZError?
    public var isBusReachable = false
    /// bluetoothd's process.
    public var daemonProcess: Int?
    public var adapters: [Adapter] = []
    /// The kernel's names of adapters that bluetoothd does not show.
    public var hiddenAdapters: [String] = []
    public var radioSwitches: [RadioSwitch] = []

    /// Looks around on a connection of its own; starts bluetoothd where D-Bus can.
    /// - Throws: `CancellationError`; everything else is part of the survey.
    public static func take(
        bus address: BusAddress = .system, clock: SessionClock = .continuous, before deadline: SessionClock.Instant
    ) async throws -> BlueZSurvey {
        var survey = BlueZSurvey(bus: address.text)
        survey.radioSwitches = RadioSwitch.all()
        let session = BlueZSession(address: address, clock: clock, counter: ResourceCounter())
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
        adapters = mirror.adapters.values.sorted { $0.path < $1.path }.map { Adapter($0, in: mirror) }
        hiddenAdapters = mirror.ports.kernelNames.filter { name in !adapters.contains { $0.kernelName == name } }
        let process = try await session.call(.bus("GetConnectionUnixProcessID", .string(BusName.bluez)), before: deadline)
        daemonProcess = process.first?.asInteger
    }
}

extension BlueZSurvey.Adapter {
    init(_ adapter: AdapterObject, in mirror: ObjectMirror) {
        let known = mirror.devices.values.filter { $0.adapterPath == adapter.path }
        let devices = known.filter(\.isConnected)
        let twins = mirror.adapters.values.filter { $0.address == adapter.address && $0.path != adapter.path }
        self.init(
            kernelName: adapter.kernelName, address: adapter.address, name: adapter.name, isPowered: adapter.isPowered,
            isDiscovering: adapter.isDiscovering, usbPort: adapter.port, twins: twins.map(\.kernelName).sorted(),
            connectedDevices: devices.sorted { $0.path < $1.path }.map { device in
                .init(address: device.address, name: device.name, mtu: mirror.characteristics(of: device.path).compactMap(\.mtu).max())
            },
            rememberedDevices: known.count { $0.mayBeForgotten && $0.rssi == nil })
    }
}
