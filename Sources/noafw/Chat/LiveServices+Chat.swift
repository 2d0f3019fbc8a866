import Assistant
import Bluetooth
import Foundation
import Provisioning
import Support
import VirtualDevices

extension LiveServices: ChatService {
    func chat(_ request: ChatRequest, _ body: @escaping @Sendable (ChatEnvironment) async throws -> ChatVerdict) async throws -> ChatVerdict {
        switch request.unit {
        case .virtual(let unit):
            let station = try VirtualStation(
                unit, stateFolder: request.stateFolder, inputs: request.inputs)
            let sensors = station.sensors
            return try await station.run { central, address in
                try await Self.converse(request, central, address, sensors, body)
            }
        case .radio(let selection):
            return try await Radio.with(adapter: selection.adapter) { central in
                let station = RadioStation(central: central, stateFolder: request.stateFolder, notice: request.notice)
                return try await station.run(selection.selector, families: [request.unit.family.id]) { unit in
                    try await Self.converse(request, central, unit.address, nil, body)
                }
            }
        }
    }

    private static func converse(
        _ request: ChatRequest, _ central: any Central, _ address: DeviceAddress, _ sensors: VirtualSensors?,
        _ body: @escaping @Sendable (ChatEnvironment) async throws -> ChatVerdict
    ) async throws -> ChatVerdict {
        var options = ChatOptions()
        options.mode = request.mode
        if case .server(let settings) = request.assistant { options.tokenLimit = settings.tokenLimit }
        return try await withResponder(request.assistant) { [options] responder in
            let session = ChatSession(
                central: central, address: address, relay: MonocleRelay(), responder: responder, options: options,
                startProgram: MonocleProgram.restart(clock: central.clock))
            return try await body(ChatEnvironment(clock: central.clock, sensors: sensors, converse: session.run))
        }
    }

    private static func withResponder<Value: Sendable>(
        _ choice: AssistantChoice, _ body: @Sendable (any Responder) async throws -> Value
    ) async throws -> Value {
        switch choice {
        case .echo: try await body(EchoResponder())
        // A server lives in real time, whatever time the unit lives in.
        case .server(let settings): try await OpenAIResponder.with(settings, clock: .continuous) { try await body($0) }
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
