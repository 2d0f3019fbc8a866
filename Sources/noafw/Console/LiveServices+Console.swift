import Bluetooth
import Provisioning
import REPL
import Support

struct ConsoleRequest: Sendable {
    var unit: UnitSelection
    var inputs: AssetInputs
    /// The unit's program is not started again.
    var staysAtPrompt: Bool
    var stateFolder: String
    var notice: @Sendable (String) -> Void = { _ in }
}

struct ConsoleVerdict: Verdict {
    /// A line raised an exception.
    var hasRaised = false
    /// The unit left its prompt: there is no program to start.
    var hasLeft = false
    var passed: Bool { !hasRaised }
}

extension LiveServices {
    private static let connectTimeout = Duration.seconds(20)
    private static let promptTimeout = Duration.seconds(15)
    /// A session that came to its own end leaves more time than one that was interrupted.
    private static let farewell = Duration.seconds(5)

    func console(
        _ request: ConsoleRequest, _ body: @escaping @Sendable (ConsolePrompt) async throws -> ConsoleVerdict
    ) async throws -> ConsoleVerdict {
        let tell: Events = { if case .notice(let text) = $0.content { request.notice(text) } }
        return try await withUnit(
            request.unit, search: request.inputs.search, stateFolder: request.stateFolder, events: tell
        ) { unit in
            guard let language = unit.support.prompt, let rules = unit.family.provisioning else {
                throw CommandError.unsupported("console", family: unit.family.id)
            }
            let clock = unit.central.clock
            let connection = try await rules.connect(
                to: unit.address, over: unit.central, deadline: clock.deadline(in: Self.connectTimeout))
            do {
                let verdict = switch language {
                case .python: try await Self.attend(request, connection, clock) { try await body(.python($0)) }
                case .lua: try await Self.attendLua(request, connection, clock) { try await body(.lua($0)) }
                }
                await connection.disconnect()
                return verdict
            } catch {
                await connection.disconnect()
                throw error
            }
        }
    }

    static func attend(
        _ request: ConsoleRequest, _ connection: any Connection, _ clock: SessionClock,
        _ body: @escaping @Sendable (PythonREPL) async throws -> ConsoleVerdict
    ) async throws -> ConsoleVerdict {
        try await PythonREPL.visit(
            connection, clock: clock, within: promptTimeout, leavesProgram: request.staysAtPrompt
        ) { repl in
            let verdict = try await body(repl)
            if !verdict.hasLeft, !request.staysAtPrompt { await repl.putBack(within: farewell) }
            return verdict
        }
    }

    static func attendLua(
        _ request: ConsoleRequest, _ connection: any Connection, _ clock: SessionClock,
        _ body: @escaping @Sendable (LuaREPL) async throws -> ConsoleVerdict
    ) async throws -> ConsoleVerdict {
        let repl = try await LuaREPL.attach(to: connection, clock: clock, within: promptTimeout)
        do {
            let verdict = try await body(repl)
            if !request.staysAtPrompt { await repl.putBack(within: farewell) }
            await repl.close()
            return verdict
        } catch {
            if !request.staysAtPrompt { await repl.putBack() }
            await repl.close()
            throw error
        }
    }
}
