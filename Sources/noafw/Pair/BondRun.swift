import Support

/// Runs `pair` or `unpair`; gives the result as text or document, and the exit code.
struct BondRun: Sendable {
    var verb: String
    var context: CommandContext
    var isJSON: Bool
    var timeout: Double?

    func run(_ operation: @escaping @Sendable () async throws -> BondReport) async -> Int32 {
        let conclusion = Conclusion()
        context.interrupts.exitReport.set { conclusion.say { fail(BondError.interrupted.diagnosis) } }
        defer { context.interrupts.exitReport.set(nil) }
        let outcome = await Supervisor(context: context, tick: nil, timeoutSeconds: timeout).run(operation)
        let error: Diagnosis
        switch outcome {
        case .finished(let report), .interrupted(let report?):
            conclusion.say { show(report) }
            return 0
        case .failed(let reason): error = diagnose(reason)
        case .interrupted(nil): error = BondError.interrupted.diagnosis
        }
        conclusion.say { fail(error) }
        return error.category.rawValue
    }

    func note(_ text: String) {
        context.diagnostics.writeLine(
            context.style(for: context.diagnostics).paint("note:", .careful) + " " + UntrustedText.escape(text))
    }

    private func show(_ report: BondReport) {
        let sink = isJSON ? context.diagnostics : context.output
        for line in report.lines(context.style(for: sink)) { sink.writeLine(line) }
        if isJSON { context.output.writeLine(JSONWriter.text(BondDocument(report, of: verb))) }
    }

    private func fail(_ error: Diagnosis) {
        context.explain(error)
        if isJSON { context.output.writeLine(JSONWriter.text(BondDocument(nil, of: verb, error: error))) }
    }
}
