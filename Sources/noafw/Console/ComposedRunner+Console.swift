import Assistant
import Bluetooth
import Provisioning
import REPL

extension ComposedRunner {
    private static let connectPatience = Duration.seconds(20)
    private static let promptPatience = Duration.seconds(15)
    /// Ctrl-C waits for it.
    private static let farewell = Duration.seconds(5)

    func console(
        _ request: ConsoleRequest, _ body: @escaping @Sendable (PythonREPL) async throws -> ConsoleVerdict
    ) async throws -> ConsoleVerdict {
        switch request.unit {
        case .virtual(let unit):
            let station = try VirtualStation(
                unit, stateFolder: request.stateFolder, inputs: request.inputs,
                assets: MonocleAssets(firmware: nil, fpga: nil, scripts: nil))
            return try await station.run { central, address in try await Self.attend(request, central, address, body) }
        case .radio(let selection):
            return try await Radio.with(adapter: selection.adapter) { central in
                try await RadioStation(central: central, stateFolder: request.stateFolder, notice: request.notice)
                    .run(selection.wish, families: [.monocle]) { try await Self.attend(request, central, $0.address, body) }
            }
        }
    }

    private static func attend(
        _ request: ConsoleRequest, _ central: any Central, _ address: DeviceAddress,
        _ body: @escaping @Sendable (PythonREPL) async throws -> ConsoleVerdict
    ) async throws -> ConsoleVerdict {
        let clock = central.clock
        let connection = try await central.connect(to: address, deadline: clock.deadline(in: connectPatience))
        let result: Result<ConsoleVerdict, any Error>
        do {
            let repl = try await PythonREPL.attach(to: connection, clock: clock, within: promptPatience)
            do { result = .success(try await body(repl)) } catch { result = .failure(error) }
            let hasLeft = if case .success(let verdict) = result { verdict.hasLeft } else { false }
            if !hasLeft, !request.staysAtPrompt {
                await clock.shielded(for: farewell) {
                    try await repl.recover(within: farewell)
                    try await repl.start(within: farewell)
                }
            }
            await repl.close()
        } catch {
            result = .failure(error)
        }
        await connection.disconnect()
        return try result.get()
    }
}
