/// Where text goes.
struct TextSink: Sendable {
    var isTerminal: Bool
    /// Asked at each drawing, as windows change their size.
    var columns: @Sendable () -> Int
    var write: @Sendable (String) -> Void

    func writeLine(_ line: String) { write(line + "\n") }
}
