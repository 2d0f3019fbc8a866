/// Where text goes.
struct TextSink: Sendable {
    var isTerminal: Bool
    /// Asked at each drawing, as windows change their size.
    var columns: @Sendable () -> Int
    /// The terminal's; asked at each drawing, too.
    var rows: @Sendable () -> Int = { 24 }
    /// For bytes that are no text; `nil` where only text can go.
    var bytes: (@Sendable ([UInt8]) -> Void)?
    var write: @Sendable (String) -> Void

    func writeLine(_ line: String) { write(line + "\n") }

    /// Exactly these, a file's for example.
    func writeBytes(_ content: [UInt8]) {
        if let bytes { bytes(content) } else { write(String(decoding: content, as: UTF8.self)) }
    }
}
