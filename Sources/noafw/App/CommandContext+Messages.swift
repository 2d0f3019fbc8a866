import Support

extension CommandContext {
    /// Tells an operator of an error.
    func explain(_ error: Diagnosis) {
        let style = style(for: diagnostics)
        for line in style.fitted(ErrorText.lines(error, style: style)) { say(line) }
    }

    /// What an operator should know beside the results.
    @Sendable func note(_ text: String) {
        let words = UntrustedText.escape(UnitLabels.labelled(text), limit: UntrustedText.noticeLimit)
        diagnostics.writeLine(style(for: diagnostics).paint("note:", .careful) + " " + words)
    }

    /// Writes a line on ``diagnostics``, whatever is drawn there.
    @Sendable func say(_ line: String) {
        if !drawingArea.print(line) { diagnostics.writeLine(line) }
    }
}
