import Assistant
import Foundation
import Support

/// The text of a chat completion: a stream of events, or one JSON document from a server that does not stream.
struct AnswerDecoder {
    static let bodyLimit = 1 << 20
    /// Bytes of text in one answer; the glasses show about 1500.
    static let textLimit = 16 << 10

    private let key: SecretText?

    /// - Parameter key: hidden in messages.
    init(hiding key: SecretText?) { self.key = key }

    private enum Form { case unknown, events, document }

    private var form = Form.unknown
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

    var isComplete: Bool { isDone || textCount >= Self.textLimit }

    /// - Parameter piece: gets each text before a later part can fail; never an empty one.
    mutating func receive(_ bytes: [UInt8], piece: (String) -> Void) throws(AssistantError) {
        let room = Self.bodyLimit - receivedCount
        receivedCount += bytes.count
        try take(bytes.prefix(room), piece)
        if bytes.count > room, !isComplete { throw .tooLong(what: "the answer", limitBytes: Self.bodyLimit) }
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>, _ piece: (String) -> Void) throws(AssistantError) {
        var bytes = bytes
        if case .unknown = form {
            bytes = bytes.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
            guard let first = bytes.first else { return }
            switch first {
            case UInt8(ascii: "{"), UInt8(ascii: "["): form = .document
            case UInt8(ascii: "<"): throw .notUnderstood("an HTML page")
            default: form = .events
            }
        }
        if !hasEvents { beginning += bytes.prefix(Self.excerptLimit - beginning.count) }
        if case .document = form { return document += bytes }
        for byte in bytes where !isComplete {
            if let event = try events.receive(byte) { try take(event, piece) }
        }
    }

    mutating func finish(piece: (String) -> Void) throws(AssistantError) {
        switch form {
        case .unknown: throw .emptyAnswer
        case .document: try takeDocument(piece)
        case .events:
            if let rest = try events.finish() { try take(rest, piece) }
            guard hasEvents || beginning.first == UInt8(ascii: ":") else { throw .notUnderstood(beginningText) }
            guard isComplete || finishReason != nil else { throw .brokenOff(afterBytes: textCount) }
        }
    }

    func summary() throws(AssistantError) -> AnswerSummary {
        guard textCount > 0 else { throw .emptyAnswer }
        return AnswerSummary(totalTokens: totalTokens, cutShort: isCutByLength || finishReason == "length" ? .byLength : nil)
    }

    private static let excerptLimit = 256

    private var beginningText: String { "it begins with \(shown(beginning))" }

    private func shown(_ bytes: [UInt8]) -> String {
        let text = ServerMessage.excerpt(of: bytes, count: 60, hiding: key)
        return text.isEmpty ? "blanks" : text
    }

    private mutating func take(_ event: [UInt8], _ piece: (String) -> Void) throws(AssistantError) {
        // Some servers keep the connection alive with events of no data.
        if event.isEmpty { return }
        hasEvents = true
        if event.elementsEqual("[DONE]".utf8) { return isDone = true }
        guard let chunk = try? JSONDecoder().decode(Chunk.self, from: Data(event)) else {
            throw .notUnderstood("an event that is not JSON: \(shown(event))")
        }
        try take(chunk, piece)
    }

    private mutating func takeDocument(_ piece: (String) -> Void) throws(AssistantError) {
        guard let chunk = try? JSONDecoder().decode(Chunk.self, from: Data(document)) else { throw .notUnderstood(beginningText) }
        guard chunk.choices != nil || chunk.error != nil else { throw .notUnderstood("JSON without choices") }
        try take(chunk, piece)
    }

    /// A chunk's text comes before its error.
    private mutating func take(_ chunk: Chunk, _ piece: (String) -> Void) throws(AssistantError) {
        if let tokens = chunk.usage?.total_tokens, tokens >= 0 { totalTokens = tokens }
        if let choice = chunk.choices?.first {
            if let reason = choice.finish_reason { finishReason = reason }
            if let text = bounded(choice.delta?.text ?? choice.message?.text) { piece(text) }
        }
        if let error = chunk.error { throw .serverFailed(status: 200, error.shortText(hiding: key)) }
    }

    private mutating func bounded(_ text: String?) -> String? {
        guard let text, !text.isEmpty else { return nil }
        let room = Self.textLimit - textCount
        let piece = PlainText.wholeCharacters(of: text[...], atMostBytes: room)
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

        /// A text, or a list of parts from some servers.
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
