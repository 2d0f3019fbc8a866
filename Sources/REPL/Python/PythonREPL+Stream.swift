import Bluetooth
import Support
import Synchronization

extension PythonREPL {
    /// The unit takes code of any length while nothing runs, but keeps it whole in its heap of 40 kB (monocle-micropython, `main.c`).
    public static let codeLimit = 24_576

    /// Runs code and passes on what it prints as it comes.
    /// - Parameter within: for the unit to take the code; it may run for ever.
    /// - Returns: its exception; `nil` when it ran to its end. The session then stays in step.
    public func stream(
        _ code: PythonCode, within: Duration, output: ([UInt8]) -> Void
    ) async throws -> PythonException? {
        guard code.bytes.count <= Self.codeLimit else { throw REPLError.codeTooLong(byteCount: code.bytes.count, limit: Self.codeLimit) }
        try begin(RawREPLMachine(outputLimit: .max, inFlight: 1))
        try await send(bytes: code.bytes + [Control.execute], before: clock.deadline(in: within))
        while true {
            let bytes = try await nextBytes(before: clock.deadline(in: .forever), awaiting: "the end of the code")
            for event in try state.withLock({ try $0.machine.receive(bytes) }) {
                switch event {
                case .accepted: continue
                case .printed(let bytes): output(bytes)
                case .answered(let traceback):
                    state.withLock { state in
                        state.isInStep = true
                        // Whatever ran may have removed them.
                        state.forgetHelpers()
                    }
                    return traceback.isEmpty ? nil : PythonException(standardError: traceback)
                }
            }
        }
    }
}
