import Support

/// How the signals of the process reach a command.
struct Interrupts: Sendable {
    /// One element for each SIGINT or SIGTERM that asks for an orderly end.
    var requests = Inbox<Void>()
    /// What a signal asks for first, where a command offers it.
    var drain = Drain()
    /// What to do when the orderly end takes too long; set by the command that runs.
    var exitReport = ExitReport()

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
