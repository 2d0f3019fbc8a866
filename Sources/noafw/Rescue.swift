import Bluetooth
import DFU
import Foundation
import Provisioning
import Support

/// What became of the units that were found in their bootloaders.
struct RescueReport: RunVerdict {
    /// The ones that were worked on.
    var units: [UnitReport]
    /// Bootloaders that this station has not met and nobody named.
    var strangers: [SightedUnit]
    /// Bootloaders at the next address of a unit that runs its application: whoever they are, that unit is not stranded.
    var impostors: [SightedUnit] = []
    /// The named unit, when it is not stranded at all.
    var running: SightedUnit?

    /// Others beside units of ours fail nothing: they may be anybody's.
    var passed: Bool { units.isEmpty ? strangers.isEmpty && impostors.isEmpty : units.allSatisfy(\.passed) }
}

/// Finds units stranded in their bootloaders, and finishes those that are this station's or were named.
struct Rescue {
    /// Long enough for everybody in reach to be heard.
    private static let listening = Duration.seconds(6)

    let station: RadioStation
    let request: RescueRequest
    let events: @Sendable (RunEvent) -> Void

    /// - Throws: ``ChoiceError/noneAtAddress(_:inReach:)`` when the named unit is not heard.
    func run() async throws -> RescueReport {
        try await station.endLeftovers(request.radio.wish, families: Set(DeviceFamily.allCases))
        let air = try await listen()
        guard case .address(let address) = request.radio.wish else { return try await rescueKnown(in: air) }
        return try await rescue(address, in: air)
    }

    /// Who was heard.
    private struct Air {
        /// At the end.
        var units: [SightedUnit] = []
        /// Applications, at any time.
        var running: [DeviceAddress: SightedUnit] = [:]

        var bootloaders: [SightedUnit] { units.filter { $0.mode == .bootloader } }
    }

    private func rescueKnown(in air: Air) async throws -> RescueReport {
        let known = try KnownUnits(stateFolder: station.stateFolder).addresses()
        var report = RescueReport(units: [], strangers: [])
        for unit in air.bootloaders {
            if air.running[unit.address] != nil {
                report.impostors.append(unit)
            } else if known.contains(unit.address) {
                report.units.append(try await finish(unit))
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
            throw ChoiceError.noneAtAddress(address, inReach: air.units)
        }
        if let running = air.running[unit.address] {
            return RescueReport(units: [], strangers: [], impostors: [unit], running: running)
        }
        return RescueReport(units: [try await finish(unit)], strangers: [])
    }

    private func listen() async throws -> Air {
        let clock = station.central.clock
        let known = try KnownUnits(stateFolder: station.stateFolder).addresses()
        let named: DeviceAddress? = if case .address(let address) = request.radio.wish { address } else { nil }
        let isWanted = { @Sendable (unit: SightedUnit) in
            known.contains(unit.address) || unit.address == named || unit.advertisedAddress == named
        }
        var air = Air()
        try await UnitFinder(central: station.central).watch(until: clock.deadline(in: Self.listening), wanting: isWanted) { seen, _ in
            air.units = seen
            for unit in seen where unit.mode == .application { air.running[unit.address] = unit }
            return false
        }
        return air
    }

    /// One unit's failure is its report; the next one still gets its turn.
    private func finish(_ unit: SightedUnit) async throws -> UnitReport {
        events(.notice("\(unit.address) (\(unit.family.rawValue)) is stranded in its bootloader"))
        do {
            return try await station.own(unit) {
                switch unit.family {
                case .monocle: try await finishMonocle(unit)
                case .frame: try await finishFrame(unit)
                }
            }
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return UnitReport(
                identity: UnitIdentity(address: unit.address, name: unit.name), family: unit.family.rawValue, steps: [],
                error: CommandError.explain(error))
        }
    }

    private var loader: AssetLoader {
        AssetLoader(inputs: request.inputs, allowsDevelopment: request.inputs.allowsDevelopment, notice: { events(.notice($0)) })
    }

    private func finishMonocle(_ unit: SightedUnit) async throws -> UnitReport {
        try await MonocleRun(
            central: station.central, address: unit.address, assets: try loader.load(request.options.parts),
            options: request.options
        ).flash(report: events)
    }

    private func finishFrame(_ unit: SightedUnit) async throws -> UnitReport {
        try await FrameRescue(central: station.central, unit: unit, firmware: try loader.frameFirmware())
            .run(isDryRun: request.options.dryRun, report: events)
    }
}
