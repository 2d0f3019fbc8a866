import Bluetooth
import CDBus
import Foundation
import Glibc
import Synchronization

/// One private connection to a message bus and the only thread that touches it.
///
/// Everything else hands it commands; answers, signals and the end of the connection come back through closures that
/// run on the thread, in the order of the messages, and must not wait for anything.
final class BusThread: Sendable {
    typealias Answer = @Sendable (Result<BusMessage, BusFailure>) -> Void

    /// What the thread tells its owner.
    struct Listener: Sendable {
        /// Whether a signal is to be read: the path of the object that it is about, and whether its properties changed (or it came or went).
        var isWanted: @Sendable (UnsafePointer<CChar>, _ isChange: Bool) -> Bool
        var signal: @Sendable (BusMessage) -> Void
        /// A call to an object of this process; the result is the error's name, or nil for an empty answer.
        var call: @Sendable (BusMessage) -> String?
        /// Does what is due, and tells how long nothing will be; called after each round of the loop.
        var rest: @Sendable () -> Duration?
        /// Said once; nothing follows.
        var gone: @Sendable (BusFailure) -> Void
    }

    enum Command: Sendable {
        case send(BusRequest, CallID, expiry: ContinuousClock.Instant?, Answer)
        /// Nobody waits for the answer any more.
        case abandon(CallID)
        case watch(AcquiredSocket)
        case stop
    }

    struct CallID: Hashable, Sendable { let number: UInt64 }

    private struct State {
        var commands: [Command] = []
        var nextNumber: UInt64 = 0
        /// Set when the thread takes no more commands.
        var end: BusFailure?
    }

    private let state = Mutex(State())
    private let bell: OwnedDescriptor
    let counter: ResourceCounter

    init(counter: ResourceCounter) {
        self.counter = counter
        bell = OwnedDescriptor(eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)))
    }

    /// Starts the thread, which opens the connection. It holds this queue until ``stop()`` or the end of the connection.
    func start(address: String, listener: Listener) {
        let thread = Thread { [self] in
            // What `top -H` shows; Foundation's name is seen by its own process only.
            try? "noafw-dbus".write(toFile: "/proc/thread-self/comm", atomically: false, encoding: .utf8)
            BusLoop(thread: self, listener: listener).run(address: address)
        }
        thread.start()
    }

    /// Sends a call. `answer` runs exactly once on the bus thread, unless the call is abandoned first.
    /// - Parameter expiry: when to give up; without one the caller has to abandon.
    @discardableResult
    func send(_ request: BusRequest, expiry: ContinuousClock.Instant? = nil, _ answer: @escaping Answer) -> CallID {
        let (id, end) = state.withLock { state -> (CallID, BusFailure?) in
            state.nextNumber += 1
            let id = CallID(number: state.nextNumber)
            if state.end == nil { state.commands.append(.send(request, id, expiry: expiry, answer)) }
            return (id, state.end)
        }
        if let end { answer(.failure(end)) } else { ring() }
        return id
    }

    func abandon(_ id: CallID) { post(.abandon(id)) }
    func watch(_ socket: AcquiredSocket) { post(.watch(socket)) }

    /// Sends what is queued, closes the connection and ends the thread.
    func stop() { post(.stop) }

    private func post(_ command: Command) {
        state.withLock { if $0.end == nil { $0.commands.append(command) } }
        ring()
    }

    func ring() {
        _ = bell.use { descriptor in eventfd_write(descriptor, 1) }
    }

    // MARK: For the loop

    var bellDescriptor: Int32 { bell.use { $0 } ?? -1 }

    func takeCommands() -> [Command] {
        _ = bell.use { descriptor in
            var count: eventfd_t = 0
            return eventfd_read(descriptor, &count)
        }
        return state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// Closes the queue and returns what was still in it.
    func close(_ reason: BusFailure) -> [Command] {
        state.withLock { state in
            state.end = reason
            defer { state.commands = [] }
            return state.commands
        }
    }
}
