extension FrameModel {
    /// It resets the chip when it is not fed for this long (watchdog.c).
    private static let watchdogTime = Duration.seconds(6)

    func uptime(on unit: UnitPlatform) -> Duration { unit.now - startedAt }

    private func radio(of unit: UnitPlatform) -> FrameInterpreter.Radio {
        FrameInterpreter.Radio(
            isConnected: unit.link != nil, isSubscribed: unit.isSubscribed(FrameAttributes.transmit), payloadSize: unit.exchangedPayload)
    }

    mutating func startInterpreter(on unit: inout UnitPlatform) throws {
        do {
            try take(try processor.start(try FrameInterpreter.start(python: configuration.python)), on: &unit)
        } catch is InterpreterProcess.Failure {
            let program = FrameInterpreter.program(python: configuration.python)
            throw UnitFolderError.interpreterDoesNotStart(language: "Lua", path: program, setting: "NOAFW_PYTHON")
        }
    }

    /// From an interrupt to Lua's next instruction in a waiting processor: everything in one connection event has arrived by
    /// then.
    private static let wakeTime = Duration.microseconds(100)

    mutating func signal(_ input: FrameInterpreter.Input, on unit: inout UnitPlatform) throws {
        let isFirst = !processor.hasInputs
        processor.add(input)
        guard processor.isWaiting, isFirst else { return }
        timers.removeAll(where: \.isWake)
        timers.add(.wake(processor.waitCount), at: unit.now + Self.wakeTime)
    }

    mutating func runProcessor(on unit: inout UnitPlatform) throws {
        if processor.isWaiting, isFedInWait { feedWatchdog(at: unit.now) }
        do {
            if let turn = try processor.resume(radio: radio(of: unit), uptime: uptime(on: unit)) { try take(turn, on: &unit) }
        } catch is InterpreterProcess.Failure {
            // A C loop, or corrupted memory: nobody feeds the watchdog any more.
            processor.hang()
        }
    }

    private mutating func take(_ turn: FrameInterpreter.Turn, on unit: inout UnitPlatform) throws {
        if turn.used > .zero { timers.add(.turn(turn), at: unit.now + turn.used) } else { try finish(turn, on: &unit) }
    }

    /// Shows the processor's work on the radio and in the hardware from now on.
    mutating func finish(_ turn: FrameInterpreter.Turn, on unit: inout UnitPlatform) throws {
        processor.settle(into: turn.reason.state)
        timers.removeAll(where: \.isWake)
        if turn.feedsWatchdog { feedWatchdog(at: unit.now) }
        switch turn.reason {
        case .budget: try runProcessor(on: &unit)
        case .question(let operation, let bytes): try perform(operation, bytes, on: &unit)
        case .wait where processor.hasInputs: try runProcessor(on: &unit)
        case .wait(let duration):
            // The waiting firmware asks for the time through Lua each millisecond, which feeds the watchdog unless hooks are
            // off.
            isFedInWait = turn.feedsWatchdog
            if isFedInWait { timers.removeAll(where: \.isWatchdog) }
            if let duration { timers.add(.wake(processor.waitCount), at: unit.now + duration) }
        }
    }

    mutating func feedWatchdog(at now: Duration) {
        guard firmware.has(.watchdog) else { return }
        timers.removeAll(where: \.isWatchdog)
        timers.add(.watchdog, at: now + Self.watchdogTime)
    }
}

extension FrameInterpreter.Reason {
    fileprivate var state: Processor<FrameInterpreter>.State {
        switch self {
        case .budget: .computing
        case .wait(nil): .idle
        case .wait: .waiting
        case .question: .blocked
        }
    }
}
