import NIOCore
import NIOHTTP1
import NIOPosix
import Support

/// Plain HTTP to a unit: one connection, one request, one bounded answer, and a deadline. Never follows a redirect.
struct UnitHTTP: Sendable {
    struct Answer: Sendable {
        var status = 0
        var body: [UInt8] = []
        /// The answering IP address.
        var peer = ""
        /// This machine's address on the route.
        var local = ""
    }

    private typealias Channel = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    /// The firmware answers within milliseconds; its Wi-Fi sleeps between beacons.
    private static let timeout = Duration.seconds(10)
    private static let connectTimeout = TimeAmount.seconds(5)
    /// Several times the firmware's longest answer, 50 lines of its log.
    private static let bodyLimit = 64 << 10

    let url: UnitURL
    let clock: SessionClock

    func get(_ path: String) async throws -> Answer { try await ask(.GET, path, []) }

    /// The firmware reads a body with one call (`debug_server.c`), so head and body must arrive in one piece.
    func post(_ path: String, json body: [UInt8]) async throws -> Answer { try await ask(.POST, path, body) }

    private func ask(_ method: HTTPMethod, _ path: String, _ body: [UInt8]) async throws -> Answer {
        let deadline = clock.deadline(in: Self.timeout)
        let silence = OTAError.noAnswer(url: "\(url)", reason: "it said nothing for \(Self.timeout.components.seconds) s")
        do {
            // A simulated clock stops while the request travels; a virtual unit lets it run while it works.
            return try await clock.paused {
                try await withDeadline(deadline, on: clock, timeout: silence) { try await converse(method, path, body) }
            }
        } catch let error as OTAError {
            throw error
        } catch {
            try Task.checkCancellation()
            throw OTAError.noAnswer(url: "\(url)", reason: Self.reason(error))
        }
    }

    private func converse(_ method: HTTPMethod, _ path: String, _ body: [UInt8]) async throws -> Answer {
        let connection = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connectTimeout(Self.connectTimeout)
            .connect(host: url.host, port: url.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    return try Channel(wrappingChannelSynchronously: channel)
                }
            }
        var answer = Answer()
        answer.peer = connection.channel.remoteAddress?.ipAddress ?? ""
        answer.local = connection.channel.localAddress?.ipAddress ?? ""
        let isWhole = try await connection.executeThenClose { [answer] inbound, outbound in
            var answer = answer
            let content = HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: body)))
            try await outbound.write(contentsOf: [.head(head(method, path, body.count)), content, .end(nil)])
            for try await part in inbound {
                switch part {
                case .head(let head): answer.status = Int(head.status.code)
                case .body(let buffer):
                    answer.body += buffer.readableBytesView
                    guard answer.body.count <= Self.bodyLimit else { throw OTAError.notUnderstood(path: path, reason: "it is too long") }
                case .end: return Optional(answer)
                }
            }
            return nil
        }
        try Task.checkCancellation()
        guard let isWhole else { throw OTAError.noAnswer(url: "\(url)", reason: "it closed the connection") }
        return isWhole
    }

    private func head(_ method: HTTPMethod, _ path: String, _ byteCount: Int) -> HTTPRequestHead {
        var headers = HTTPHeaders([("Host", url.authority), ("Connection", "close")])
        if method == .POST {
            headers.add(name: "Content-Type", value: "application/json")
            headers.add(name: "Content-Length", value: "\(byteCount)")
        }
        return HTTPRequestHead(version: .http1_1, method: method, uri: path, headers: headers)
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { reason($0.error) } ?? "its name is unknown here"
        case let error as IOError: SystemError.text(error.errnoCode)
        case ChannelError.connectTimeout: "no connection within \(connectTimeout.nanoseconds / 1_000_000_000) s"
        case is HTTPParserError: "it does not speak HTTP"
        default: "the connection broke (\(type(of: error)))"
        }
    }
}
