import Bluetooth
import DFU
import FPGA
import Foundation
import Provisioning
import ScriptBundle
import VirtualDevices

/// Joins the verbs to the modules that do the work: opens what is asked for, puts the unit on the air, runs.
struct ComposedRunner: UnitRunner {
    func flash(_ request: FlashRequest, events: @escaping @Sendable (RunEvent) -> Void) async throws -> UnitReport {
        let assets = try AssetLoader(inputs: request.inputs, notice: { events(.notice($0)) }).load(request.options.parts)
        let station = try VirtualStation(request.unit, stateFolder: request.stateFolder, inputs: request.inputs, assets: assets)
        return try await station.run { central, address in
            try await MonocleRun(central: central, address: address, assets: assets, options: request.options)
                .flash(report: events)
        }
    }

    func verify(_ request: VerifyRequest, events: @escaping @Sendable (RunEvent) -> Void) async throws -> VerifyReport {
        let assets = try AssetLoader(inputs: request.inputs, notice: { events(.notice($0)) }).load(request.parts)
        let station = try VirtualStation(request.unit, stateFolder: request.stateFolder, inputs: request.inputs, assets: assets)
        return try await station.run { central, address in
            try await MonocleVerification(central: central, address: address, assets: assets, isDeep: request.isDeep)
                .run(report: events)
        }
    }
}
