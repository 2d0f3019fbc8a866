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
        let tell: Events = { if case .notice(let text) = $0.content { request.notice(text) } }
        return try await withUnit(
            request.unit, search: request.inputs.search, stateFolder: request.stateFolder, events: tell
        ) { try await Self.attend(request, $0.central, $0.address, body) }
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
