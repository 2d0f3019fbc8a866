import Assistant
import Bluetooth
import Foundation
import Provisioning
import Support
import VirtualDevices

extension LiveServices: ChatService {
    func withChatUnit(
        _ preparation: ChatPreparation, notice: @escaping @Sendable (String) -> Void,
        _ body: @escaping @Sendable (any ChatUnit) async throws -> ChatVerdict
    ) async throws -> ChatVerdict {
        switch preparation.unit {
        case .virtual(let unit):
            let station = try VirtualStation(unit, stateFolder: preparation.stateFolder, inputs: preparation.inputs)
            let sensors = station.sensors
            return try await station.run { central, address in
                try await run(LiveChatUnit(central, address, sensors, preparation, self), body)
            }
        case .radio(let selection):
            return try await Radio.with(adapter: selection.adapter) { central in
                let station = RadioStation(central: central, stateFolder: preparation.stateFolder, notice: notice)
                return try await station.run(selection.selector, families: [preparation.unit.family.id]) { unit in
                    try await run(LiveChatUnit(central, unit.address, nil, preparation, self), body)
                }
            }
        }
    }

    /// A unit that is not talked to after all goes on with its program.
    private func run(
        _ unit: LiveChatUnit, _ body: @Sendable (any ChatUnit) async throws -> ChatVerdict
    ) async throws -> ChatVerdict {
        do {
            let verdict = try await body(unit)
            await unit.release()
            return verdict
        } catch {
            await unit.release()
            throw error
        }
    }
}

extension VirtualStation {
    /// Hands, voice and eyes for the unit.
    fileprivate var sensors: VirtualSensors {
        let (unit, folder) = (unit, folder)
        return VirtualSensors(
            stimulate: { unit.stimulate($0) }, speak: { try folder.setMicrophone(wav: $0) }, show: { try folder.setCamera(jpeg: $0) },
            display: { VirtualDisplay.lines(of: folder.display).map(\.text) })
    }
}
