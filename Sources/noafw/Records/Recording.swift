import Ledger
import Provisioning
import Support
import Synchronization

/// A record that is filled while its run goes on.
final class Recording: Sendable {
    let run: OpenRun
    let collector: Mutex<RunCollector>
    /// Of the unit's link; it stands still while the record is written.
    private let clock: SessionClock

    init(run: OpenRun, collector: RunCollector, clock: SessionClock) {
        (self.run, self.clock) = (run, clock)
        self.collector = Mutex(collector)
    }

    func fill(_ record: inout RunRecord) { collector.withLock { $0.fill(&record) } }

    /// Writes what is known by now: when it returns, that is on the disk.
    /// - Throws: where neither the ledger nor its spool takes it; then the unit may not be changed.
    func save() async throws(LedgerError) { try await run.update { fill(&$0) } }

    /// Runs `body`, and writes meanwhile what a kill should not take away.
    /// - Parameter body: is handed where its events go.
    func follow<Value>(_ body: (@escaping @Sendable (RunEvent) -> Void) async throws -> Value) async throws -> Value {
        let (changes, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        async let written: Void = write(changes)
        defer { signal.finish() }
        do {
            let value = try await body { [self] event in
                if collector.withLock({ $0.take(event) }) { signal.yield() }
            }
            signal.finish()
            await written
            return value
        } catch {
            signal.finish()
            await written
            throw error
        }
    }

    /// A state that cannot be kept is told at the close, which tries again.
    private func write(_ changes: AsyncStream<Void>) async {
        for await _ in changes { await clock.paused { try? await save() } }
    }
}
