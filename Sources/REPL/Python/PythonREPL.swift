import Bluetooth
import Support
import Synchronization

/// A session with a unit's MicroPython over its raw REPL.
///
/// After a failed wait, or code that does not return, the session is out of step: every call throws ``REPLError/outOfStep``
/// until ``recover(within:)``.
public final class PythonREPL: Sendable {
    struct State {
        var machine = RawREPLMachine()
        var isInStep = false
        /// Output after the text that was awaited.
        var printed: [UInt8] = []
        /// Names of the helpers that the unit is known to have, with their stages (``RemoteHelper``).
        var helpers: [String: Int] = [:]
        /// The unit has no others: Python was restarted, or their base was not there.
        var lacksOthers = false
        var roundTrip = RoundTrip()
        /// The unit's program runs, and nothing of this session is on its way.
        var hasStartedProgram = false

        /// An upload that did not end may have left some.
        mutating func forgetHelpers() {
            if !helpers.isEmpty { lacksOthers = false }
            helpers = [:]
        }
    }

    public let clock: SessionClock
    let inbox: Inbox<[UInt8]>
    let writer: CharacteristicWriter
    let payloadSize: Int
    let state = Mutex(State())

    private init(_ connection: any Connection, _ clock: SessionClock, before deadline: SessionClock.Instant) async throws {
        self.clock = clock
        inbox = try await connection.subscribe(to: REPLService.transmit, deadline: deadline)
        writer = CharacteristicWriter(connection, REPLService.receive)
        try await writer.open(before: deadline)
        // A connection may replace its link while it looks for its characteristics.
        payloadSize = max(1, connection.payloadSize)
    }

    /// Brings the unit to a proven raw prompt. Interrupts its program.
    public static func attach(
        to connection: any Connection, clock: SessionClock, within: Duration
    ) async throws -> PythonREPL {
        let deadline = clock.deadline(in: within)
        let repl = try await PythonREPL(connection, clock, before: deadline)
        do {
            try await repl.recover(before: deadline)
        } catch {
            await repl.close()
            throw error
        }
        return repl
    }

    /// 16 hexadecimal digits.
    public static func randomNonce() -> String { SessionRandom.hexadecimal() }

    public func close() async {
        state.withLock { $0.isInStep = false }
        await writer.close()
    }

    /// Runs code and returns what it printed.
    /// - Parameter within: from the first byte sent to the prompt.
    /// - Throws: ``REPLError/exception(_:)`` when it raised; the session stays in step.
    public func run(_ code: PythonCode, within: Duration) async throws -> [UInt8] {
        var output: [UInt8] = []
        let begun = clock.now
        try await pipeline(CollectionOfOne(code), within: within) { _, answer in output = answer }
        state.withLock { $0.roundTrip.note(begun.duration(to: clock.now)) }
        return output
    }

    /// Nothing runs, and the next call finds the prompt.
    package var isInStep: Bool { state.withLock(\.isInStep) }

    /// Python was restarted, and nothing was left on the unit since.
    package var lacksHelpers: Bool { state.withLock { $0.lacksOthers && $0.helpers.isEmpty } }

    /// Of the fastest command.
    public var roundTrip: Duration { state.withLock(\.roundTrip.duration) }

    /// Like ``run(_:within:)``, as harmless text without trailing white space.
    public func runText(_ code: String, within: Duration) async throws -> String {
        PrintableText.of(try await run(PythonCode(code), within: within), keepingLines: true)
    }

    /// - Throws: ``REPLError/lacking(_:)`` when the firmware lacks the part, such as `device.VERSION`.
    package func runText(_ code: String, using part: String, within: Duration) async throws -> String {
        do {
            return try await runText(code, within: within)
        } catch REPLError.exception(let exception) where REPLError.lacking(in: exception) != nil {
            throw REPLError.lacking(part)
        }
    }

    /// Runs several pieces of code and sends the next ones while one runs.
    /// - Parameters:
    ///   - commands: read lazily; pieces above ``PythonCode/maximumPipelinedByteCount`` work, but stall the flow.
    ///   - inFlight: how many may be unanswered. The unit sends nothing while it has code to run, and right after its boot it
    ///     loses 1024 bytes of answers that together are longer than that (monocle-micropython, `main.c`), so all answers in
    ///     flight must stay below 1000 bytes. The default is for answers of 50 bytes.
    ///   - perCommand: from one answer to the next.
    /// - Throws: the error of `onAnswer` or the first ``REPLError/exception(_:)``, after the commands in flight were answered:
    ///   the session stays in step.
    public func pipeline(
        _ commands: some Sequence<PythonCode>, atOnce inFlight: Int = 16, within perCommand: Duration,
        onAnswer: (Int, [UInt8]) throws -> Void
    ) async throws {
        try begin()
        var iterator = commands.makeIterator()
        var pipe = CommandPipeline(limit: inFlight)
        var failure: (any Error)?
        var deadline = clock.deadline(in: perCommand)
        var output: [UInt8] = []
        func take(_ bytes: [UInt8]) throws {
            for event in try state.withLock({ try $0.machine.receive(bytes) }) {
                switch event {
                case .accepted: pipe.didAccept()
                case .printed(let bytes): output += bytes
                case .answered(let traceback):
                    deadline = clock.deadline(in: perCommand)
                    defer {
                        output = []
                        pipe.didAnswer()
                    }
                    guard failure == nil else { continue }
                    do {
                        if !traceback.isEmpty { throw REPLError.exception(PythonException(standardError: traceback)) }
                        try onAnswer(pipe.answeredCount, output)
                    } catch {
                        failure = error
                        pipe.dropUnstarted()
                    }
                }
            }
        }
        while true {
            while let bytes = inbox.poll() { try take(bytes) }
            while failure == nil, pipe.wantsMore(for: payloadSize), let code = iterator.next() { pipe.enqueue(code) }
            if pipe.isEmpty { break }
            let packet = pipe.nextPacket(atMost: payloadSize)
            if packet.isEmpty {
                try take(await nextBytes(before: deadline, awaiting: "an answer of the unit's Python"))
            } else {
                let started = pipe.inFlight
                state.withLock { $0.machine.inFlight = started }
                try await writer.send(packet, deadline: deadline)
            }
        }
        let hasRaised = if case REPLError.exception? = failure { true } else { false }
        state.withLock { state in
            state.isInStep = true
            if hasRaised { state.forgetHelpers() }
        }
        if let failure { throw failure }
    }

    func nextBytes(before deadline: SessionClock.Instant, awaiting what: String) async throws -> [UInt8] {
        guard let bytes = try await inbox.next(before: deadline, on: clock) else { throw REPLError.timedOut(what) }
        return bytes
    }

    /// Claims the prompt and discards old output; the caller sets `isInStep` when the prompt is back.
    func begin(_ machine: RawREPLMachine = RawREPLMachine()) throws {
        try state.withLock { state in
            guard state.isInStep else { throw REPLError.outOfStep }
            (state.isInStep, state.hasStartedProgram) = (false, false)
            state.machine = machine
        }
        while inbox.poll() != nil {}
    }

    func send(bytes: [UInt8], before deadline: SessionClock.Instant) async throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            try await writer.send(Array(rest.prefix(payloadSize)), deadline: deadline)
            rest = rest.dropFirst(payloadSize)
        }
    }
}
