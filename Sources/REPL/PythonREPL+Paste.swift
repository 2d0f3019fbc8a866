import Bluetooth
import Support
import Synchronization

extension PythonREPL {
    /// Runs long code in raw-paste mode, where the unit compiles it as it arrives; in the plain raw REPL on a unit without it.
    /// - Throws: as ``run(_:within:)``.
    public func runPaste(_ code: PythonCode, within: Duration) async throws -> [UInt8] {
        let deadline = clock.deadline(in: within)
        try begin()
        try await send(bytes: RawPasteMachine.request, before: deadline)
        var paste = RawPasteMachine(code: code)
        while true {
            let bytes = try await nextBytes(before: deadline, awaiting: "raw-paste mode")
            switch try paste.receive(bytes) {
            case .waiting: continue
            case .mayContinue: try await sendPieces(of: &paste, before: deadline)
            case .unsupported:
                state.withLock { $0.isInStep = true }
                return try await run(code, within: clock.now.duration(to: deadline))
            case .finished(let rest):
                if paste.owesEnd { try await send(bytes: [Control.execute], before: deadline) }
                return try await takePastedAnswer(beginningWith: rest, before: deadline)
            }
        }
    }

    private func sendPieces(of paste: inout RawPasteMachine, before deadline: SessionClock.Instant) async throws {
        while true {
            let piece = paste.nextPiece(atMost: payloadSize)
            if piece.isEmpty { return }
            try await channel.send(piece, deadline: deadline)
        }
    }

    private func takePastedAnswer(
        beginningWith rest: [UInt8], before deadline: SessionClock.Instant
    ) async throws -> [UInt8] {
        state.withLock { $0.machine.expectAcceptedAnswer() }
        var bytes = rest
        while true {
            for case .answered(let answer) in try state.withLock({ try $0.machine.receive(bytes) }) {
                state.withLock { $0.isInStep = true }
                guard answer.standardError.isEmpty else {
                    throw REPLError.exception(PythonException(standardError: answer.standardError))
                }
                return answer.standardOutput
            }
            bytes = try await nextBytes(before: deadline, awaiting: "an answer of the unit's Python")
        }
    }
}
