import Bluetooth
import Support
import Synchronization

/// Runs one operation under a time limit, cancels it on an interrupt, and keeps the progress bar alive.
struct Supervisor: Sendable {
    enum Outcome<Report: Verdict>: Sendable {
        case finished(Report)
        case failed(any Error)
        /// The report is what the operation could still tell.
        case interrupted(Report?)
    }

    private enum Event<Report: Verdict>: Sendable {
        case ended(Outcome<Report>)
        case interrupt
        case helperEnded
    }

    private static let refreshInterval: Duration = .milliseconds(250)

    var context: CommandContext
    /// What keeps a display alive while nothing happens; `nil` where nothing is drawn.
    var tick: (@Sendable () -> Void)?
    var timeoutSeconds: Double?

    func run<Report: Verdict>(_ operation: @escaping @Sendable () async throws -> Report) async -> Outcome<Report> {
        await withTaskGroup(of: Event<Report>.self) { group in
            group.addTask { .ended(await attempt(operation)) }
            group.addTask { await waitForInterrupt() ? .interrupt : .helperEnded }
            group.addTask {
                await refresh()
                return .helperEnded
            }
            var wasInterrupted = false
            for await event in group {
                switch event {
                case .helperEnded: continue
                case .interrupt:
                    wasInterrupted = true
                    context.stop.set(.interrupted)
                    group.cancelAll()
                case .ended(let outcome):
                    group.cancelAll()
                    return wasInterrupted ? settle(outcome) : outcome
                }
            }
            return .failed(CancellationError())
        }
    }

    /// A run that passed before the interrupt reached it has passed.
    private func settle<Report: Verdict>(_ outcome: Outcome<Report>) -> Outcome<Report> {
        switch outcome {
        case .finished(let report) where report.passed: .finished(report)
        case .finished(let report): .interrupted(report)
        case .failed, .interrupted: .interrupted(nil)
        }
    }

    private func attempt<Report: Verdict>(_ operation: @escaping @Sendable () async throws -> Report) async -> Outcome<Report> {
        // What is done once the limit is over, such as sending its record, takes a verified unit's report away from nobody.
        let finished = Mutex<Report?>(nil)
        do {
            guard let timeoutSeconds else { return .finished(try await operation()) }
            let deadline = context.clock.deadline(in: .seconds(timeoutSeconds))
            return .finished(
                try await withDeadline(deadline, on: context.clock, timeout: stopped(after: timeoutSeconds)) {
                    let report = try await operation()
                    finished.withLock { $0 = report }
                    return report
                })
        } catch {
            if let report = finished.withLock(\.self), report.passed { return .finished(report) }
            return .failed(error)
        }
    }

    /// Comes before the operation is cancelled.
    private func stopped(after seconds: Double) -> CommandError {
        context.stop.set(.timeLimit(seconds: seconds))
        return CommandError.timedOut(seconds: seconds)
    }

    private func waitForInterrupt() async -> Bool {
        let deadline = context.clock.deadline(in: .forever)
        let request: Void? = try? await context.interrupts.requests.next(before: deadline, on: context.clock)
        return request != nil
    }

    private func refresh() async {
        guard let tick else { return }
        while (try? await context.clock.sleep(until: context.clock.deadline(in: Self.refreshInterval))) != nil {
            tick()
        }
    }
}
