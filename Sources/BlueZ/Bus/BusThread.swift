import CDBus
import Foundation
import Glibc
import Synchronization

/// One private connection to a message bus and the only thread that touches it. Others send it commands. Answers, signals and the end
/// come back through closures, which run on the thread in the order of the messages and must not block.
final class BusThread: Sendable {
    typealias Answer = @Sendable (Result<BusMessage, BlueZError>) -> Void
    typealias CallID = Int

    struct Listener: Sendable {
        /// Whether to read a signal, by its object's path; `isChange` when the object's properties changed, not when it came or went.
        var isWanted: @Sendable (UnsafePointer<CChar>, _ isChange: Bool) -> Bool
        var signal: @Sendable (BusMessage) -> Void
        /// A call to an object of this process; returns an error's name, or nil for an empty answer.
        var call: @Sendable (BusMessage) -> String?
        /// Runs after each round of the loop. Returns how long nothing is due.
        var rest: @Sendable () -> Duration?
        /// Called last.
        var gone: @Sendable (BlueZError) -> Void
    }

    struct Call: Sendable {
        var id: CallID
        var request: BusRequest
        var expiry: ContinuousClock.Instant?
        var answer: Answer

        func isLate(_ now: ContinuousClock.Instant) -> Bool { expiry.map { $0 <= now } ?? false }
    }

    enum Command: Sendable {
        case send(Call)
        case abandon(CallID)
        case watch(AcquiredSocket)
        case stop
    }

    private struct State {
        var commands: [Command] = []
        var lastID = 0
        var end: BlueZError?
    }

    private let state = Mutex(State())
    private let bell = OwnedDescriptor(eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)))
    let traffic: BusTraffic

    init(traffic: BusTraffic) { self.traffic = traffic }

    /// The thread keeps this queue alive until ``stop()`` or the end of the connection.
    func start(address: String, listener: Listener) {
        let thread = Thread { [self] in
            // For `top -H`; only its own process sees the name that Foundation sets.
            try? "noafw-dbus".write(toFile: "/proc/thread-self/comm", atomically: false, encoding: .utf8)
            BusLoop(thread: self, listener: listener).run(address: address)
        }
        thread.start()
    }

    /// Sends a call. `answer` runs exactly once, unless the call is abandoned first.
    /// - Parameter expiry: when to give up; without one the caller must abandon the call.
    @discardableResult
    func send(_ request: BusRequest, expiry: ContinuousClock.Instant? = nil, _ answer: @escaping Answer) -> CallID {
        let (id, end) = state.withLock { state in
            state.lastID += 1
            if state.end == nil { state.commands.append(.send(Call(id: state.lastID, request: request, expiry: expiry, answer: answer))) }
            return (state.lastID, state.end)
        }
        if let end { answer(.failure(end)) } else { ring() }
        return id
    }

    /// Sends the queue, closes the connection and ends the thread.
    func stop() { post(.stop) }

    func post(_ command: Command) {
        state.withLock { if $0.end == nil { $0.commands.append(command) } }
        ring()
    }

    private func ring() { _ = bell.use { eventfd_write($0, 1) } }

    // MARK: For the loop

    var bellEntry: pollfd { pollfd(fd: bell.use { $0 } ?? -1, events: Int16(POLLIN), revents: 0) }

    /// - Parameter end: why no more commands are accepted.
    func takeCommands(closing end: BlueZError? = nil) -> [Command] {
        _ = bell.use { descriptor in
            var count: eventfd_t = 0
            return eventfd_read(descriptor, &count)
        }
        return state.withLock { state in
            if let end { state.end = end }
            defer { state.commands = [] }
            return state.commands
        }
    }
}
