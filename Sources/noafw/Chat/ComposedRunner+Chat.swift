import Assistant
import Bluetooth
import Foundation
import Provisioning
import Support
import VirtualDevices

extension ComposedRunner {
    func chat(_ request: ChatRequest, _ body: @escaping @Sendable (ChatEnvironment) async throws -> ChatVerdict) async throws -> ChatVerdict {
        switch request.unit {
        case .virtual(let unit):
            let station = try VirtualStation(
                unit, stateFolder: request.stateFolder, inputs: request.inputs,
                assets: MonocleAssets(firmware: nil, fpga: nil, scripts: nil))
            let senses = station.senses
            return try await station.run { central, address in
                try await Self.converse(request, central, address, senses, body)
            }
        case .radio(let selection):
            return try await Radio.with(adapter: selection.adapter) { central in
                let station = RadioStation(central: central, stateFolder: request.stateFolder, notice: request.notice)
                return try await station.run(selection.wish, families: [.monocle]) { unit in
                    try await Self.converse(request, central, unit.address, nil, body)
                }
            }
        }
    }

    private static func converse(
        _ request: ChatRequest, _ central: any Central, _ address: DeviceAddress, _ senses: VirtualSenses?,
        _ body: @escaping @Sendable (ChatEnvironment) async throws -> ChatVerdict
    ) async throws -> ChatVerdict {
        var options = ChatOptions()
        options.mode = request.mode
        if case .server(let settings) = request.assistant { options.tokenLimit = settings.tokenLimit }
        return try await withResponder(request.assistant) { [options] responder in
            let session = ChatSession(
                central: central, address: address, relay: MonocleRelay(), responder: responder, options: options,
                startProgram: MonocleProgram.restart(clock: central.clock))
            return try await body(ChatEnvironment(clock: central.clock, senses: senses, converse: session.run))
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
