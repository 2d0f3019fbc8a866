import Bluetooth

/// The firmware's two 1024-byte rings between the REPL characteristics and MicroPython (main.c).
struct TerminalBridge {
    /// Receive ring: one place always stays empty, and an interrupt leaves a stale byte in its place.
    private var ring = [UInt8](repeating: 0, count: 1024)
    private var head = 0
    private var tail = 0
    private var output: [UInt8] = []
    private(set) var interpreter: Interpreter?
    private var isIdle = false
    /// An interrupt is under way: MicroPython's process would not survive a second one while it unwinds.
    private var isInterrupting = false
    /// Until the interpreter's first request, in the order of its events: an interrupt would end the process that starts it.
    private var isStarting = false
    /// An interrupt came while the unit started: it hits the start of main.py.
    private var interruptsStart = false

    private static let outputLimit = 1024
    /// After one of these MicroPython may execute, and its terminal drops what waits when it goes back to raw mode.
    private static let boundaries: Set<UInt8> = [0x01, 0x02, 0x03, 0x04, 0x05, 0x0D]

    mutating func start(_ interpreter: Interpreter) {
        self.interpreter = interpreter
        (isIdle, isInterrupting, isStarting) = (false, false, true)
    }

    /// Loses everything in RAM.
    mutating func stop() {
        interpreter?.kill()
        self = TerminalBridge()
    }

    /// - Returns: `true` when 0x1C asks for a restart in safe mode.
    mutating func receive(_ bytes: [UInt8]) -> Bool {
        for byte in bytes {
            if byte == 0x1C { return true }
            let next = (head + 1) % ring.count
            if next == tail { break }
            if byte == 0x03, isStarting {
                interruptsStart = true
            } else if byte == 0x03, !isInterrupting, interpreter?.isExecuting == true {
                interrupt()
            } else {
                ring[head] = byte
            }
            head = next
        }
        feed()
        return false
    }

    private mutating func interrupt() {
        interpreter?.interrupt()
        isIdle = false
        isInterrupting = true
    }

    /// The interpreter has asked the hardware for the first time.
    mutating func started() {
        isStarting = false
        guard interruptsStart else { return }
        interruptsStart = false
        interrupt()
    }

    mutating func becameIdle() {
        isIdle = true
        isInterrupting = false
        feed()
    }

    private mutating func feed() {
        guard isIdle, head != tail else { return }
        var piece: [UInt8] = []
        while tail != head {
            let byte = ring[tail]
            tail = (tail + 1) % ring.count
            piece.append(byte)
            if Self.boundaries.contains(byte) { break }
        }
        isIdle = false
        interpreter?.feed(piece)
    }

    mutating func printed(_ bytes: [UInt8]) {
        output += bytes
        interpreter?.pauseOutput(output.count >= Self.outputLimit)
    }

    mutating func takeOutput(upTo count: Int) -> [UInt8] {
        let piece = Array(output.prefix(count))
        output.removeFirst(piece.count)
        interpreter?.pauseOutput(output.count >= Self.outputLimit)
        return piece
    }

    func hasOutput(for link: ActiveLink?) -> Bool {
        !output.isEmpty && link?.subscriptions.contains(MonocleAttributes.replTransmit) == true
    }
}

extension MonocleLoop {
    mutating func receiveTerminalInput(_ bytes: [UInt8]) {
        if terminal.receive(bytes) {
            isSafeMode = true
            reset(intoBootloader: false)
        }
    }

    mutating func queueTerminalOutput() {
        while let active = link, terminal.hasOutput(for: active),
            active.queuedNotifications < ActiveLink.notificationQueue {
            let piece = terminal.takeOutput(upTo: active.link.payloadSize)
            link?.downlink.append(.notification(MonocleAttributes.replTransmit, piece))
        }
    }

    mutating func handle(_ event: InterpreterEvent) throws {
        switch event {
        case .output(let bytes):
            terminal.printed(bytes)
            scheduleConnectionEvent()
        case .idle:
            terminal.becameIdle()
        case .request(let operation, let number, let payload):
            failedStarts = 0
            try perform(operation, number, payload)
            terminal.started()
        case .exited:
            // ^D at an empty prompt ends MicroPython's process: the firmware's soft reset.
            generation += 1
            failedStarts += 1
            guard failedStarts < 4 else { throw UnitFolderError.interpreterDoesNotStart(configuration.python) }
            terminal.printed(Array("MPY: soft reboot\r\n".utf8))
            try startInterpreter()
            scheduleConnectionEvent()
        }
    }
}
