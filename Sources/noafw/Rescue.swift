import Bluetooth
import DFU
import Foundation
import Provisioning

/// What became of the units that were found in their bootloaders.
struct RescueReport: RunVerdict {
    /// The ones that were worked on.
    var units: [UnitReport]
    /// Bootloaders that this station has not met and nobody named.
    var strangers: [SightedUnit]

    var passed: Bool { strangers.isEmpty && units.allSatisfy(\.passed) }
}

/// Finds units stranded in their bootloaders, and finishes those that are this station's or were named.
struct Rescue {
    /// Long enough for everybody in reach to be heard.
    private static let listening = Duration.seconds(6)

    let station: RadioStation
    let request: RescueRequest
    let events: @Sendable (RunEvent) -> Void

    func run() async throws -> RescueReport {
        try await station.endLeftovers(request.radio.wish, families: Set(DeviceFamily.allCases))
        let stranded = try await listen()
        let known = try KnownUnits(stateFolder: station.stateFolder).addresses()
        var report = RescueReport(units: [], strangers: [])
        for unit in stranded {
            guard known.contains(unit.address) || isNamed(unit) else {
                report.strangers.append(unit)
                continue
            }
            events(.notice("\(unit.address) (\(unit.family.rawValue)) is stranded in its bootloader"))
            report.units.append(try await finish(unit))
        }
        return report
    }

    private func isNamed(_ unit: SightedUnit) -> Bool {
        if case .address(let address) = request.radio.wish { address == unit.address || address == unit.advertisedAddress } else { false }
    }

    private func listen() async throws -> [SightedUnit] {
        let clock = station.central.clock
        var units: [SightedUnit] = []
        try await UnitFinder(central: station.central).watch(until: clock.deadline(in: Self.listening)) { seen, _ in
            units = seen
            return false
        }
        let stranded = units.filter { $0.mode == .bootloader }
        guard case .address = request.radio.wish else { return stranded }
        return stranded.filter(isNamed)
    }

    /// One unit's failure is its report; the next one still gets its turn.
    private func finish(_ unit: SightedUnit) async throws -> UnitReport {
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
