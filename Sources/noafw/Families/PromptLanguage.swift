/// What a unit's prompt understands.
enum PromptLanguage: String, Sendable, CaseIterable {
    case python
    case lua
}
