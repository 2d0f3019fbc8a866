extension MonocleModel {
    func uptime(on unit: UnitPlatform) -> Duration { unit.now - startedAt }

    private func radio(of unit: UnitPlatform) -> MonocleInterpreter.Radio {
        MonocleInterpreter.Radio(
            isConnected: unit.link != nil, hasREPLSubscription: unit.isSubscribed(MonocleAttributes.replTransmit),
            hasDataSubscription: unit.isSubscribed(MonocleAttributes.dataTransmit), payloadSize: unit.exchangedPayload,
            freePlaces: unit.freeNotificationPlaces)
    }

    mutating func startInterpreter(on unit: inout UnitPlatform) throws {
        do {
            try take(try processor.start(try MonocleInterpreter.start(python: configuration.python, folder: folder)), on: &unit)
        } catch is InterpreterProcess.Failure {
            throw UnitFolderError.interpreterDoesNotStart(language: "MicroPython", path: configuration.python, setting: "NOAFW_PYTHON")
        }
    }

    mutating func signal(_ input: MonocleInterpreter.Input, on unit: inout UnitPlatform) throws {
        processor.add(input)
        try wakeProcessor(on: &unit)
    }

    /// The waiting firmware sees radio changes immediately.
    mutating func wakeProcessor(on unit: inout UnitPlatform) throws {
        if processor.isWaiting || processor.state == .blocked { try runProcessor(on: &unit) }
    }

    /// - Parameter sendsAtOnce: sends the first output before the turn's time has passed.
    private mutating func runProcessor(on unit: inout UnitPlatform, sendsAtOnce: Bool = false) throws {
        do {
            guard var turn = try processor.resume(radio: radio(of: unit), uptime: uptime(on: unit)) else { return }
            while sendsAtOnce, case .terminal(let bytes)? = turn.outputs.first {
                unit.notify(MonocleAttributes.replTransmit, bytes)
                turn.outputs.removeFirst()
            }
            try take(turn, on: &unit)
        } catch is InterpreterProcess.Failure {
            // The chip ran into corrupted memory.
            unit.reset(.crash)
        }
    }

    private mutating func take(_ turn: MonocleInterpreter.Turn, on unit: inout UnitPlatform) throws {
        if turn.used > .zero { timers.add(.turn(turn), at: unit.now + turn.used) } else { try finish(turn, on: &unit) }
    }

    /// Shows the processor's work on the radio and in the hardware from now on.
    mutating func finish(_ turn: MonocleInterpreter.Turn, on unit: inout UnitPlatform) throws {
        let stopCount = unit.stopCount
        processor.settle(into: turn.reason.state)
        for output in turn.outputs {
            switch output {
            case .terminal(let bytes): unit.notify(MonocleAttributes.replTransmit, bytes)
            case .data(let bytes): unit.notify(MonocleAttributes.dataTransmit, bytes, isData: true)
            case .abandoned(let number): timers.removeAll { $0.answers(number) }
            case .request(let operation, let number, let payload): try perform(operation, number, payload, on: &unit)
            }
            // One of them was a reset: the rest belongs to the previous run.
            guard stopCount == unit.stopCount else { return }
        }
        let radio = radio(of: unit)
        let hasRoom = turn.reason == .room && radio.freePlaces > 0
        if turn.reason == .budget || processor.hasInputs || hasRoom || !radio.looks(like: processor.seenRadio ?? .init()) {
            try runProcessor(on: &unit)
        } else if case .wait(let duration?) = turn.reason {
            timers.removeAll(where: \.isWake)
            timers.add(.wake(processor.waitCount), at: unit.now + duration)
        }
    }

    /// A place in the notification queue is free: waiting output is sent in the same connection event.
    mutating func refill(on unit: inout UnitPlatform) throws {
        let radio = radio(of: unit)
        guard processor.state == .blocked, radio.hasREPLSubscription || radio.hasDataSubscription else { return }
        try runProcessor(on: &unit, sendsAtOnce: true)
    }
}

extension MonocleInterpreter.Reason {
    fileprivate var state: Processor<MonocleInterpreter>.State {
        switch self {
        case .budget: .computing
        case .wait(nil): .idle
        case .wait: .waiting
        case .answer, .room: .blocked
        }
    }
}

extension MonocleInterpreter.Radio {
    /// Whether both are equal except for free places.
    fileprivate func looks(like other: Self) -> Bool {
        var other = other
        other.freePlaces = freePlaces
        return self == other
    }
}
