import Bluetooth
import Provisioning
import Support

/// A connection that the radio holds for another program, or for one that died.
struct StaleConnection: Sendable, Hashable {
    var address: DeviceAddress
    /// Untrusted text.
    var name: String?
}

/// A radio that several programs share, and whose links outlive them.
protocol SharedRadio: Central {
    /// The connections that are not this program's.
    func foreignConnections(before deadline: SessionClock.Instant) async throws -> [StaleConnection]
    /// Ends one and waits until it is gone. Harmless when it is gone already.
    func end(_ link: StaleConnection, before deadline: SessionClock.Instant) async throws
}

/// The links that bluetoothd keeps for processes that died.
struct StaleConnections: Sendable {
    let central: any Central
    let stateFolder: String
    let notice: @Sendable (String) -> Void

    private static let timeout = Duration.seconds(5)

    /// bluetoothd keeps the link of a process that died, and a unit with a link does not advertise: nobody can find it. A link
    /// is ended as stale only if this station has worked on the unit, no process of it does now, and the unit can be
    /// the one that is meant. A dry run needs the unit to be seen, too.
    /// - Throws: `CancellationError` alone: what stands in the way here stands in the way of the search, which says it better.
    func end(_ selector: UnitSelector, families: Set<FamilyID>, known: [KnownUnits.Unit]) async throws {
        guard let radio = central as? any SharedRadio else { return }
        let deadline = radio.clock.deadline(in: Self.timeout)
        do {
            let ours = known.filter { families.contains($0.family) }
            let addresses = Set(ours.compactMap { DeviceAddress($0.address) })
            for link in try await radio.foreignConnections(before: deadline) {
                guard let unit = link.unit(among: addresses), selector.mayMean(unit, link),
                    let lock = try? UnitLock(unit: unit, stateFolder: stateFolder)
                else { continue }
                notice("\(unit) is still connected, and no noafw of this station works on it: ending that link")
                try await end(link, on: radio, before: deadline)
                withExtendedLifetime(lock) {}
            }
        } catch is CancellationError {
            throw CancellationError()
        } catch {}
    }

    private func end(_ link: StaleConnection, on radio: any SharedRadio, before deadline: SessionClock.Instant) async throws {
        do {
            try await radio.end(link, before: deadline)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            notice("the link to \(link.address) does not end: \(diagnose(error).message)")
        }
    }
}

extension StaleConnection {
    /// The application's address, if this is one of the known units in its application or in its bootloader.
    fileprivate func unit(among known: Set<DeviceAddress>) -> DeviceAddress? {
        // bluetoothd may have the link without having heard a name.
        let sighted = FamilyList.supported.recognise(Advertisement(address: address, name: name, services: [], rssi: 0))
        let unit = sighted?.address ?? address
        return known.contains(unit) ? unit : nil
    }
}

extension UnitSelector {
    fileprivate func mayMean(_ unit: DeviceAddress, _ link: StaleConnection) -> Bool {
        switch self {
        case .only, .nearest: true
        case .address(let address): address == unit || address == link.address
        case .name(let name): name == link.name
        }
    }
}
