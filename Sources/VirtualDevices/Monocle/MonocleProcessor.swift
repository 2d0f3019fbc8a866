/// The unit's processor: what it waits for, and what waits for it.
struct MonocleProcessor {
    enum State: Sendable {
        case off
        /// It computes; what it did takes effect when its time has passed.
        case computing
        /// It would hear anything now.
        case waiting
        /// It waits for the answer to a request, or for a place in the notification queue.
        case blocked
    }

    private(set) var state = State.off
    private var interpreter: MonocleInterpreter?
    private var inputs: [MonocleInterpreter.Input] = []
    /// The radio as the processor saw it last.
    private(set) var seenRadio = MonocleInterpreter.Radio()
    /// Counts the waits, so that the end of an earlier one is not taken for that of the present one.
    private(set) var waitCount = 0

    mutating func start(_ interpreter: MonocleInterpreter) throws -> MonocleInterpreter.Turn {
        self.interpreter = interpreter
        state = .computing
        return try interpreter.begin()
    }

    /// Loses everything in RAM.
    mutating func stop() {
        interpreter?.end()
        interpreter = nil
        state = .off
        inputs = []
        waitCount += 1
    }

    mutating func add(_ input: MonocleInterpreter.Input) {
        if state != .off { inputs.append(input) }
    }

    var hasInputs: Bool { !inputs.isEmpty }

    mutating func settle(into reason: MonocleInterpreter.Reason) {
        waitCount += 1
        switch reason {
        case .budget: state = .computing
        case .wait: state = .waiting
        case .answer, .room: state = .blocked
        }
    }

    mutating func resume(radio: MonocleInterpreter.Radio, uptime: Duration) throws -> MonocleInterpreter.Turn? {
        guard let interpreter else { return nil }
        state = .computing
        waitCount += 1
        seenRadio = radio
        return try interpreter.resume(takeInputs(), radio: radio, uptime: uptime)
    }
}

extension MonocleProcessor {
    /// What one message to the interpreter can hold: answers first, as what waits for them can do nothing else.
    private mutating func takeInputs() -> [MonocleInterpreter.Input] {
        var room = MonocleInterpreter.inputLimit
        var taken: [MonocleInterpreter.Input] = []
        var kept: [MonocleInterpreter.Input] = []
        let answers = inputs.filter(\.isAnswer), others = inputs.filter { !$0.isAnswer }
        for input in answers + others {
            if kept.isEmpty, input.byteCount <= room {
                room -= input.byteCount
                taken.append(input)
            } else {
                kept.append(input)
            }
        }
        inputs = kept
        return taken
    }
}
