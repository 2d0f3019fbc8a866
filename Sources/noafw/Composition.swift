import Bluetooth
import DFU
import FPGA
import Foundation
import Provisioning
import ScriptBundle
import Support
import VirtualDevices

/// Joins the verbs to the modules that do the work: opens what is asked for, puts the unit on the air, runs.
struct ComposedRunner: UnitRunner {
    func flash(_ request: FlashRequest, events: @escaping @Sendable (RunEvent) -> Void) async throws -> UnitReport {
        let isVirtual = if case .virtual = request.unit { true } else { false }
        let assets = try load(
            request.inputs, request.options.parts, allowsDevelopment: isVirtual || request.inputs.allowsDevelopment, events)
        return try await on(request.unit, assets, request.inputs, request.stateFolder, events) { central, address in
            try await MonocleRun(central: central, address: address, assets: assets, options: request.options)
                .flash(report: events)
        }
    }

    func verify(_ request: VerifyRequest, events: @escaping @Sendable (RunEvent) -> Void) async throws -> VerifyReport {
        // It only reads: whatever the images are, no unit gets them.
        let assets = try load(request.inputs, request.parts, allowsDevelopment: true, events)
        return try await on(request.unit, assets, request.inputs, request.stateFolder, events) { central, address in
            try await MonocleVerification(central: central, address: address, assets: assets, isDeep: request.isDeep)
                .run(report: events)
        }
    }

    func rescue(_ request: RescueRequest, events: @escaping @Sendable (RunEvent) -> Void) async throws -> RescueReport {
        try await Radio.with(adapter: request.radio.adapter) { central in
            let station = RadioStation(
                central: central, stateFolder: request.stateFolder, notice: { events(.notice($0)) })
            return try await Rescue(station: station, request: request, events: events).run()
        }
    }

    func scan(_ request: ScanRequest, look: @escaping @Sendable (ScanReport) -> Void) async throws -> ScanReport {
        // A damaged list of units costs the notes, not the scan.
        var report = ScanReport(units: [], known: (try? KnownUnits(stateFolder: request.stateFolder).addresses()) ?? [])
        try await Radio.with(adapter: request.adapter) { central in
            try await UnitFinder(central: central).watch(until: central.clock.deadline(in: request.listening)) { units, _ in
                report.units = units
                look(report)
                return false
            }
        }
        return report
    }

    func examine(_ request: DoctorRequest) async -> DoctorFacts { await DoctorFacts.gather(request) }

    private func load(
        _ inputs: AssetInputs, _ parts: Set<Part>, allowsDevelopment: Bool, _ events: @escaping @Sendable (RunEvent) -> Void
    ) throws -> MonocleAssets {
        try AssetLoader(inputs: inputs, allowsDevelopment: allowsDevelopment, notice: { events(.notice($0)) }).load(parts)
    }

    private func on<Value: Sendable>(
        _ unit: UnitSelection, _ assets: MonocleAssets, _ inputs: AssetInputs, _ stateFolder: String,
        _ events: @escaping @Sendable (RunEvent) -> Void,
        _ body: @escaping @Sendable (any Central, DeviceAddress) async throws -> Value
    ) async throws -> Value {
        switch unit {
        case .virtual(let unit):
            return try await VirtualStation(unit, stateFolder: stateFolder, inputs: inputs, assets: assets).run(body)
        case .radio(let selection):
            return try await Radio.with(adapter: selection.adapter) { central in
                try await RadioStation(central: central, stateFolder: stateFolder, notice: { events(.notice($0)) })
                    .run(selection.wish, families: [.monocle]) { try await body(central, $0.address) }
            }
        }
    }
}
