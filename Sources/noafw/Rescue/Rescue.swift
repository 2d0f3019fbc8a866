import Bluetooth
import DFU
import Foundation
import Provisioning
import Support

/// Finds units stranded in their bootloaders, and finishes those that are this station's or were named.
struct Rescue {
    /// Long enough for everybody in reach to be heard.
    private static let listening = Duration.seconds(6)

    let station: RadioStation
    let request: RescueRequest
    var services = LiveServices()
    var recorder: RunRecorder?
    let events: @Sendable (JobEvent) -> Void

    /// - Throws: ``UnitSelectionError/noneAtAddress(_:inReach:)`` when the named unit is not heard.
    func run() async throws -> RescueReport {
        let units = try KnownUnits(stateFolder: station.stateFolder).load()
        let known = Set(units.compactMap { DeviceAddress($0.address) })
        try await station.endStaleConnections(
            request.radio.selector, families: Set(FamilyList.supported.provisioned.map(\.id)), known: units)
        let air = try await listen(known)
        guard case .address(let address) = request.radio.selector else { return try await rescueKnown(known, in: air) }
        return try await rescue(address, in: air)
    }

    /// Who was heard.
    private struct Air {
        /// At the end.
        var units: [DiscoveredUnit] = []
        /// Applications, at any time.
        var running: [DeviceAddress: DiscoveredUnit] = [:]

        var bootloaders: [DiscoveredUnit] { units.filter { $0.mode == .bootloader } }
    }

    private func rescueKnown(_ known: Set<DeviceAddress>, in air: Air) async throws -> RescueReport {
        var report = RescueReport(units: [], strangers: [])
        for unit in air.bootloaders {
            if air.running[unit.address] != nil {
                report.impostors.append(unit)
            } else if known.contains(unit.address) {
                try await finish(unit, &report)
            } else {
                report.strangers.append(unit)
            }
        }
        return report
    }

    /// The address may be the application's or the bootloader's, and a neighbour's application may have the latter's.
    private func rescue(_ address: DeviceAddress, in air: Air) async throws -> RescueReport {
        let unit = air.bootloaders.first { $0.address == address }
        if let running = air.running[address] {
            return RescueReport(units: [], strangers: [], impostors: unit.map { [$0] } ?? [], running: running)
        }
        guard let unit = unit ?? air.bootloaders.first(where: { $0.advertisedAddress == address }) else {
            throw UnitSelectionError.noneAtAddress(address, inReach: air.units)
        }
        if let running = air.running[unit.address] {
            return RescueReport(units: [], strangers: [], impostors: [unit], running: running)
        }
        var report = RescueReport(units: [], strangers: [])
        try await finish(unit, &report)
        return report
    }

    private func listen(_ known: Set<DeviceAddress>) async throws -> Air {
        let clock = station.central.clock
        let named: DeviceAddress? = if case .address(let address) = request.radio.selector { address } else { nil }
        let isWanted = { @Sendable (unit: DiscoveredUnit) in
            known.contains(unit.address) || unit.address == named || unit.advertisedAddress == named
        }
        var air = Air()
        let listened = clock.deadline(in: Self.listening)
        let end = clock.deadline(in: max(Self.listening, request.radio.wait ?? .zero))
        try await UnitFinder(central: station.central, families: .supported).watch(until: end, wanting: isWanted) { heard, now in
            let seen = heard.filter(\.isSupported)
            air.units = seen
            for unit in seen where unit.mode == .application { air.running[unit.address] = unit }
            return now >= listened && seen.contains(where: isWanted)
        }
        return air
    }

    /// One unit's failure is its report; the next one still gets its turn.
    private func finish(_ unit: DiscoveredUnit, _ report: inout RescueReport) async throws {
        events(.notice("\(unit.address) (\(unit.family)) is stranded in its bootloader"))
        do {
            let support = try SupportedFamily.provisioned(unit)
            let loader = AssetLoader(
                family: support.family, inputs: request.inputs, allowsDevelopment: request.inputs.allowsDevelopment,
                notice: { events(.notice($0)) })
            let assets = try loader.load(request.options.components)
            let target = StationUnit(
                support: support, central: station.central, address: unit.address, rssi: unit.rssi, adapter: await station.adapterAddress())
            let run = UnitRun(stateFolder: station.stateFolder, recorder: recorder, events: events)
            report.units.append(try await services.rescue(target, with: assets, request.options, run))
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            if case .inUse = FleetEnding(error) { report.inUse.insert(unit.address) }
            report.units.append(
                UnitReport(
                    identity: UnitIdentity(address: unit.address, name: unit.name), family: unit.family, steps: [], error: diagnose(error)))
        }
    }
}
