import Support
import Synchronization

/// How the signals of the process reach a command.
struct Interrupts: Sendable {
    /// One element for each SIGINT or SIGTERM that asks for an orderly end.
    var requests = Inbox<Void>()
    /// What a signal asks for first, where a command offers it.
    var drain = Drain()
    /// What to do when the orderly end takes too long; set by the command that runs.
    var exitReport = ExitReport()
    var grace = ShutdownGrace()

    /// What a signal does: an orderly end, and at the second time a prompt one.
    func ask() {
        if !drain.ask() { requests.deliver(()) }
    }

    /// What the end of the input and a closed terminal do: an orderly end. Where that goes on, they change nothing, however many of them
    /// tell of the same thing.
    func askGently() {
        if !drain.ask(), !drain.isGoingOn { requests.deliver(()) }
    }
}

/// How long an orderly end may take before the process ends all the same, in milliseconds.
final class ShutdownGrace: Sendable {
    /// A unit whose program was stopped gets two seconds to start it again; the rest is for the exit report.
    private static let usual: Int32 = 2500
    /// One that restarts, or has no link, gets six more to come back (``UnitLease/abandon()``).
    private static let ofUnits: Int32 = 8500

    private let value = Mutex(usual)

    var milliseconds: Int32 { value.withLock(\.self) }

    /// The run may stop a unit's program, and lose the link to it.
    func waitForUnits() { value.withLock { $0 = Self.ofUnits } }
}
