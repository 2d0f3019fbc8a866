import Bluetooth
import ScriptBundle

/// The run of one Monocle from whatever it is to a proved unit.
///
/// A run is a series of passes, each of which asks the unit what it holds and does what is left: a lost link, a reset
/// or a power cut only begins the next pass (``Escalation`` says how). Nothing is remembered but the unit itself.
public struct MonocleRun: Sendable {
    let radio: MonocleRadio
    let assets: MonocleAssets
    let options: FlashOptions

    public init(central: any Central, address: DeviceAddress, assets: MonocleAssets, options: FlashOptions) {
        radio = MonocleRadio(central: central, address: address)
        self.assets = assets
        self.options = options
    }

    /// Brings the unit to what the assets say, and proves it.
    /// - Returns: the verdict; a failed unit is a report, not an error.
    /// - Throws: `CancellationError` alone.
    public func flash(report: @escaping @Sendable (RunEvent) -> Void) async throws -> UnitReport {
        var record = RunRecord(address: radio.address, parts: wantedParts, clock: radio.clock, report: report)
        let failure = try await radio.visit(
            Escalation(mayRestartUnit: true), progress: { record.advances }, recovering: { record.recovers(by: $0, from: $1) }
        ) { visit in try await takeSteps(&visit, &record) }
        return record.finished(failure.map(diagnose))
    }

    private var wantedParts: Set<Part> {
        var parts = options.parts
        if assets.firmware == nil { parts.remove(.firmware) }
        if assets.fpga == nil { parts.remove(.fpga) }
        if assets.scripts == nil { parts.remove(.scripts) }
        return parts
    }

    private func takeSteps(_ visit: inout MonocleVisit, _ record: inout RunRecord) async throws {
        record.begin(.connect)
        guard let mode = try await visit.hasLink ? .application : radio.find() else {
            throw ProvisioningError.unitNotFound(radio.address)
        }
        if mode == .bootloader {
            guard let firmware = assets.firmware, options.parts.contains(.firmware) else {
                throw ProvisioningError.inBootloader
            }
            if options.dryRun {
                record.planned(.firmware, from: nil, to: firmware.version)
                for (part, version) in [(Part.fpga, assets.fpga?.version), (.scripts, assets.scripts?.version)] {
                    if let version, options.parts.contains(part) { record.planned(part, from: nil, to: version) }
                }
                return
            }
            record.notice("the unit is in its bootloader: finishing its firmware first")
            record.start(.firmware, from: nil)
            try await transfer(firmware, &record)
        }
        try await updateFirmware(&visit, &record)
        try await updateFPGA(&visit, &record)
        try await updateScripts(&visit, &record)
        try await prove(&visit, &record)
    }
}
