import Bluetooth
import Provisioning
import Support

/// One verb's run: progress while it goes, the result when it ends, an exit code.
struct RunSession<Presentation: RunPresentation>: Sendable {
    typealias Events = @Sendable (JobEvent) -> Void

    var context: CommandContext
    var report: ReportOptions
    var mayChangeUnit: Bool
    var presentation: Presentation

    func run(_ operation: @escaping @Sendable (@escaping Events) async throws -> Presentation.Report) async -> Int32 {
        let renderer = ProgressRenderer(context: context, isVerbose: report.verbose)
        let writer: EventWriter?
        do {
            writer = try report.events.map { try EventWriter($0, context: context) }
        } catch {
            return conclude(
                RunResult(error: diagnose(error), progress: renderer.model, seconds: 0), renderer, nil, Conclusion())
        }
        let start = context.clock.now
        let conclusion = Conclusion()
        let outer = context.interrupts.exitReport.set { conclude(interrupted(renderer, since: start), renderer, writer, conclusion) }
        defer { context.interrupts.exitReport.set(outer) }
        let area = context.drawingArea.set { renderer.print($0) }
        defer { context.drawingArea.set(area) }
        let tick = renderer.isLive ? { @Sendable in renderer.tick() } : nil
        let outcome = await Supervisor(context: context, tick: tick, timeoutSeconds: report.timeout).run {
            try await operation {
                renderer.handle($0)
                writer?.write($0)
            }
        }
        var result = RunResult<Presentation.Report>(
            progress: renderer.model, seconds: start.duration(to: context.clock.now).inSeconds)
        switch outcome {
        case .finished(let report): result.report = report
        case .failed(let error): (result.error, result.leftAlone) = (diagnose(error), FleetVerdict(leavingAlone: error, leavesOthers: false))
        case .interrupted(let report):
            result = interrupted(renderer, since: start)
            result.report = report
        }
        return conclude(result, renderer, writer, conclusion)
    }

    private func interrupted(_ renderer: ProgressRenderer, since start: SessionClock.Instant) -> RunResult<Presentation.Report> {
        let model = renderer.model
        let state = InterruptedState(
            mayChangeUnit: mayChangeUnit, stage: model.writingStage,
            updated: model.steps.filter { $0.action == .updated }.map(\.component), arguments: context.arguments)
        return RunResult(
            error: CommandError.interrupted(condition: state.condition, nextAction: state.nextAction).diagnosis, progress: model,
            seconds: start.duration(to: context.clock.now).inSeconds)
    }

    /// Writes the result once, whoever comes first: the run's end, or the last words of a run that does not end.
    @discardableResult
    private func conclude(
        _ result: RunResult<Presentation.Report>, _ renderer: ProgressRenderer, _ writer: EventWriter?, _ conclusion: Conclusion
    ) -> Int32 {
        let error = presentation.error(of: result)
        conclusion.say {
            write(result, error, renderer)
            writer?.finish(error, passed: result.report?.passed == true)
        }
        return error?.category.rawValue ?? (result.report?.passed == true ? 0 : 1)
    }

    private func write(_ result: RunResult<Presentation.Report>, _ error: Diagnosis?, _ renderer: ProgressRenderer) {
        renderer.finish()
        let sink = report.json || report.eventsTakeOutput ? context.diagnostics : context.output
        let style = context.style(for: sink)
        for line in style.fitted(presentation.summary(result, style: style)) { sink.writeLine(line) }
        if let error {
            context.explain(error)
        }
        if report.json { context.output.writeLine(presentation.document(result).text) }
    }
}
