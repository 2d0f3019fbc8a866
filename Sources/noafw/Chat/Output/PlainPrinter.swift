import Assistant

/// The conversation as lines: answers on standard output, everything else on standard error.
struct PlainPrinter: Sendable {
    let output: TextSink
    let diagnostics: TextSink
    let style: TextStyle
    /// Also prints the program's output.
    let isVerbose: Bool

    func show(_ event: ChatEvent, photoFile: String?) {
        guard let line = ChatFormatter.line(for: event, photoFile: photoFile) else { return }
        switch (event, line.kind) {
        case (.asked, .question): break
        case (_, .question): for text in line.texts { output.writeLine("you: \(text)") }
        case (_, .answer): for text in line.texts { output.writeLine(text) }
        case (_, .state): for text in line.texts { diagnostics.writeLine(text) }
        case (_, .console): if isVerbose { for text in line.texts { diagnostics.writeLine("unit: \(text)") } }
        case (_, .problem): for text in line.texts { diagnostics.writeLine(style.paint("note:", .careful) + " " + text) }
        }
    }

    func show(display: [String]) {
        output.writeLine("on the unit's display:")
        for line in display { output.writeLine("  \(UntrustedText.escape(line))") }
    }
}
