import Foundation
import Support

/// Makes text of a chat completion's body: a stream of events, or one JSON document from a server that does not stream.
struct AnswerDecoder {
    static let bodyLimit = 1 << 20
    /// Bytes of text in one answer; the glasses show about 1500.
    static let textLimit = 16 << 10

    private let key: SecretText?

    /// - Parameter key: what no message may show.
    init(hiding key: SecretText?) { self.key = key }

    private enum Form { case unknown, events, document }

    private var form = Form.unknown
    /// For a message about what is none of the forms.
    private var beginning: [UInt8] = []
    private var hasEvents = false
    private var events = ServerSentEvents()
    private var document: [UInt8] = []
    private var receivedCount = 0
    private(set) var textCount = 0
    private(set) var totalTokens: Int?
    private var finishReason: String?
    private var isDone = false
    private(set) var isCutByLength = false

    /// Whether nothing more can come that matters.
    var isComplete: Bool { isDone || textCount >= Self.textLimit }

    /// - Returns: pieces of text, none of them empty.
    mutating func receive(_ bytes: [UInt8]) throws(AssistantError) -> [String] {
        receivedCount += bytes.count
        guard receivedCount <= Self.bodyLimit else { throw .tooLong(what: "the answer", limitBytes: Self.bodyLimit) }
        var bytes = bytes[...]
        if case .unknown = form {
            bytes = bytes.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
            guard let first = bytes.first else { return [] }
            switch first {
            case UInt8(ascii: "{"), UInt8(ascii: "["): form = .document
            case UInt8(ascii: "<"): throw .notUnderstood("an HTML page")
            default: form = .events
            }
        }
        if !hasEvents, beginning.count < Self.excerptLimit { beginning += bytes.prefix(Self.excerptLimit) }
        switch form {
        case .unknown: return []
        case .document:
            document += bytes
            return []
        case .events:
            return try take(events.receive(bytes))
        }
    }

    /// The body has ended.
    /// - Throws: ``AssistantError`` when it did so too early, or with nothing said.
    mutating func finish() throws(AssistantError) -> [String] {
        switch form {
        case .unknown: throw .emptyAnswer
        case .document:
            isDone = true
            return try takeDocument()
        case .events:
            var pieces: [String] = []
            if let rest = try events.finish() { pieces = try take([rest]) }
            guard hasEvents || beginning.first == UInt8(ascii: ":") else { throw .notUnderstood(beginningText) }
            guard isDone || finishReason != nil else { throw .brokenOff(afterBytes: textCount) }
            return pieces
        }
    }

    /// - Throws: ``AssistantError/emptyAnswer``.
    func summary() throws(AssistantError) -> AnswerSummary {
        guard textCount > 0 else { throw .emptyAnswer }
        return AnswerSummary(totalTokens: totalTokens, cutShort: isCutByLength || finishReason == "length" ? .byLength : nil)
    }

    private static let excerptLimit = 256

    private var beginningText: String { "it begins with \(ServerMessage.excerpt(of: beginning, count: 60, hiding: key))" }

    private mutating func take(_ events: [[UInt8]]) throws(AssistantError) -> [String] {
        var pieces: [String] = []
        if !events.isEmpty { hasEvents = true }
        for event in events where !isDone {
            if event.elementsEqual("[DONE]".utf8) {
                isDone = true
            } else if let chunk = try? JSONDecoder().decode(Chunk.self, from: Data(event)) {
                if let error = chunk.error { throw .serverFailed(status: 200, error.shortText(hiding: key)) }
                if let piece = take(chunk) { pieces.append(piece) }
            } else {
                throw .notUnderstood("an event that is not JSON: \(ServerMessage.excerpt(of: event, count: 60, hiding: key))")
            }
        }
        return pieces
    }

    private mutating func take(_ chunk: Chunk) -> String? {
        if let tokens = chunk.usage?.total_tokens, tokens >= 0 { totalTokens = tokens }
        guard let choice = chunk.choices?.first else { return nil }
        if let reason = choice.finish_reason { finishReason = reason }
        return bounded(choice.delta?.text ?? choice.message?.text)
    }

    private mutating func takeDocument() throws(AssistantError) -> [String] {
        guard let chunk = try? JSONDecoder().decode(Chunk.self, from: Data(document)) else {
            throw .notUnderstood(beginningText)
        }
        if let error = chunk.error { throw .serverFailed(status: 200, error.shortText(hiding: key)) }
        guard chunk.choices != nil else { throw .notUnderstood("JSON without choices") }
        return [take(chunk)].compactMap { $0 }
    }

    private mutating func bounded(_ text: String?) -> String? {
        guard let text, !text.isEmpty else { return nil }
        let room = Self.textLimit - textCount
        let piece = TextChunker.wholeCharacters(of: text[...], atMostBytes: room)
        if piece.utf8.count < text.utf8.count {
            isCutByLength = true
            textCount = Self.textLimit
        } else {
            textCount += piece.utf8.count
        }
        return piece.isEmpty ? nil : String(piece)
    }
}

/// A chat completion, or one chunk of it (the API's published shape).
private struct Chunk: Decodable {
    struct Choice: Decodable {
        struct Message: Decodable {
            var content: Content?
            var refusal: String?
            var text: String? { content?.text ?? refusal }
        }

        /// A text; some servers send a list of parts, of which those with a text count.
        struct Content: Decodable {
            private struct Part: Decodable {
                var text: String?
            }

            let text: String

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                text = try (try? container.decode(String.self)) ?? container.decode([Part].self).compactMap(\.text).joined()
            }
        }
        var delta: Message?
        var message: Message?
        var finish_reason: String?
    }
    struct Usage: Decodable {
        var total_tokens: Int?
    }
    var choices: [Choice]?
    var usage: Usage?
    var error: ServerMessage?
}
