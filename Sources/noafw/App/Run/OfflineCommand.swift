import Bluetooth
import Support

/// A verb that works on files alone: no unit, no progress, done within moments.
struct OfflineCommand: Sendable {
    /// What it says when it ends.
    struct Result: Sendable {
        /// For a human.
        var lines: [String]
        /// `nil` where the result is a document, or is in a file.
        var document: (any Encodable & Sendable)?
        /// The verdict was bad although the work was done.
        var error: Diagnosis?
    }

    var context: CommandContext
    var isJSON: Bool
    /// Errors alone are told.
    var isQuiet = false
    /// Whether standard output is taken by the result itself.
    var isOutputTaken = false

    /// - Parameters:
    ///   - failure: the JSON document of a run that ended with an error.
    ///   - interrupted: ends the work of a run that a signal ends, and tells how it leaves things.
    func run(
        failure: @escaping @Sendable (Diagnosis) -> any Encodable & Sendable = ErrorDocument.init,
        interrupted: @escaping @Sendable () -> FileState = { .unchanged },
        _ body: (TextStyle) async throws -> Result
    ) async -> Int32 {
        let conclusion = Conclusion()
        context.interrupts.exitReport.set { conclusion.say { fail(interrupted().diagnosis, failure) } }
        defer { context.interrupts.exitReport.set(nil) }
        let sink = isJSON || isOutputTaken ? context.diagnostics : context.output
        do {
            let style = context.style(for: sink)
            let result = try await body(style)
            conclusion.say {
                if !isQuiet || result.error != nil { for line in style.fitted(result.lines) { sink.writeLine(line) } }
                if let error = result.error { context.explain(error) }
                if isJSON, let document = result.document { context.output.writeLine(JSONWriter.text(document)) }
            }
            return result.error?.category.rawValue ?? 0
        } catch {
            let diagnosis = diagnose(error)
            conclusion.say { fail(diagnosis, failure) }
            return diagnosis.category.rawValue
        }
    }

    private func fail(_ error: Diagnosis, _ failure: (Diagnosis) -> any Encodable & Sendable) {
        context.explain(error)
        if isJSON { context.output.writeLine(JSONWriter.text(failure(error))) }
    }

    func note(_ text: String) {
        guard !isQuiet else { return }
        context.diagnostics.writeLine("note: \(UntrustedText.escape(text))")
    }
}
