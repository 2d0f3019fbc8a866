import Bluetooth

/// The unit's processor: what it waits for, and what waits for it.
struct Processor {
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
    private var interpreter: Interpreter?
    private var inputs: [Interpreter.Input] = []
    /// The radio as the processor saw it last.
    private(set) var seenRadio = Interpreter.Radio()
    /// Counts the waits, so that the end of an earlier one is not taken for that of the present one.
    private(set) var waitCount = 0

    mutating func start(_ interpreter: Interpreter) throws -> Interpreter.Turn {
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

    mutating func add(_ input: Interpreter.Input) {
        if state != .off { inputs.append(input) }
    }

    var hasInputs: Bool { !inputs.isEmpty }

    mutating func settle(into reason: Interpreter.Reason) {
        waitCount += 1
        switch reason {
        case .budget: state = .computing
        case .wait: state = .waiting
        case .answer, .room: state = .blocked
        }
    }

    mutating func resume(radio: Interpreter.Radio, uptime: Duration) throws -> Interpreter.Turn? {
        guard let interpreter else { return nil }
        state = .computing
        waitCount += 1
        seenRadio = radio
        return try interpreter.resume(takeInputs(), radio: radio, uptime: uptime)
    }
}

extension Processor {
    /// What one message to the interpreter can hold: answers first, as what waits for them can do nothing else.
    private mutating func takeInputs() -> [Interpreter.Input] {
        var room = Interpreter.inputLimit
        var taken: [Interpreter.Input] = []
        var kept: [Interpreter.Input] = []
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

extension Interpreter.Radio {
    /// Whether both offer the same but for free places.
    func looks(like other: Self) -> Bool {
        var other = other
        other.freePlaces = freePlaces
        return self == other
    }
}

extension MonocleLoop {
    var uptime: Duration { now - resetAt }

    private var radio: Interpreter.Radio {
        Interpreter.Radio(
            isConnected: link != nil, hasREPLSubscription: isSubscribed(MonocleAttributes.replTransmit),
            hasDataSubscription: isSubscribed(MonocleAttributes.dataTransmit), payloadSize: exchangedPayload,
            freePlaces: ActiveLink.notificationQueue - (link?.queuedNotifications ?? 0))
    }

    mutating func startInterpreter() throws {
        let launch = Interpreter.Launch(
            python: configuration.python, scripts: try UnitFolder.scripts(), files: folder.files, scratch: folder.root)
        do {
            try take(try processor.start(try Interpreter(launch)))
        } catch is Interpreter.Failure {
            throw UnitFolderError.interpreterDoesNotStart(configuration.python)
        }
    }

    /// Something happens to the processor: it notices at once unless it computes or is off.
    mutating func signal(_ input: Interpreter.Input) throws {
        processor.add(input)
        try wakeProcessor()
    }

    /// A change of the radio, which the waiting firmware sees within a millisecond.
    mutating func wakeProcessor() throws {
        switch processor.state {
        case .waiting, .blocked: try runProcessor()
        case .off, .computing: return
        }
    }

    mutating func runProcessor() throws {
        do {
            if let turn = try processor.resume(radio: radio, uptime: uptime) { try take(turn) }
        } catch is Interpreter.Failure {
            // The chip ran into memory that holds something else.
            crash()
        }
    }

    mutating func crash() {
        resetCause = .crashed
        reset(intoBootloader: false)
    }

    private mutating func take(_ turn: Interpreter.Turn) throws {
        if turn.used > .zero {
            after(turn.used, .turn(turn))
        } else {
            try finish(turn)
        }
    }

    /// What the processor did is done: it shows on the radio and in the hardware from now on.
    mutating func finish(_ turn: Interpreter.Turn) throws {
        let generation = generation
        processor.settle(into: turn.reason)
        for output in turn.outputs {
            switch output {
            case .terminal(let bytes): notify(MonocleAttributes.replTransmit, bytes)
            case .data(let bytes): notify(MonocleAttributes.dataTransmit, bytes)
            case .abandoned(let number): timers.removeAll { $0.timer.answers(number) }
            case .request(let operation, let number, let payload): try perform(operation, number, payload)
            }
            // A reset among them: the rest belongs to what is gone.
            guard generation == self.generation else { return }
        }
        let hasRoom = turn.reason == .room && radio.freePlaces > 0
        if turn.reason == .budget || processor.hasInputs || hasRoom || !radio.looks(like: processor.seenRadio) {
            try runProcessor()
        } else if case .wait(let duration?) = turn.reason {
            timers.removeAll { $0.timer.isWake }
            after(duration, .wake(processor.waitCount))
        }
    }

    /// A place in the notification queue is free: what waits for it is sent within the same connection event.
    mutating func refill() throws {
        guard processor.state == .blocked, radio.hasREPLSubscription || radio.hasDataSubscription else { return }
        do {
            guard var turn = try processor.resume(radio: radio, uptime: uptime) else { return }
            while let output = turn.outputs.first, case .terminal(let bytes) = output {
                notify(MonocleAttributes.replTransmit, bytes)
                turn.outputs.removeFirst()
            }
            try take(turn)
        } catch is Interpreter.Failure {
            crash()
        }
    }

    private mutating func notify(_ characteristic: AttributeID, _ bytes: [UInt8]) {
        // A link that was lost while the processor computed takes the packet with it.
        guard isSubscribed(characteristic) else { return }
        link?.downlink.append(.notification(characteristic, bytes))
        scheduleConnectionEvent()
    }
}
