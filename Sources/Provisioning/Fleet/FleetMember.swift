import Bluetooth
import Support

struct FleetMember: Sendable {
    enum Phase: Sendable, Hashable {
        case waiting
        case running(adapter: Int)
        case ended(UnitResult)
    }

    let target: FleetTarget
    var phase = Phase.waiting
    /// As last heard; its application before its bootloader.
    var unit: DiscoveredUnit?
    /// In dBm, by adapter index.
    var strengths: [Int: Int] = [:]
    /// When an adapter first heard it.
    var firstHeard: SessionClock.Instant?
    /// How long each adapter had listened when the unit was lost together with the adapter that heard it; empty if that never
    /// happened.
    var listenedBefore: [Duration] = []
    /// For a name: the units that have it.
    var bearers: [DeviceAddress: DiscoveredUnit] = [:]
    var adapter: Int?

    init(_ target: FleetTarget) {
        self.target = target
        if case .unit(let unit) = target.place { self.unit = unit }
    }

    /// The application's; `nil` while a name is not identified.
    var address: DeviceAddress? {
        switch target.place {
        case .unit(let unit): unit.address
        case .address(let address): address
        case .name: unit?.address
        }
    }

    /// As requested, with what is known about it now.
    var known: FleetUnit { target.unit(unit) }

    var isWaiting: Bool { phase == .waiting }

    mutating func hear(_ heard: DiscoveredUnit, by adapter: Int, at now: SessionClock.Instant) {
        // Anything may pose as a bootloader at the next address.
        if unit?.mode != .application || heard.mode == .application || strengths.isEmpty { unit = heard }
        strengths[adapter] = heard.rssi
        firstHeard = firstHeard ?? now
    }

    mutating func lose(_ adapter: Int, listened: [Duration]) {
        guard strengths.removeValue(forKey: adapter) != nil, strengths.isEmpty else { return }
        (firstHeard, listenedBefore) = (nil, listened)
    }
}
