import Provisioning
import Support

/// One verb's results.
protocol RunPresentation: Sendable {
    /// What the run's work returns.
    associatedtype Report: Verdict
    /// The report, or what is known without one.
    associatedtype Result: Sendable

    /// A run of one unit ends with the first signal; a fleet first stops starting units.
    var isSingle: Bool { get }
    func result(of outcome: Supervisor.Outcome<Report>, _ end: RunEnd) -> Result
    /// What is explained beside the summary; the first one counts.
    func errors(of result: Result) -> [Diagnosis]
    func passed(_ result: Result) -> Bool
    /// In documents: `nil` when nothing was verified, and nothing is wrong.
    func verdict(of result: Result) -> PassMember?
    func exitCode(of result: Result) -> Int32
    func document(_ result: Result) -> any Encodable & Sendable
    func summary(_ result: Result, style: TextStyle) -> [String]
    /// Writes what the command line asks for beside the document.
    /// - Throws: ``CommandError``.
    func export(_ result: Result, context: CommandContext) throws
}

extension RunPresentation {
    func verdict(of result: Result) -> PassMember? { PassMember(passed(result)) }
    func export(_ result: Result, context: CommandContext) throws {}
}

/// What is known at the end of a run without its report.
struct RunEnd: Sendable {
    var context: CommandContext
    var progress: RunProgress
    var seconds: Double
}

/// One verb's run: progress while it goes, the results when it ends, an exit code.
struct RunSession<Presentation: RunPresentation>: Sendable {
    var context: CommandContext
    var report: ReportOptions
    /// Whether standard output is taken by something else than the summary.
    var isOutputTaken = false
    /// `nil`: a line for each unit and, for several, one that counts.
    var display: (any RunDisplay)?
    var presentation: Presentation

    /// - Parameter request: reads the command's options and files.
    func run<Request: RunRequest>(_ request: @escaping @Sendable () throws -> Request) async -> Int32
    where Request.Report == Presentation.Report {
        let renderer = display ?? RunRenderer(context: context, isVerbose: report.verbose, isSingle: presentation.isSingle)
        let start = context.clock.now
        let conclusion = Conclusion()
        let writer: EventWriter?
        do {
            writer = try report.events.map { try EventWriter($0, context: context) }
        } catch {
            return conclude(.failed(error), since: start, renderer, nil, conclusion)
        }
        context.interrupts.exitReport.set { [report = context.interrupts.exitReport] in
            report.exitCode = conclude(.interrupted(nil), since: start, renderer, writer, conclusion)
        }
        defer { context.interrupts.exitReport.set(nil) }
        let area = context.drawingArea.set { renderer.print($0) }
        defer { context.drawingArea.set(area) }
        if !presentation.isSingle { context.interrupts.drain.offer { renderer.drains() } }
        defer { context.interrupts.drain.withdraw() }
        let tick = renderer.isLive ? { @Sendable in renderer.tick() } : nil
        let outcome = await Supervisor(context: context, tick: tick, timeoutSeconds: report.timeout).run {
            try await request().perform(by: context.services) { [isSingle = presentation.isSingle] event in
                renderer.handle(event)
                if !isSingle || !event.isOfFleet { writer?.write(event) }
            }
        }
        return conclude(outcome, since: start, renderer, writer, conclusion)
    }

    /// Writes the result once, whoever comes first: the run's end, or the last words of a run that does not end.
    @discardableResult
    private func conclude(
        _ outcome: Supervisor.Outcome<Presentation.Report>, since start: SessionClock.Instant, _ renderer: any RunDisplay,
        _ writer: EventWriter?,
        _ conclusion: Conclusion
    ) -> Int32 {
        let seconds = start.duration(to: context.clock.now).inSeconds
        let result = presentation.result(of: outcome, RunEnd(context: context, progress: renderer.progress, seconds: seconds))
        var code = presentation.exitCode(of: result)
        conclusion.say {
            renderer.finish()
            let sink = report.json || isOutputTaken || report.eventsTakeOutput ? context.diagnostics : context.output
            let style = context.style(for: sink)
            for line in style.fitted(presentation.summary(result, style: style)) { sink.writeLine(line) }
            let errors = presentation.errors(of: result)
            errors.forEach(context.explain)
            if report.json { context.output.writeLine(JSONWriter.text(presentation.document(result))) }
            do {
                try presentation.export(result, context: context)
            } catch {
                let failure = diagnose(error)
                context.explain(failure)
                if code == 0 { code = failure.category.rawValue }
            }
            writer?.finish(errors.first, presentation.verdict(of: result))
        }
        return code
    }
}
