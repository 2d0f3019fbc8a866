import Bluetooth
import Support

/// One unit of a fleet, on its way.
struct FleetMember: Sendable {
    enum Phase: Sendable, Hashable {
        case waiting
        case running(adapter: Int)
        case ended(UnitResult)
    }

    let target: FleetTarget
    var phase = Phase.waiting
    /// As it was heard last; its application before its bootloader.
    var unit: DiscoveredUnit?
    /// In dBm, by the place of the adapter.
    var strengths: [Int: Int] = [:]
    /// When an adapter first heard it.
    var firstHeard: SessionClock.Instant?
    /// How long each adapter had listened when the unit was lost with the one that heard it; empty is not at all.
    var listenedBefore: [Duration] = []
    /// For a name: who has it.
    var bearers: [DeviceAddress: DiscoveredUnit] = [:]
    var adapter: Int?

    init(_ target: FleetTarget) {
        self.target = target
        if case .unit(let unit) = target.place { self.unit = unit }
    }

    /// The application's; `nil` for a name that is not made out yet.
    var address: DeviceAddress? {
        switch target.place {
        case .unit(let unit): unit.address
        case .address(let address): address
        case .name: unit?.address
        }
    }

    /// As it was asked for, with what is known of it by now.
    var known: FleetUnit { target.unit(unit) }

    var isWaiting: Bool { phase == .waiting }

    mutating func hear(_ heard: DiscoveredUnit, by adapter: Int, at now: SessionClock.Instant) {
        // Anything may call itself a bootloader at the next address.
        if unit?.mode != .application || heard.mode == .application || strengths.isEmpty { unit = heard }
        strengths[adapter] = heard.rssi
        firstHeard = firstHeard ?? now
    }

    mutating func lose(_ adapter: Int, listened: [Duration]) {
        guard strengths.removeValue(forKey: adapter) != nil, strengths.isEmpty else { return }
        (firstHeard, listenedBefore) = (nil, listened)
    }
}
