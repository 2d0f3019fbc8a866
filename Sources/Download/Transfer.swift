import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Support

/// One request and its answer, with a deadline on every wait and a limit on its bytes.
///
/// A task of its own moves the answer into an inbox: a wait that passes its deadline leaves nothing half read.
struct Transfer: Sendable {
    struct Answer: Sendable {
        var bytes: [UInt8] = []
        /// Where a redirect leads.
        var location: String?
    }

    private enum Part: Sendable {
        case head(status: Int, location: String?)
        case body([UInt8])
        case end
    }

    let client: HTTPClient
    let clock: SessionClock
    let timeouts: Downloader.Timeouts
    let host: String
    let proxy: ProxyAddress?
    let address: String
    let limit: Int
    let end: SessionClock.Instant

    /// - Throws: ``DownloadError``, `CancellationError`.
    func run() async throws -> Answer {
        // The byte limit bounds the inbox: no part is empty.
        let parts = Inbox<Part>(capacity: limit + 3)
        return try await withThrowingTaskGroup(of: Answer?.self) { group in
            group.addTask {
                await fetch(into: parts)
                return nil
            }
            group.addTask { try await read(parts) }
            defer { group.cancelAll() }
            while let value = try await group.next() { if let value { return value } }
            throw CancellationError()
        }
    }

    private func fetch(into parts: Inbox<Part>) async {
        var count = 0
        var hasHead = false
        do {
            var request = HTTPClientRequest(url: address)
            request.headers.add(name: "User-Agent", value: "noafw")
            let response = try await client.execute(request, timeout: .hours(1))
            hasHead = true
            parts.deliver(.head(status: Int(response.status.code), location: response.headers.first(name: "Location")))
            for try await buffer in response.body where buffer.readableBytes > 0 {
                count += buffer.readableBytes
                guard count <= limit else { return parts.finish(throwing: DownloadError.tooLong(address: address, limit: limit)) }
                parts.deliver(.body(Array(buffer.readableBytesView)))
            }
            parts.deliver(.end)
        } catch {
            if error is CancellationError || (error as? HTTPClientError) == .cancelled {
                return parts.finish(throwing: CancellationError())
            }
            parts.finish(throwing: hasHead ? DownloadError.brokenOff(host: host, byteCount: count) : failure(from: error))
        }
    }

    private func read(_ parts: Inbox<Part>) async throws -> Answer {
        var answer = Answer()
        guard case .head(let status, let location) = try await part(parts, within: timeouts.firstByte, "its answer") else { return answer }
        switch status {
        case 200: break
        case 301, 302, 303, 307, 308:
            guard let location else { throw DownloadError.refused(address: address, status: status) }
            answer.location = location
            return answer
        default: throw DownloadError.refused(address: address, status: status)
        }
        while case .body(let bytes) = try await part(parts, within: timeouts.betweenPieces, "the next bytes") { answer.bytes += bytes }
        return answer
    }

    private func part(_ parts: Inbox<Part>, within wait: Duration, _ what: String) async throws -> Part {
        let deadline = min(clock.deadline(in: wait), end)
        guard let part = try await parts.next(before: deadline, on: clock) else { throw DownloadError.timedOut(host: host, what: what) }
        return part
    }

    private func failure(from error: any Error) -> DownloadError {
        switch error {
        case let error as HTTPClientError: return failure(from: error)
        case let error as NIOConnectionError:
            let isUnknown = error.connectionErrors.isEmpty && (error.dnsAError != nil || error.dnsAAAAError != nil)
            let reason = error.connectionErrors.first.map { TransportReason.text($0.error) }
                ?? (isUnknown ? "its name is unknown" : "no address")
            return proxy.map { .proxyRefused(proxy: "\($0)", reason: reason) } ?? .unreachable(host: host, reason: reason)
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: return .insecure(host: host, reason: TransportReason.text(error))
        default: return .unreachable(host: proxy?.host ?? host, reason: TransportReason.text(error))
        }
    }

    private func failure(from error: HTTPClientError) -> DownloadError {
        let near = proxy?.host ?? host
        return switch error {
        case .connectTimeout: .timedOut(host: near, what: "a connection")
        case .tlsHandshakeTimeout: .timedOut(host: host, what: "a secure connection")
        case .httpProxyHandshakeTimeout: .timedOut(host: near, what: "the proxy's answer")
        case .proxyAuthenticationRequired: .proxyRefused(proxy: proxy?.description ?? host, reason: "it wants a user and a password")
        case .invalidProxyResponse: .proxyRefused(proxy: proxy?.description ?? host, reason: "it refuses the connection")
        default: .unreachable(host: near, reason: TransportReason.text(error))
        }
    }
}
