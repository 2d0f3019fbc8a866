/// How a terminal hands over what is typed.
enum InputMode: Sendable, Hashable {
    /// Lines that the terminal edits.
    case lines
    /// As ``lines``, but Ctrl-C is the last byte (0x03) of a line that it ends at once.
    case breakableLines
    /// Every key at once, without the terminal's own editing.
    case keys
}
