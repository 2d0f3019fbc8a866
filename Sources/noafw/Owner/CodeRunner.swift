import Foundation
import Provisioning
import REPL
import Support
import Synchronization

/// Code for a unit's prompt.
struct UnitCode: Sendable {
    var bytes: [UInt8]
    /// The file, as an error names it.
    var name: String
    var arguments: [String] = []
}

/// Runs code at a unit's prompt, and passes on what it prints while it runs.
struct CodeRunner: Sendable {
    private static let (startTimeout, answerTimeout) = (Duration.seconds(60), Duration.seconds(5))

    let context: CommandContext
    private let shown: UnitOutput

    init(context: CommandContext) { (self.context, shown) = (context, UnitOutput(context: context)) }

    /// - Returns: whether it ran to its end. Its traceback is shown.
    func run(_ code: UnitCode, on console: any ProgramConsole) async throws -> Bool {
        guard let prompt = ConsolePrompt(console) else { return true }
        do {
            return try await run(code, at: prompt)
        } catch REPLError.lua(let exception) {
            show(exception.message)
            return false
        }
    }

    /// - Throws: ``REPLError/lua(_:)`` for what is no Lua.
    func run(_ code: UnitCode, at prompt: ConsolePrompt) async throws -> Bool {
        let traceback: String? = switch prompt {
        case .python(let repl): try await run(code, on: repl)
        case .lua(let repl): try await run(code, on: repl)
        }
        shown.end()
        if let traceback { show(traceback) }
        return traceback == nil
    }

    private func run(_ code: UnitCode, on repl: LuaREPL) async throws -> String? {
        try await repl.forget()
        return try await repl.stream(code.bytes, named: code.name, arguments: code.arguments) { shown.show($0) }
    }

    private func show(_ traceback: String) {
        for line in traceback.split(separator: "\n") { context.diagnostics.writeLine(UntrustedText.escape(String(line), limit: 1000)) }
    }

    /// What callbacks print at the prompt, until the link or the run ends.
    func follow(_ console: any ProgramConsole) async throws {
        while true {
            switch ConsolePrompt(console) {
            case .python(let repl):
                if let bytes = try await repl.nextOutput(before: repl.clock.deadline(in: .forever)) { shown.show(bytes) }
            case .lua(let repl):
                guard case .text(let bytes) = try await repl.next(before: repl.clock.deadline(in: .forever)) else { continue }
                shown.show(bytes + [0x0A])
            case nil: return
            }
        }
    }

    private func run(_ code: UnitCode, on repl: PythonREPL) async throws -> String? {
        let words = ([code.name] + code.arguments).map { String(decoding: PythonLiteral.string($0), as: UTF8.self) }
        if !code.arguments.isEmpty {
            let list = "import sys\nsys.argv.clear()\nsys.argv.extend([\(words.joined(separator: ","))])"
            _ = try await repl.run(PythonCode(list), within: Self.answerTimeout)
        }
        let exception = try await repl.stream(PythonCode(bytes: code.bytes), within: Self.startTimeout) { shown.show($0) }
        // What the prompt reads has no name of its own.
        return exception?.traceback.replacing("File \"<stdin>\"", with: "File \"\(code.name)\"")
    }
}

/// What a unit prints: made harmless on a terminal, its bytes elsewhere, with the line ends of this machine.
final class UnitOutput: Sendable {
    private let sink: TextSink
    private let state = Mutex((filter: TerminalFilter(), held: false))

    init(context: CommandContext) { sink = context.output }

    func show(_ bytes: [UInt8]) {
        let (text, plain) = state.withLock { state -> (String, [UInt8]) in
            var plain: [UInt8] = []
            for byte in bytes {
                if state.held, byte != 0x0A { plain.append(0x0D) }
                state.held = byte == 0x0D
                if !state.held { plain.append(byte) }
            }
            return sink.isTerminal ? (state.filter.show(plain), []) : ("", plain)
        }
        if sink.isTerminal { sink.write(text) } else { sink.writeBytes(plain) }
    }

    func end() { state.withLock { $0.held = false } }
}
