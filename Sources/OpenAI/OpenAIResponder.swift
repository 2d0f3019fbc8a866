import Assistant
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Support

/// A server with OpenAI's HTTP API: OpenAI's own, llama.cpp, vLLM, Ollama, LocalAI, whisper.cpp and others.
public struct OpenAIResponder: Responder {
    let settings: AssistantSettings
    let clock: SessionClock
    let client: HTTPClient

    /// - Parameter clock: for timeouts and the waits between attempts.
    /// - Throws: ``AssistantError/plainHTTP(host:)``, and what `body` throws.
    public static func with<Value: Sendable>(
        _ settings: AssistantSettings, clock: SessionClock, body: (OpenAIResponder) async throws -> Value
    ) async throws -> Value {
        try settings.check()
        var configuration = HTTPClient.Configuration()
        // A redirect would carry the question, and perhaps the key, to a place that nobody chose.
        configuration.redirectConfiguration = .disallow
        configuration.httpVersion = .http1Only
        configuration.timeout.connect = TimeAmount(settings.timeouts.connect)
        configuration.connectionPool.retryConnectionEstablishment = false
        if let path = settings.certificateFile { configuration.tlsConfiguration = try Self.trusting(certificatesIn: path) }
        configuration.proxy = settings.proxy.map { .server(host: $0.host, port: $0.port) }
        // The shared group ends the process if it cannot make its loops.
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let client = HTTPClient(eventLoopGroupProvider: .shared(loops), configuration: configuration)
        func end() async {
            try? await client.shutdown()
            try? await loops.shutdownGracefully()
        }
        do {
            let value = try await body(OpenAIResponder(settings: settings, clock: clock, client: client))
            await end()
            return value
        } catch {
            await end()
            throw error
        }
    }

    /// In bytes; a system's certificate bundle has about 200 KB.
    private static let certificateFileLimit = 1 << 20

    private static func trusting(certificatesIn path: String) throws(AssistantError) -> TLSConfiguration {
        guard let content = try? FileReader.read(path, limit: certificateFileLimit, followsLinks: true) else {
            throw .badConfiguration(path: path, "the certificates cannot be read")
        }
        guard let certificates = try? NIOSSLCertificate.fromPEMBytes(content), !certificates.isEmpty else {
            throw .badConfiguration(path: path, "it holds no certificates in PEM")
        }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.additionalTrustRoots = [.certificates(certificates)]
        return configuration
    }

    public func hear(
        _ sound: Sound, as mode: AssistantMode, progress: @escaping @Sendable (ResponderProgress) -> Void
    ) async throws -> String {
        var form = MultipartForm()
        form.add("model", settings.speechModel)
        form.add("response_format", "json")
        if mode == .assistant, let language = settings.language { form.add("language", language) }
        form.add("file", fileName: "speech.wav", type: "audio/wav", WAVFile.bytes(of: sound))
        let endpoint = mode == .assistant ? "audio/transcriptions" : "audio/translations"
        let request = request(endpoint, body: form.body, type: form.contentType)
        return try await retrying(progress) {
            try await exchange.perform(request) { reader in
                try await self.checkHead(reader)
                return try Self.transcript(in: try await reader.wholeBody(), hiding: settings.key)
            }
        }
    }

    public func answer(
        _ conversation: Conversation, progress: @escaping @Sendable (ResponderProgress) -> Void
    ) async throws -> AnswerSummary {
        let body = ChatRequest(model: settings.chatModel, conversation: conversation, takesImages: settings.takesImages)
        guard let json = try? body.json() else { throw AssistantError.notUnderstood("the conversation is not text") }
        let request = request("chat/completions", body: json, type: "application/json")
        return try await retrying(progress) {
            try await exchange.perform(request) { reader in
                try await self.checkHead(reader)
                return try await self.readAnswer(reader) { progress(.text($0)) }
            }
        }
    }

    private var exchange: HTTPExchange { HTTPExchange(client: client, clock: clock, settings: settings) }

    private func request(_ endpoint: String, body: [UInt8], type: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: settings.baseURL.endpoint(endpoint))
        request.method = .POST
        request.headers.add(name: "Content-Type", value: type)
        request.headers.add(name: "Accept", value: "application/json, text/event-stream")
        request.headers.add(name: "User-Agent", value: "noafw")
        if let key = settings.key { request.headers.add(name: "Authorization", value: key.bearer) }
        request.body = .bytes(ByteBuffer(bytes: body))
        return request
    }

    private func retrying<Value>(_ progress: (ResponderProgress) -> Void, _ attempt: () async throws -> Value) async throws -> Value {
        var count = 0
        while true {
            do {
                return try await attempt()
            } catch let failure as FailedAttempt {
                count += 1
                guard let delay = settings.retries.delay(afterAttempts: count, wanted: failure.wantedDelay) else { throw failure.error }
                progress(.retrying(after: delay, because: failure.error))
                try await clock.sleep(until: clock.deadline(in: delay))
            }
        }
    }

    // MARK: - Reading

    private func checkHead(_ reader: ResponseReader) async throws {
        let head = try await reader.head()
        guard !(200...299).contains(head.status) else { return }
        if (300...399).contains(head.status) {
            throw AssistantError.redirected(to: head.location ?? "an unnamed place")
        }
        let body = (try? await reader.wholeBody()) ?? []
        try Task.checkCancellation()
        let message = ServerMessage(body: body)
        let text = message.shortText(hiding: settings.key)
        switch head.status {
        case 401, 403: throw AssistantError.unauthorized(status: head.status, text)
        case 429:
            let error = AssistantError.tooManyRequests(text, retryAfter: head.retryAfter)
            throw message.isAboutQuota ? error : FailedAttempt(error, wantedDelay: head.retryAfter)
        case 501, 505: throw AssistantError.serverFailed(status: head.status, text)
        case 500...: throw FailedAttempt(.serverFailed(status: head.status, text), wantedDelay: head.retryAfter)
        default: throw AssistantError.refused(status: head.status, text)
        }
    }

    /// Once some text has arrived, an error only marks the answer as cut short.
    private func readAnswer(_ reader: ResponseReader, piece: (String) -> Void) async throws -> AnswerSummary {
        var decoder = AnswerDecoder(hiding: settings.key)
        var filter = SecretFilter(settings.key)
        func show(_ text: String) { if !text.isEmpty { piece(text) } }
        defer { show(filter.finish()) }
        do {
            var isFirst = true
            while !decoder.isComplete, let bytes = try await reader.piece(isFirst: isFirst) {
                isFirst = false
                try decoder.receive(bytes) { show(filter.pass($0)) }
            }
            if !decoder.isComplete { try decoder.finish { show(filter.pass($0)) } }
            return try decoder.summary()
        } catch {
            guard decoder.textCount > 0, var known = (error as? FailedAttempt)?.error ?? error as? AssistantError else { throw error }
            if case .brokenOff = known { known = .brokenOff(afterBytes: decoder.textCount) }
            return AnswerSummary(totalTokens: decoder.totalTokens, cutShort: .byError(known))
        }
    }

    private struct Transcript: Decodable {
        var text: String?
    }

    /// In bytes; a minute of speech has about a thousand.
    private static let transcriptLimit = 16 << 10

    private static func transcript(in body: [UInt8], hiding key: SecretText?) throws -> String {
        guard let text = (try? JSONDecoder().decode(Transcript.self, from: Data(body)))?.text else {
            let isPage = body.first { $0 > 0x20 } == UInt8(ascii: "<")
            throw AssistantError.notUnderstood(isPage ? "an HTML page" : "JSON with a text was expected")
        }
        let trimmed = (key?.redacted(from: text) ?? text).trimmingCharacters(in: .whitespacesAndNewlines)
        return String(PlainText.prefix(of: trimmed[...], atMostBytes: transcriptLimit))
    }
}
