/// What a unit's prompt understands.
enum PromptLanguage: Sendable {
    case python
    case lua
}
