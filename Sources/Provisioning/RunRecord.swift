import Bluetooth
import FPGA
import Support
import Synchronization

/// What one run has found and done so far, over all its passes, and the events that tell of it.
struct RunRecord {
    private var identity: UnitIdentity
    private var isProbed = false
    private var steps: [Part: StepReport] = [:]
    private var started: [Part: SessionClock.Instant] = [:]
    private var origins: [Part: String] = [:]
    private var forced: Set<Part> = []
    private var progress: RunProgress
    private var stage: Stage?
    private var program: ProgramProof?
    private var recoveries: [Recovery] = []
    /// Firmware transfers begun and not ended: their links were lost.
    var lostTransfers = 0
    /// Whole firmware images that a bootloader took.
    var transferCount = 0
    /// How the FPGA came up with a committed image that is to be taken out again.
    var rejection: FPGACondition?
    private let reach = Reach()
    private let parts: Set<Part>
    private let clock: SessionClock
    private let report: @Sendable (RunEvent) -> Void

    init(
        address: DeviceAddress, parts: Set<Part>, clock: SessionClock,
        report: @escaping @Sendable (RunEvent) -> Void
    ) {
        identity = UnitIdentity(address: address, name: "monocle")
        self.parts = parts
        self.clock = clock
        self.report = report
        progress = RunProgress(parts: parts)
    }

    /// Whether the run has written anything.
    var hasChanged: Bool { steps.values.contains { $0.action == .updated } }

    /// Whether a part is to be written though it is current; once a run.
    func isForced(_ part: Part, _ options: FlashOptions) -> Bool {
        options.force && steps[part]?.action != .updated && !forced.contains(part)
    }

    /// The part's old content is gone: a later pass continues instead of erasing again.
    mutating func forceIsUnderWay(_ part: Part) { forced.insert(part) }

    mutating func begin(_ next: Stage) {
        guard next != stage else { return }
        stage = next
        reach.note(next, fraction: 0)
        progress.begin(next)
        report(.stage(next))
    }

    /// As ``begin(_:)``, for a stage that undoes later ones: what comes after it counts as new.
    mutating func startOver(_ next: Stage) {
        reach.fallBack(to: next)
        begin(next)
    }

    mutating func progress(_ done: Int, of total: Int) {
        guard let stage else { return }
        let fraction = total > 0 ? Double(done) / Double(total) : 0
        reach.note(stage, fraction: fraction)
        report(.progress(stage: stage, overall: progress.overall(stageFraction: fraction), bytesDone: done, bytesTotal: total))
    }

    /// Grows whenever the run gets further than before; never falls.
    var advances: Int { reach.advances }

    mutating func recovers(by remedy: Remedy, from reason: Diagnosis) {
        recoveries.append(Recovery(remedy: remedy, reason: reason))
        notice("\(reason.message) [\(reason.code)]: trying again after \(remedy.words)")
    }

    mutating func lives(_ proof: ProgramProof) { program = proof }

    func notice(_ text: String) { report(.notice(text)) }

    mutating func probed(_ found: UnitIdentity) {
        identity = found
        guard !isProbed else { return }
        isProbed = true
        report(.probed(found))
    }

    mutating func proved(_ found: UnitIdentity) { identity = found }

    mutating func start(_ part: Part, from version: String?) {
        if started[part] == nil { started[part] = clock.now }
        if origins[part] == nil { origins[part] = version }
    }

    /// What an earlier pass of this run wrote is updated, though nobody had the time to say so.
    mutating func current(_ part: Part, version: String, bytes: Int) {
        guard steps[part] == nil else { return }
        guard started[part] == nil else { return updated(part, to: version, bytes: bytes) }
        progress.drop(part)
        conclude(StepReport(part: part, action: .current, from: version, to: version))
    }

    mutating func planned(_ part: Part, from: String?, to: String) {
        conclude(StepReport(part: part, action: .planned, from: from, to: to))
    }

    mutating func updated(_ part: Part, to version: String, bytes: Int) { written(part, .updated, version, bytes) }

    /// The unit took it, and nobody has asked what it runs.
    mutating func transferred(_ part: Part, to version: String, bytes: Int) { written(part, .transferred, version, bytes) }

    private mutating func written(_ part: Part, _ action: StepReport.Action, _ version: String, _ bytes: Int) {
        let seconds = started[part].map { $0.duration(to: clock.now) / .seconds(1) } ?? 0
        conclude(StepReport(part: part, action: action, from: origins[part], to: version, bytes: bytes, seconds: seconds))
    }

    private mutating func conclude(_ step: StepReport) {
        steps[step.part] = step
        report(.step(step))
    }

    mutating func complete() {
        let overall = progress.overall(stageFraction: 1)
        report(.progress(stage: stage ?? .proof, overall: max(overall, 1), bytesDone: 0, bytesTotal: 0))
    }

    /// Progress from a closure that outlives this value's exclusive access.
    func relay(_ stage: Stage) -> ProgressRelay { ProgressRelay(stage: stage, progress: progress, reach: reach, report: report) }

    func finished(_ error: Diagnosis?) -> UnitReport {
        let reports = Part.allCases.map { part in
            steps[part] ?? StepReport(
                part: part, action: started[part] != nil && error != nil ? .failed : .skipped, from: origins[part], to: nil)
        }
        return UnitReport(identity: identity, family: "monocle", steps: reports, program: program, recoveries: recoveries, error: error)
    }
}

/// How far a run has come: stages in their order, each in 64 parts.
final class Reach: Sendable {
    private struct State {
        var furthest = 0
        var advances = 0
    }

    private let state = Mutex(State())

    var advances: Int { state.withLock { $0.advances } }

    func note(_ stage: Stage, fraction: Double) {
        let here = Self.place(of: stage) + Int(63 * min(1, max(0, fraction)))
        state.withLock { state in
            guard here > state.furthest else { return }
            state = State(furthest: here, advances: state.advances + 1)
        }
    }

    func fallBack(to stage: Stage) { state.withLock { $0.furthest = min($0.furthest, Self.place(of: stage)) } }

    private static func place(of stage: Stage) -> Int { 64 * (Stage.allCases.firstIndex(of: stage) ?? 0) }
}

/// Reports progress of one stage from a `Sendable` closure.
struct ProgressRelay: Sendable {
    let stage: Stage
    let progress: RunProgress
    let reach: Reach
    let report: @Sendable (RunEvent) -> Void

    func progress(_ done: Int, of total: Int) {
        var progress = progress
        let fraction = total > 0 ? Double(done) / Double(total) : 0
        reach.note(stage, fraction: fraction)
        report(.progress(stage: stage, overall: progress.overall(stageFraction: fraction), bytesDone: done, bytesTotal: total))
    }

    func notice(_ text: String) { report(.notice(text)) }
}
