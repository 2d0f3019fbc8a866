import Assistant
import Bluetooth
import Provisioning
import REPL
import Support

extension LiveServices: ConsoleService {
    private static let connectTimeout = Duration.seconds(20)
    private static let promptTimeout = Duration.seconds(15)
    /// A session that came to its own end leaves more time than one that was interrupted.
    private static let farewell = Duration.seconds(5)

    func console(
        _ request: ConsoleRequest, _ body: @escaping @Sendable (PythonREPL) async throws -> ConsoleVerdict
    ) async throws -> ConsoleVerdict {
        switch request.unit {
        case .virtual(let unit):
            let station = try VirtualStation(
                unit, stateFolder: request.stateFolder, inputs: request.inputs)
            return try await station.run { central, address in try await Self.attend(request, central, address, body) }
        case .radio(let selection):
            return try await Radio.with(adapter: selection.adapter) { central in
                try await RadioStation(central: central, stateFolder: request.stateFolder, notice: request.notice)
                    .run(selection.selector, families: [request.unit.family.id]) { try await Self.attend(request, central, $0.address, body) }
            }
        }
    }

    static func attend(
        _ request: ConsoleRequest, _ central: any Central, _ address: DeviceAddress,
        _ body: @escaping @Sendable (PythonREPL) async throws -> ConsoleVerdict
    ) async throws -> ConsoleVerdict {
        let clock = central.clock
        let connection = try await central.connect(to: address, deadline: clock.deadline(in: connectTimeout))
        do {
            let verdict = try await PythonREPL.visit(
                connection, clock: clock, within: promptTimeout, leavesProgram: request.staysAtPrompt
            ) { repl in
                let verdict = try await body(repl)
                if !verdict.hasLeft, !request.staysAtPrompt { await repl.putBack(within: farewell) }
                return verdict
            }
            await connection.disconnect()
            return verdict
        } catch {
            await connection.disconnect()
            throw error
        }
    }
}
