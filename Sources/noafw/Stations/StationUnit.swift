import Bluetooth
import Provisioning

/// Has a unit on the air while it is worked on, once it is claimed and its record is open.
protocol UnitPresence: Sendable {
    func during<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value
}

/// Of a unit that is there whatever anybody does.
struct SteadyPresence: UnitPresence {
    func during<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value { try await body() }
}

/// A unit on its station, taken for one command.
struct StationUnit: Sendable {
    var support: SupportedFamily
    let central: any Central
    /// The application's.
    let address: DeviceAddress
    /// Virtual units have a lock of their own.
    var isVirtual = false
    /// As `--virtual` names it, in a fleet.
    var virtualName: String?
    /// `nil` for a unit that is not virtual.
    var sensors: VirtualSensors?
    /// Of its advertisement, in dBm.
    var rssi: Int?
    /// The address of the adapter that is to reach it.
    var adapter: String?
    /// Where it answers over a network, as the command line has it.
    var place: String?
    /// Where a virtual unit answers while it is on the air.
    var virtualPlace: NetworkPlace?
    /// What it is called from now on.
    var label: String?
    var presence: any UnitPresence = SteadyPresence()

    var family: Family { support.family }

    /// Those of `flash` that name it.
    /// - Parameter adapters: those of the command line; none leaves the choice to the next run, too.
    func options(adapters: [String]) -> [String] {
        if let virtualName { return ["--virtual", virtualName] }
        let unit = ["--device", "\(address)"] + (place.map { ["--url", $0] } ?? [])
        return unit + (adapters.isEmpty ? [] : adapter.map { ["--adapter", $0] } ?? [])
    }
}
