import Bluetooth
import Provisioning
import Support

/// The unit that a run was asked for; all that is known when it ends early.
struct ReportTarget: Sendable {
    /// As the command line names it; `nil` for a unit that its address identifies.
    var id: String?
    var family: String
}

/// How a run ended.
struct RunEnding<Report: RunVerdict>: Sendable {
    /// Absent when the run ended before there was one.
    var report: Report?
    /// What ended the run from outside or before a report; it outranks the report's own error.
    var error: Diagnosis?
    var progress: ProgressModel
    var seconds: Double

    /// Whether a unit was worked on.
    var hasBegun: Bool { report != nil || progress.stage != nil }
}

/// One verb's results as text.
protocol RunPresentation: Sendable {
    associatedtype Report: RunVerdict

    /// The error that counts.
    func error(of ending: RunEnding<Report>) -> Diagnosis?
    func document(_ ending: RunEnding<Report>) -> JSONText
    func summary(_ ending: RunEnding<Report>, style: TextStyle) -> [String]
}

/// One verb's run: progress while it goes, the result when it ends, an exit code.
struct RunSession<Presentation: RunPresentation>: Sendable {
    typealias Events = @Sendable (RunEvent) -> Void

    var context: CommandContext
    var report: ReportOptions
    var verb: InterruptedState.Verb
    var presentation: Presentation

    func run(_ operation: @escaping @Sendable (@escaping Events) async throws -> Presentation.Report) async -> Int32 {
        let renderer = ProgressRenderer(context: context, isVerbose: report.verbose)
        let start = context.clock.now
        let conclusion = Conclusion()
        let outer = context.interrupts.exitReport.set { conclude(interrupted(renderer, since: start), renderer, conclusion) }
        defer { context.interrupts.exitReport.set(outer) }
        let tick = renderer.isLive ? { @Sendable in renderer.tick() } : nil
        let outcome = await Supervisor(context: context, tick: tick, timeoutSeconds: report.timeout).run {
            try await operation { renderer.handle($0) }
        }
        var ending = RunEnding<Presentation.Report>(
            progress: renderer.model, seconds: start.duration(to: context.clock.now).inSeconds)
        switch outcome {
        case .finished(let report): ending.report = report
        case .failed(let error): ending.error = CommandError.explain(error)
        case .interrupted(let report):
            ending = interrupted(renderer, since: start)
            ending.report = report
        }
        return conclude(ending, renderer, conclusion)
    }

    private func interrupted(_ renderer: ProgressRenderer, since start: SessionClock.Instant) -> RunEnding<Presentation.Report> {
        let model = renderer.model
        let state = InterruptedState(verb: verb, stage: model.writingStage,
            updated: model.steps.filter { $0.action == .updated }.map(\.part), arguments: context.arguments)
        return RunEnding(
            error: CommandError.interrupted(state).diagnosis, progress: model,
            seconds: start.duration(to: context.clock.now).inSeconds)
    }

    /// Writes the result once, whoever comes first: the run's end, or the last words of a run that does not end.
    @discardableResult
    private func conclude(
        _ ending: RunEnding<Presentation.Report>, _ renderer: ProgressRenderer, _ conclusion: Conclusion
    ) -> Int32 {
        let error = presentation.error(of: ending)
        conclusion.say { write(ending, error, renderer) }
        return error?.category.rawValue ?? (ending.report?.passed == true ? 0 : 1)
    }

    private func write(_ ending: RunEnding<Presentation.Report>, _ error: Diagnosis?, _ renderer: ProgressRenderer) {
        renderer.finish()
        let sink = report.json ? context.diagnostics : context.output
        for line in presentation.summary(ending, style: context.style(for: sink)) { sink.writeLine(line) }
        if let error {
            for line in ErrorText.lines(error, style: context.style(for: context.diagnostics)) {
                context.diagnostics.writeLine(line)
            }
        }
        if report.json { context.output.writeLine(presentation.document(ending).text) }
    }
}

/// An error in three lines: code and message, cause, next action.
enum ErrorText {
    static func lines(_ error: Diagnosis, style: TextStyle) -> [String] {
        [
            "\(style.paint("error \(error.code)", .bad)): \(UntrustedText.escape(error.message))",
            "  cause: \(UntrustedText.escape(error.cause))",
            "  next:  \(UntrustedText.escape(error.remedy, limit: UntrustedText.commandLimit))",
        ]
    }
}
