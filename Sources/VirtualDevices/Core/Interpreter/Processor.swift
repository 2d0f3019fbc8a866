/// The messages of a family's interpreter, as in its `Port/unit.h`.
protocol InterpreterPort {
    /// What reaches the interpreter while it waits, what it sees of the radio, and what it did.
    associatedtype Input
    associatedtype Radio
    associatedtype Turn

    static func bytes(of radio: Radio) -> [UInt8]
    /// Packs as many inputs as one message holds.
    static func pack(_ inputs: inout [Input]) -> [UInt8]
    static func turn(_ packet: [UInt8]) throws -> Turn
}

/// A unit's processor: what it waits for, and what waits for it.
///
/// Its interpreter is a process in lockstep with the model. It computes only within ``resume(radio:uptime:)``, so neither the
/// host's load nor the speed of a run affects what the unit does.
struct Processor<Port: InterpreterPort> {
    enum State {
        case off
        /// Computing; the effects appear when its time has passed.
        case computing
        /// Ready to receive anything; at the prompt for as long as nothing comes.
        case waiting, idle
        /// Waiting for the answer to a request, or for space in the notification queue.
        case blocked
        /// Stuck forever: in a C loop, or in corrupted memory.
        case hanging
    }

    /// How long it computes at a time without receiving anything.
    private static var slice: Duration { .milliseconds(2) }

    private(set) var state = State.off
    /// What it came to last: while it computes, for as long as nothing of that shows.
    private(set) var settled = State.off
    private var process: InterpreterProcess?
    private var inputs: [Port.Input] = []
    /// The radio as the processor last saw it.
    private(set) var seenRadio: Port.Radio?
    /// Distinguishes the end of the current wait from that of an earlier one.
    private(set) var waitCount = 0

    mutating func start(_ process: InterpreterProcess) throws -> Port.Turn {
        self.process = process
        (state, settled) = (.computing, .computing)
        return try Port.turn(process.receiveFirst())
    }

    /// Loses everything in RAM.
    mutating func stop() {
        process?.end()
        (process, state, settled, inputs) = (nil, .off, .off, [])
        waitCount += 1
    }

    mutating func hang() {
        stop()
        state = .hanging
    }

    mutating func add(_ input: Port.Input) {
        if state != .off, state != .hanging { inputs.append(input) }
    }

    var isWaiting: Bool { state == .waiting || state == .idle }
    var hasInputs: Bool { !inputs.isEmpty }

    mutating func settle(into state: State) {
        waitCount += 1
        (self.state, settled) = (state, state)
    }

    /// Continues the interpreter after passing on its inputs in order.
    /// - Parameter uptime: since the chip's reset.
    /// - Returns: `nil` when the processor is off.
    mutating func resume(radio: Port.Radio, uptime: Duration) throws -> Port.Turn? {
        guard let process else { return nil }
        state = .computing
        waitCount += 1
        seenRadio = radio
        let time = UInt32(Self.slice.wholeMicroseconds).littleEndianBytes + UInt64(max(0, uptime.wholeMicroseconds)).littleEndianBytes
        try process.send(time + Port.bytes(of: radio) + Port.pack(&inputs))
        return try Port.turn(process.receive())
    }
}
