public enum AssistantMode: String, Sendable, Hashable, CaseIterable {
    case assistant, translator

    package var systemPrompt: String {
        switch self {
        case .assistant:
            """
            You are Noa, the assistant in a pair of smart glasses. The wearer speaks to you and reads your answer on a display \
            of 26 columns and 8 rows, so answer in one to three short, plain sentences, without Markdown, lists or emoji. \
            The wearer's words come from speech recognition and may hold mistakes: answer what was meant. A picture, when \
            there is one, shows what the wearer sees. Say so when you do not know.
            """
        case .translator:
            """
            You are the translator in a pair of smart glasses. Translate everything the user writes into English, or into the \
            language the user names. Answer with the translation alone: no quotation marks, no remarks, no Markdown.
            """
        }
    }
}

/// The conversation so far. Beyond its token limit it is cleared, as in the phone app.
public struct Conversation: Sendable, Hashable {
    public struct Message: Sendable, Hashable {
        public enum Role: String, Sendable, Hashable { case user, assistant }
        public var role: Role
        public var text: String
        /// Only the newest message of a conversation has one.
        public var photo: Photo?
    }

    /// The most messages, for a server that reports no tokens.
    static let messageLimit = 200

    public private(set) var mode: AssistantMode
    public private(set) var messages: [Message] = []
    let tokenLimit: Int

    init(mode: AssistantMode = .assistant, tokenLimit: Int = 4096) {
        self.mode = mode
        self.tokenLimit = max(1, tokenLimit)
    }

    /// Drops earlier photos: each costs more than a long talk.
    mutating func ask(_ text: String, photo: Photo? = nil) {
        for index in messages.indices { messages[index].photo = nil }
        messages.append(Message(role: .user, text: text, photo: photo))
    }

    /// - Parameter totalTokens: the server's count; `nil` estimates it.
    /// - Returns: whether the conversation was cleared.
    mutating func answered(_ text: String, totalTokens: Int?) -> Bool {
        messages.append(Message(role: .assistant, text: text))
        guard totalTokens ?? estimatedTokens > tokenLimit || messages.count >= Self.messageLimit else { return false }
        clear()
        return true
    }

    mutating func withdrawQuestion() {
        if messages.last?.role == .user { messages.removeLast() }
    }

    mutating func clear() { messages = [] }

    /// - Returns: whether the mode changed.
    mutating func switchMode(to mode: AssistantMode) -> Bool {
        guard mode != self.mode else { return false }
        self.mode = mode
        clear()
        return true
    }

    /// Four bytes of English make about one token; a message costs about four more.
    var estimatedTokens: Int {
        messages.reduce(mode.systemPrompt.utf8.count / 4) { $0 + ($1.text.utf8.count + 3) / 4 + 4 }
    }
}
