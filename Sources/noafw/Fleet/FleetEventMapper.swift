import Bluetooth
import Provisioning
import Support
import Synchronization

/// Tells a fleet's events in the words of the command line.
final class FleetEventMapper: Sendable {
    private struct State {
        var units: [Int: FleetUnit] = [:]
        var starts: [Int: SessionClock.Instant] = [:]
    }

    private let targets: FleetTargets
    private let tell: @Sendable (RunEvent) -> Void
    private let state = Mutex(State())

    init(_ targets: FleetTargets, tell: @escaping @Sendable (RunEvent) -> Void) { (self.targets, self.tell) = (targets, tell) }

    func handle(_ event: FleetEvent) {
        switch event.content {
        case .planned(let units, _): tell(RunEvent(unit: nil, content: .planned(units: units)))
        case .waits, .draining: break
        case .started(let found, let adapter):
            let unit = targets.unit(found)
            if let index = event.index { state.withLock { ($0.units[index], $0.starts[index]) = (unit, event.time) } }
            tell(RunEvent(unit: unit, content: .started(adapter: adapter)))
        case .ended(let ending):
            guard let index = event.index else { return }
            let (unit, start) = state.withLock { ($0.units[index] ?? targets[index], $0.starts[index]) }
            let seconds = start.map { $0.duration(to: event.time).inSeconds } ?? 0
            var result = UnitResult(ending)
            // No error: nothing was expected of it.
            if case .notExpected = ending { result.error = nil }
            tell(RunEvent(unit: unit, content: .ended(result, seconds: seconds)))
        case .ceilingLowered(let adapter, let links): note("\(adapter) takes no more than \(links) links at once")
        case .adapterRetired(let adapter, let error): note("\(adapter) is used no more: it failed several units, the last one with \(error.code)")
        case .stopped(let stop): note(stop.diagnosis.message)
        }
    }

    private func note(_ text: String) { tell(RunEvent(unit: nil, content: .notice(text))) }
}
