/// The unit's processor: what it waits for, and what waits for it.
struct FrameProcessor {
    enum State: Sendable {
        case off
        /// It computes; what it did takes effect when its time has passed.
        case computing
        /// It would hear anything now.
        case waiting
        /// It waits for an answer of the hardware.
        case asking
        /// It does nothing more: a loop within C, or memory that holds something else.
        case hanging
    }

    private(set) var state = State.off
    private var interpreter: FrameInterpreter?
    private var inputs: [FrameInterpreter.Input] = []
    /// Counts the waits, so that the end of an earlier one is not taken for that of the present one.
    private(set) var waitCount = 0

    mutating func start(_ interpreter: FrameInterpreter) throws -> FrameInterpreter.Turn {
        self.interpreter = interpreter
        state = .computing
        return try interpreter.begin()
    }

    /// Loses everything in RAM.
    mutating func stop() {
        interpreter?.end()
        self = FrameProcessor(waitCount: waitCount + 1)
    }

    init(waitCount: Int = 0) { self.waitCount = waitCount }

    mutating func hang() {
        stop()
        state = .hanging
    }

    mutating func add(_ input: FrameInterpreter.Input) {
        if state != .off, state != .hanging { inputs.append(input) }
    }

    /// It waits at its prompt.
    private(set) var isIdle = false

    var hasInputs: Bool { !inputs.isEmpty }

    mutating func settle(into reason: FrameInterpreter.Reason) {
        waitCount += 1
        isIdle = reason == .wait(nil)
        switch reason {
        case .budget: state = .computing
        case .wait: state = .waiting
        case .question: state = .asking
        }
    }

    /// - Returns: `nil` where the processor is off.
    mutating func resume(radio: FrameInterpreter.Radio, uptime: Duration) throws -> FrameInterpreter.Turn? {
        guard let interpreter else { return nil }
        defer { inputs = [] }
        state = .computing
        isIdle = false
        waitCount += 1
        return try interpreter.resume(inputs, radio: radio, uptime: uptime)
    }
}
