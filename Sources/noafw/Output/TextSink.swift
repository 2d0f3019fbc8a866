/// Where text goes.
struct TextSink: Sendable {
    var isTerminal: Bool
    /// Asked at each drawing, as windows change their size.
    var columns: @Sendable () -> Int
    /// The terminal's; asked at each drawing, too.
    var rows: @Sendable () -> Int = { 24 }
    var write: @Sendable (String) -> Void
    /// What is no text.
    var writeBytes: @Sendable ([UInt8]) -> Void = { _ in }

    func writeLine(_ line: String) { write(line + "\n") }
}
