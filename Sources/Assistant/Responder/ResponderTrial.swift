import Support

/// Proves that an assistant works, without a unit: it answers a question and takes sound.
public struct ResponderTrial: Sendable {
    public enum Part: String, Sendable, CaseIterable, Encodable { case answer, speech }

    public struct Finding: Sendable {
        public var part: Part
        public var seconds: Double
        /// Characters of the answer, or of what was heard; the error, otherwise.
        public var outcome: Result<Int, any Error>

        package init(part: Part, seconds: Double, outcome: Result<Int, any Error>) {
            (self.part, self.seconds, self.outcome) = (part, seconds, outcome)
        }
    }

    private static let question = "Answer with one word: ready"
    /// A tone, in which nothing is said.
    private static let tone = Sound(samples: (0..<8000).map { $0 / 9 % 2 == 0 ? 40 : -40 })

    private let responder: any Responder
    private let mode: AssistantMode
    private let clock: SessionClock

    public init(_ responder: any Responder, mode: AssistantMode, clock: SessionClock) {
        (self.responder, self.mode, self.clock) = (responder, mode, clock)
    }

    /// - Throws: `CancellationError` alone: what the assistant does is a finding.
    public func run() async throws -> [Finding] {
        var findings: [Finding] = []
        for part in Part.allCases {
            let start = clock.now
            let outcome: Result<Int, any Error>
            do { outcome = .success(try await attempt(part)) } catch {
                try Task.checkCancellation()
                outcome = .failure(error)
            }
            findings.append(Finding(part: part, seconds: start.duration(to: clock.now) / .seconds(1), outcome: outcome))
        }
        return findings
    }

    private func attempt(_ part: Part) async throws -> Int {
        switch part {
        case .speech: return try await responder.hear(Self.tone, as: mode, progress: { _ in }).count
        case .answer:
            var conversation = Conversation(mode: mode)
            conversation.ask(Self.question)
            let count = Inbox<Int>()
            let summary = try await responder.answer(conversation) { if case .text(let text) = $0 { count.deliver(text.count) } }
            var characters = 0
            while let more = count.poll() { characters += more }
            guard characters > 0, summary.cutShort == nil else { throw AssistantError.emptyAnswer }
            return characters
        }
    }
}
