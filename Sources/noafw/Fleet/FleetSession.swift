import Provisioning
import Support

/// How a fleet's run ended.
struct FleetRunResult<Report: Verdict>: Sendable {
    var report: FleetReport<Report>
    /// What ended the run before there was a fleet.
    var error: Diagnosis?
    var isInterrupted = false
    var seconds: Double

    var exitCode: Int32 { error?.category.rawValue ?? report.exitCode(isInterrupted: isInterrupted) }
    var passed: Bool { error == nil && report.passed }
}

/// One verb's results for a fleet.
protocol FleetPresentation: Sendable {
    associatedtype Report: Verdict

    func document(_ result: FleetRunResult<Report>) -> JSONText
    func summary(_ result: FleetRunResult<Report>, style: TextStyle) -> [String]
    /// Writes what the command line asks for beside the document.
    /// - Throws: ``CommandError``.
    func export(_ result: FleetRunResult<Report>, context: CommandContext) throws
}

/// What an operator sees while a fleet is worked on.
protocol FleetDisplay: Sendable {
    /// Whether it is redrawn while nothing happens.
    var isLive: Bool { get }
    var progress: FleetProgress { get }

    func handle(_ event: FleetRunEvent)
    /// Somebody has asked for an orderly end.
    func drains()
    /// Writes a line above what is redrawn.
    func print(_ line: String)
    func tick()
    func finish()
}

extension FleetPresentation {
    func export(_ result: FleetRunResult<Report>, context: CommandContext) throws {}
}

/// A fleet's run: progress while it goes, the results of all units when it ends, an exit code.
struct FleetSession<Presentation: FleetPresentation>: Sendable {
    typealias Report = FleetReport<Presentation.Report>
    typealias Events = @Sendable (FleetRunEvent) -> Void

    var context: CommandContext
    var report: ReportOptions
    /// Whether standard output is taken by something else than the summary.
    var isOutputTaken = false
    /// Whether a drain is how the run ends anyway, and no interruption.
    var endsByDrain = false
    /// What it means that there was no unit.
    var emptiness = UnitSelectionError.none.diagnosis
    /// `nil`: a line for each unit and one that counts.
    var display: (any FleetDisplay)?
    var presentation: Presentation

    func run(_ operation: @escaping @Sendable (@escaping Events) async throws -> Report) async -> Int32 {
        let renderer = display ?? FleetRenderer(context: context, isVerbose: report.verbose)
        let start = context.clock.now
        let conclusion = Conclusion()
        let writer: EventWriter?
        do {
            writer = try report.events.map { try EventWriter($0, context: context) }
        } catch {
            return conclude(failed(error, renderer, since: start), renderer, nil, conclusion)
        }
        let outer = context.interrupts.exitReport.set { conclude(interrupted(renderer, since: start), renderer, writer, conclusion) }
        defer { context.interrupts.exitReport.set(outer) }
        let area = context.drawingArea.set { renderer.print($0) }
        defer { context.drawingArea.set(area) }
        context.interrupts.drain.offer { renderer.drains() }
        defer { context.interrupts.drain.withdraw() }
        let tick = renderer.isLive ? { @Sendable in renderer.tick() } : nil
        let outcome = await Supervisor(context: context, tick: tick, timeoutSeconds: report.timeout).run {
            try await operation {
                renderer.handle($0)
                writer?.write($0)
            }
        }
        return conclude(result(outcome, renderer, since: start), renderer, writer, conclusion)
    }

    private func result(
        _ outcome: Supervisor.Outcome<Report>, _ renderer: any FleetDisplay, since start: SessionClock.Instant
    ) -> FleetRunResult<Presentation.Report> {
        switch outcome {
        case .finished(let report):
            FleetRunResult(
                report: report, error: report.entries.isEmpty && report.stop == nil ? emptiness : nil,
                isInterrupted: !endsByDrain && context.interrupts.drain.isAsked && !report.passed, seconds: seconds(since: start))
        case .failed(let error): failed(error, renderer, since: start)
        case .interrupted(let report?): FleetRunResult(report: report, isInterrupted: true, seconds: seconds(since: start))
        case .interrupted(nil): interrupted(renderer, since: start)
        }
    }

    /// What came of the units before is not lost with the run.
    private func failed(
        _ error: any Error, _ renderer: any FleetDisplay, since start: SessionClock.Instant
    ) -> FleetRunResult<Presentation.Report> {
        let error = diagnose(error)
        let entries = renderer.progress.entries(Presentation.Report.self, interruption: error)
        return FleetRunResult(report: Report(entries: entries), error: error, seconds: seconds(since: start))
    }

    /// What is known without the operation's own report.
    private func interrupted(_ renderer: any FleetDisplay, since start: SessionClock.Instant) -> FleetRunResult<Presentation.Report> {
        let interruption = CommandError.unitInterrupted.diagnosis
        let entries = renderer.progress.entries(Presentation.Report.self, interruption: interruption)
        // Units of which nothing was heard yet had no turn.
        let error = entries.allSatisfy { $0.verdict == .pass } ? interruption : nil
        return FleetRunResult(report: Report(entries: entries), error: error, isInterrupted: true, seconds: seconds(since: start))
    }

    private func seconds(since start: SessionClock.Instant) -> Double { start.duration(to: context.clock.now).inSeconds }

    /// Writes the result once, whoever comes first: the run's end, or the last words of a run that does not end.
    @discardableResult
    private func conclude(
        _ result: FleetRunResult<Presentation.Report>, _ renderer: any FleetDisplay, _ writer: EventWriter?, _ conclusion: Conclusion
    ) -> Int32 {
        var code = result.exitCode
        conclusion.say {
            renderer.finish()
            let sink = report.json || isOutputTaken || report.eventsTakeOutput ? context.diagnostics : context.output
            let style = context.style(for: sink)
            for line in style.fitted(presentation.summary(result, style: style)) { sink.writeLine(line) }
            for error in [result.error, result.report.stop].compactMap({ $0 }) { context.explain(error) }
            if report.json { context.output.writeLine(presentation.document(result).text) }
            do {
                try presentation.export(result, context: context)
            } catch {
                let failure = diagnose(error)
                context.explain(failure)
                if code == 0 { code = failure.category.rawValue }
            }
            writer?.finish(result.error ?? result.report.stop, passed: result.passed)
        }
        return code
    }
}
