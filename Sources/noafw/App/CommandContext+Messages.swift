import Support

extension CommandContext {
    /// Tells an operator of an error.
    func explain(_ error: Diagnosis) {
        for line in ErrorText.lines(error, style: style(for: diagnostics)) { say(line) }
    }

    /// What an operator should know beside the results.
    @Sendable func note(_ text: String) {
        diagnostics.writeLine(style(for: diagnostics).paint("note:", .careful) + " " + UntrustedText.escape(text))
    }

    /// Writes a line on ``diagnostics``, whatever is drawn there.
    @Sendable func say(_ line: String) {
        if !drawingArea.print(line) { diagnostics.writeLine(line) }
    }
}
