import Foundation
import Support

/// A server's error: `{"error": {"message", "code"}}`, `{"error": "text"}` or `{"detail": "text"}`.
struct ServerMessage: Decodable {
    private struct Fields: Decodable {
        var message: String?
        var code: Code?
        var type: String?
    }

    /// A text or a number, depending on the server.
    private struct Code: Decodable {
        var text: String?
        init(from decoder: any Decoder) throws { text = try? decoder.singleValueContainer().decode(String.self) }
    }

    private struct Body: Decodable {
        var error: ServerMessage?
        var detail: String?
    }

    private var message: String?
    private var code: String?

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            message = text
        } else if let fields = try? container.decode(Fields.self) {
            message = fields.message
            code = fields.code?.text ?? fields.type
        }
    }

    private init(message: String) { self.message = message }

    init(body: some Collection<UInt8>) {
        let decoded = try? JSONDecoder().decode(Body.self, from: Data(body))
        if let error = decoded?.error {
            self = error
        } else if let detail = decoded?.detail {
            self.init(message: detail)
        } else if body.first(where: { $0 > 0x20 }) == UInt8(ascii: "<") {
            self.init(message: "an HTML page")
        } else {
            self.init(message: String(decoding: body.prefix(4096), as: UTF8.self))
        }
    }

    /// Printable, at most 200 characters, without the key.
    func shortText(hiding key: SecretText?) -> String {
        Self.excerpt(of: (message ?? code ?? "").utf8, count: 200, hiding: key)
    }

    /// The printable beginning. The key is removed first: a cut could leave part of it.
    static func excerpt(of bytes: some Collection<UInt8>, count: Int, hiding key: SecretText?) -> String {
        let text = String(decoding: bytes.prefix(64 << 10), as: UTF8.self)
        let harmless = PrintableText.of((key?.redacted(from: text) ?? text).utf8.prefix(count * 4))
        return harmless.count > count ? harmless.prefix(count - 1) + "…" : harmless
    }

    /// A retry does not help.
    var isAboutQuota: Bool { code == "insufficient_quota" }
}
