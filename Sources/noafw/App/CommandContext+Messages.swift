import Support

extension CommandContext {
    /// Tells an operator of an error.
    func explain(_ error: Diagnosis) {
        for line in ErrorText.lines(error, style: style(for: diagnostics)) { diagnostics.writeLine(line) }
    }
}
