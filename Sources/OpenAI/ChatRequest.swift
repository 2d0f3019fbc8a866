import Assistant
import Foundation

/// The body of a chat completion request (the API's published shape).
struct ChatRequest: Encodable {
    struct Message: Encodable {
        var role: String
        var content: Content
    }

    enum Content: Encodable {
        case text(String)
        case picture(String, Photo)

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .text(let text):
                var container = encoder.singleValueContainer()
                try container.encode(text)
            case .picture(let text, let photo):
                var parts = encoder.unkeyedContainer()
                try parts.encode(["type": "text", "text": text])
                let url = "data:\(photo.kind.mediaType);base64," + Data(photo.bytes).base64EncodedString()
                try parts.encode(Picture(image_url: ["url": url]))
            }
        }
    }

    private struct Picture: Encodable {
        var type = "image_url"
        var image_url: [String: String]
    }

    var model: String
    var messages: [Message]
    var stream = true
    /// Makes the last event report the tokens used.
    var stream_options = ["include_usage": true]

    init(model: String, conversation: Conversation, takesImages: Bool) {
        self.model = model
        messages = [Message(role: "system", content: .text(conversation.mode.systemPrompt))]
        messages += conversation.messages.map { message in
            if takesImages, let photo = message.photo {
                Message(role: message.role.rawValue, content: .picture(message.text, photo))
            } else {
                Message(role: message.role.rawValue, content: .text(message.text))
            }
        }
    }

    func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try encoder.encode(self))
    }
}
