import Assistant
import AsyncHTTPClient
import Download
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Support

/// An error that a retry may avoid.
struct FailedAttempt: Error {
    var error: AssistantError
    /// The server's `Retry-After`.
    var wantedDelay: Duration?

    init(_ error: AssistantError, wantedDelay: Duration? = nil) { (self.error, self.wantedDelay) = (error, wantedDelay) }
}

/// One request and its answer, with a deadline on every wait and a limit on its bytes.
///
/// A separate task moves the answer into an inbox, so a wait that passes its deadline leaves nothing half read.
struct HTTPExchange: Sendable {
    private static let bodyLimit = AnswerDecoder.bodyLimit

    struct Head: Sendable {
        var status: Int
        var retryAfter: Duration?
        var location: String?
    }

    enum Part: Sendable {
        case head(Head)
        case body([UInt8])
        case end
    }

    let client: HTTPClient
    let clock: SessionClock
    let settings: AssistantSettings

    /// - Parameter read: the unread rest of the answer is dropped with the connection.
    func perform<Value: Sendable>(
        _ request: HTTPClientRequest, read: @escaping @Sendable (ResponseReader) async throws -> Value
    ) async throws -> Value {
        // The byte limit bounds the inbox: no part is empty.
        let parts = Inbox<Part>(capacity: Self.bodyLimit + 3)
        let end = clock.deadline(in: settings.timeouts.whole)
        let reader = ResponseReader(parts: parts, clock: clock, timeouts: settings.timeouts, end: end)
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                await fetch(request, into: parts)
                return nil
            }
            group.addTask { try await read(reader) }
            defer { group.cancelAll() }
            while let value = try await group.next() {
                if let value { return value }
            }
            throw CancellationError()
        }
    }

    private func fetch(_ request: HTTPClientRequest, into parts: Inbox<Part>) async {
        var hasHead = false
        do {
            let response = try await client.execute(request, timeout: .hours(1))
            hasHead = true
            parts.deliver(.head(head(of: response)))
            var count = 0
            for try await buffer in response.body where buffer.readableBytes > 0 {
                count += buffer.readableBytes
                guard count <= Self.bodyLimit else {
                    return parts.finish(throwing: AssistantError.tooLong(what: "the answer", limitBytes: Self.bodyLimit))
                }
                parts.deliver(.body(Array(buffer.readableBytesView)))
            }
            parts.deliver(.end)
        } catch {
            parts.finish(throwing: hasHead ? FailedAttempt(.brokenOff(afterBytes: 0)) : failure(from: error))
        }
    }

    private func head(of response: HTTPClientResponse) -> Head {
        let headers = response.headers
        let retryAfter = headers.first(name: "Retry-After").flatMap { RetryAfter.parse($0, date: headers.first(name: "Date")) }
        let location = headers.first(name: "Location").map { ServerMessage.excerpt(of: $0.utf8, count: 200, hiding: settings.key) }
        return Head(status: Int(response.status.code), retryAfter: retryAfter, location: location)
    }

    private func failure(from error: any Error) -> any Error {
        let host = settings.proxy?.host ?? settings.baseURL.host
        switch error {
        case is CancellationError: return error
        case let error as HTTPClientError: return failure(from: error, host: host)
        case is HTTPParserError: return AssistantError.notUnderstood("it is not HTTP")
        case let error as NIOConnectionError:
            let isUnknown = error.connectionErrors.isEmpty && (error.dnsAError != nil || error.dnsAAAAError != nil)
            let reason = error.connectionErrors.first.map { TransportReason.text($0.error) }
                ?? (isUnknown ? "its name is unknown" : "no address")
            let known: AssistantError = if let proxy = settings.proxy {
                .proxyRefused(proxy: "\(proxy)", reason)
            } else {
                isUnknown ? .unknownHost(host) : .unreachable(host: host, reason: reason)
            }
            return isUnknown ? known : FailedAttempt(known)
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            return AssistantError.insecure(host: settings.baseURL.host, reason: TransportReason.text(error))
        default:
            return FailedAttempt(.unreachable(host: host, reason: TransportReason.text(error)))
        }
    }

    private func failure(from error: HTTPClientError, host: String) -> any Error {
        switch error {
        case .cancelled: CancellationError()
        case .connectTimeout: FailedAttempt(.timedOut("a connection to \(host)"))
        case .tlsHandshakeTimeout: FailedAttempt(.timedOut("a secure connection to \(settings.baseURL.host)"))
        case .httpProxyHandshakeTimeout: FailedAttempt(.timedOut("the proxy \(host)"))
        case .proxyAuthenticationRequired, .invalidProxyResponse:
            AssistantError.proxyRefused(
                proxy: settings.proxy?.description ?? host,
                error == .invalidProxyResponse ? "it refuses the connection" : "it requires a user and a password")
        default: FailedAttempt(.unreachable(host: host, reason: TransportReason.text(error)))
        }
    }
}

struct ResponseReader: Sendable {
    let parts: Inbox<HTTPExchange.Part>
    let clock: SessionClock
    let timeouts: AssistantSettings.Timeouts
    /// The deadline of the whole exchange.
    let end: SessionClock.Instant

    func head() async throws -> HTTPExchange.Head {
        guard case .head(let head) = try await part(within: timeouts.firstByte, "the server's answer") else {
            throw AssistantError.notUnderstood("no head")
        }
        return head
    }

    /// - Returns: `nil` at the end of the body.
    func piece(isFirst: Bool) async throws -> [UInt8]? {
        let limit = isFirst ? timeouts.firstByte : timeouts.betweenPieces
        switch try await part(within: limit, isFirst ? "the first word" : "the next words") {
        case .body(let bytes): return bytes
        case .head, .end: return nil
        }
    }

    func wholeBody() async throws -> [UInt8] {
        var body: [UInt8] = []
        while let piece = try await piece(isFirst: body.isEmpty) { body += piece }
        return body
    }

    private func part(within limit: Duration, _ what: String) async throws -> HTTPExchange.Part {
        let deadline = min(clock.deadline(in: limit), end)
        // Never retried: nobody wants to wait that long twice.
        guard let part = try await parts.next(before: deadline, on: clock) else { throw AssistantError.timedOut(what) }
        return part
    }
}
