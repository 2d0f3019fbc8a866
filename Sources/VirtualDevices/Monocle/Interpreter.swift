import Foundation
import Synchronization

/// What a unit's interpreter does, in the order in which it does it.
enum InterpreterEvent: Sendable {
    case output([UInt8])
    case request(operation: UInt8, number: UInt16, payload: [UInt8])
    /// The interpreter waits for input and has read all it was given.
    case idle
    case exited
}

/// Real MicroPython in a process of its own, on a pseudo terminal, with two packet sockets as its wires to the hardware.
///
/// A thread watches the process: it forwards output and requests, and finds out when the interpreter waits for input
/// from the kernel (blocked in `read(0, …)` with an empty input queue), not from what was sent to it.
final class Interpreter: Sendable {
    struct Launch: Sendable {
        /// A Python 3 with `micropython_unix` from PyPI.
        var python: String
        var scripts: URL
        var files: URL
        /// MicroPython's whole heap in bytes, our modules (about 21 KiB) included.
        var heapSize = 71 * 1024
    }

    private struct State {
        var requests: Int32 = -1
        var events: Int32 = -1
        var isRunning = true
        /// Counts what was given to the interpreter, so that a look at it from before does not pass for one from after.
        var inputs = 0
        /// How many threads are giving it something at this moment.
        var givers = 0
        /// The process's sleep count when it was last given input: it has looked at that once the count has moved on.
        var sleepCount = -1
        var isReadingPaused = false
        var openRequests = 0
        var callbacks = 0
        /// A KeyboardInterrupt was asked for and nothing has been heard since.
        var isInterrupting = false
        var isAlive = true
        /// It has asked the hardware for the first time: until then a process starts, which is no work of the unit's.
        var hasStarted = false
    }

    private let state = Mutex(State())
    /// Held while a packet goes out, and while its socket is closed: a number that is closed may be another file's at once.
    /// One for each wire: the interpreter may leave one of them full until it is answered on the other.
    private let sendingReply = Mutex(())
    private let sendingEvent = Mutex(())
    private let process: TerminalProcess
    private let listener: Int32
    private let wake = Pipe()
    private let time: VirtualTime
    private let deliver: @Sendable (InterpreterEvent) -> Void

    init(_ launch: Launch, time: VirtualTime, deliver: @escaping @Sendable (InterpreterEvent) -> Void) throws {
        self.time = time
        self.deliver = deliver
        let name = "noafw-\(getpid())-\(UInt64.random(in: .min ... .max))"
        listener = try PacketSocket.listen(abstractName: name)
        process = try TerminalProcess(
            arguments: [
                launch.python, launch.scripts.appendingPathComponent("launch.py").path, String(launch.heapSize),
                launch.scripts.appendingPathComponent("boot.py").path,
            ],
            environment: [
                "NOAFW_UNIT_SOCKET=\(name)", "NOAFW_UNIT_FILES=\(launch.files.path)",
                "MICROPYPATH=\(launch.scripts.appendingPathComponent("modules").path)", "PYTHONDONTWRITEBYTECODE=1",
            ])
        time.hold()
        let thread = Thread { self.watch() }
        thread.name = "interpreter"
        thread.start()
    }

    /// Whether code runs, so that the terminal turns 0x03 into an interrupt.
    var isExecuting: Bool { process.terminalRaisesSignals }

    func feed(_ bytes: [UInt8]) {
        noteSleep()
        give { process.write(bytes) }
    }

    /// Raises KeyboardInterrupt in the running program.
    func interrupt() {
        noteSleep()
        state.withLock { $0.isInterrupting = true }
        give { process.signal(SIGINT) }
    }

    private func noteSleep() {
        let count = process.sleepCount
        state.withLock { $0.sleepCount = count }
    }

    /// - Parameter status: 0 answered, 1 ValueError, 2 OSError with the payload as its message.
    func reply(to number: UInt16, status: UInt8 = 0, _ payload: [UInt8] = []) {
        if number != 0 { state.withLock { $0.openRequests -= 1 } }
        give {
            sendingReply.withLock { _ in
                PacketSocket.send([UInt8(number & 0xFF), UInt8(number >> 8), status] + payload, on: state.withLock { $0.requests })
            }
        }
    }

    /// Calls the Python function registered for `channel`, through MicroPython's scheduler.
    func callBack(channel: UInt8, _ payload: [UInt8]) {
        let isListening = state.withLock { state in
            if state.events >= 0 { state.callbacks += 1 }
            return state.events >= 0
        }
        guard isListening else { return }
        give {
            sendingEvent.withLock { _ in PacketSocket.send([channel] + payload, on: state.withLock { $0.events }) }
        }
    }

    /// Stops taking output, so that the interpreter blocks once the terminal's buffer is full.
    func pauseOutput(_ paused: Bool) {
        let changed = state.withLock { state -> Bool in
            defer { state.isReadingPaused = paused }
            return state.isReadingPaused != paused
        }
        guard changed else { return }
        if paused { wakeWatcher() } else { give {} }
    }

    func kill() {
        process.signal(SIGKILL)
        wakeWatcher()
    }

    /// Gives the interpreter something to do: time stands still from here on.
    private func give(_ action: () -> Void) {
        let changed = state.withLock { state -> Bool in
            state.inputs += 1
            state.givers += 1
            guard state.isAlive, !state.isRunning else { return false }
            state.isRunning = true
            return true
        }
        if changed { time.hold() }
        action()
        state.withLock { $0.givers -= 1 }
        wakeWatcher()
    }

    /// The interpreter has stopped; time may pass once `announce` has told the unit so.
    private func stopRunning(if condition: (State) -> Bool = { _ in true }, announce: () -> Void) {
        let (holds, wasRunning) = state.withLock { state -> (Bool, Bool) in
            guard condition(state) else { return (false, false) }
            defer { state.isRunning = false }
            return (true, state.isRunning)
        }
        if holds { announce() }
        if wasRunning { time.release() }
    }

    private func wakeWatcher() {
        let hint: [UInt8] = [0]
        _ = write(wake.fileHandleForWriting.fileDescriptor, hint, 1)
    }
}

// MARK: - The watching thread

extension Interpreter {
    private func watch() {
        var quiet: Int = 0
        var charged = Duration.zero
        while process.isOpen {
            let (snapshot, isRunning) = state.withLock { ($0, $0.isRunning) }
            let descriptors = [
                snapshot.isReadingPaused ? -1 : process.master, wake.fileHandleForReading.fileDescriptor,
                snapshot.requests, snapshot.events, snapshot.events < 0 ? listener : -1,
            ]
            // Looks again soon while code runs: nothing but the process table tells when it waits for input.
            let ready = Readiness.wait(
                for: descriptors, microseconds: isRunning ? min(1000, 20 << min(quiet, 6)) : nil)
            if ready.contains(true) {
                quiet = 0
                if !handle(descriptors, ready) { break }
            } else {
                quiet += 1
                if quiet > 6 {
                    if process.hasExited { break }
                    // A signal that came just before the interpreter went to sleep woke nobody.
                    if state.withLock({ $0.callbacks > 0 || $0.isInterrupting }) { process.signal(SIGUSR1) }
                    let used = process.processorTime
                    if isRunning, snapshot.hasStarted, used > charged { time.charge(used - charged) }
                    charged = used
                }
                checkIdle()
            }
        }
        finish()
    }

    private func handle(_ descriptors: [Int32], _ ready: [Bool]) -> Bool {
        if ready[1] {
            var hints = [UInt8](repeating: 0, count: 64)
            _ = read(descriptors[1], &hints, hints.count)
        }
        if ready[0] {
            guard let bytes = process.read() else { return false }
            deliver(.output(bytes))
        }
        if ready[4] { accept() }
        if ready[3], let packet = PacketSocket.receive(from: descriptors[3]) { handleEvent(packet) }
        if ready[2] {
            guard let packet = PacketSocket.receive(from: descriptors[2]), packet.count >= 3 else { return false }
            handleRequest(packet)
        }
        return true
    }

    private func handleRequest(_ packet: [UInt8]) {
        let number = UInt16(packet[1]) | UInt16(packet[2]) << 8
        let event = InterpreterEvent.request(operation: packet[0], number: number, payload: Array(packet[3...]))
        guard number != 0 else { return deliver(event) }
        state.withLock { state in
            state.openRequests += 1
            state.hasStarted = true
            state.isInterrupting = false
        }
        stopRunning { deliver(event) }
    }

    /// `s`: scheduled, so the interpreter has to look at its scheduler; `d`: the callback is done; `x`: dropped, queue full.
    private func handleEvent(_ packet: [UInt8]) {
        switch packet.first {
        case UInt8(ascii: "s"):
            process.signal(SIGUSR1)
        case UInt8(ascii: "d"), UInt8(ascii: "x"):
            state.withLock { $0.callbacks -= 1 }
            stopRunning(if: { $0.openRequests > 0 && $0.callbacks == 0 }, announce: {})
        default:
            break
        }
    }

    private func accept() {
        guard let socket = PacketSocket.accept(from: listener, process: process.identifier) else { return }
        guard let role = PacketSocket.receive(from: socket) else { return }
        state.withLock { state in
            if role == Array("requests".utf8) { state.requests = socket } else { state.events = socket }
        }
    }

    private func checkIdle() {
        let (inputs, givers, sleepCount) = state.withLock { ($0.inputs, $0.givers, $0.sleepCount) }
        switch process.wait {
        case nil:
            return
        case .room:
            stopRunning(if: { $0.inputs == inputs && $0.isReadingPaused }, announce: {})
            return
        case .answer:
            // What was to interrupt it came too early or too late.
            stopRunning(
                if: { $0.inputs == inputs && $0.openRequests > 0 && $0.callbacks == 0 && !$0.isInterrupting }, announce: {})
            return
        case .input:
            guard givers == 0, process.sleepCount > sleepCount else { return }
        }
        if Readiness.wait(for: [process.master], microseconds: 0) == [true] {
            // Its last words wait for room in the link: time has to pass before they are out.
            stopRunning(if: { $0.inputs == inputs && $0.isReadingPaused }, announce: {})
            return
        }
        state.withLock { $0.isInterrupting = false }
        stopRunning(if: { $0.inputs == inputs && $0.callbacks == 0 }, announce: { deliver(.idle) })
    }

    private func finish() {
        process.close()
        let (requests, events) = state.withLock { state -> (Int32, Int32) in
            defer { (state.requests, state.events) = (-1, -1) }
            return (state.requests, state.events)
        }
        if requests >= 0 { sendingReply.withLock { _ in _ = close(requests) } }
        if events >= 0 { sendingEvent.withLock { _ in _ = close(events) } }
        close(listener)
        state.withLock { $0.isAlive = false }
        stopRunning { deliver(.exited) }
    }
}
