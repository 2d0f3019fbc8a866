import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// A real HTTP or HTTPS server on a free port of the loopback, for the time of a test.
package struct LocalServer: Sendable {
    package struct Request: Sendable {
        package var method: String
        package var path: String
        let headers: HTTPHeaders
        package var body: [UInt8]

        package func header(_ name: String) -> String? { headers.first(name: name) }
    }

    /// The way back to one client.
    package struct Reply: Sendable {
        let outbound: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
        let channel: any Channel

        package func head(_ status: Int, _ headers: [(String, String)] = []) async throws {
            let head = HTTPResponseHead(
                version: .http1_1, status: .init(statusCode: status), headers: HTTPHeaders(headers))
            try await outbound.write(.head(head))
        }

        package func write(_ bytes: [UInt8]) async throws {
            try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: bytes))))
        }

        package func write(_ text: some StringProtocol) async throws { try await write(Array(text.utf8)) }
        package func end() async throws { try await outbound.write(.end(nil)) }

        /// Ends the connection, whatever the client still waits for.
        package func hangUp() async throws { try await channel.close() }

        /// Says nothing more until the client has gone.
        package func waitUntilClientGoes() async throws { try await channel.closeFuture.get() }

        package func send(
            _ status: Int, _ text: String, type: String = "application/json", headers: [(String, String)] = []
        ) async throws {
            try await head(status, headers + [("Content-Type", type)])
            try await write(text)
            try await end()
        }
    }

    package typealias Handler = @Sendable (Request, Reply) async throws -> Void
    private typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    /// Runs `body` with the server's base URL, `http://127.0.0.1:PORT`, or `https://localhost:PORT`.
    package static func with<Value: Sendable>(
        tls identity: TLSIdentity? = nil, _ handler: @escaping Handler, body: @escaping @Sendable (String) async throws -> Value
    ) async throws -> Value {
        let context = try identity.map { try $0.context() }
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context)) }
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    return try Connection(wrappingChannelSynchronously: channel)
                }
            }
        let port = server.channel.localAddress?.port ?? 0
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                try await serve(server, handler)
                return nil
            }
            group.addTask { try await body(identity == nil ? "http://127.0.0.1:\(port)" : "https://localhost:\(port)") }
            defer { group.cancelAll() }
            while let value = try await group.next() {
                if let value { return value }
            }
            throw CancellationError()
        }
    }

    private static func serve(_ server: NIOAsyncChannel<Connection, Never>, _ handler: @escaping Handler) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            try await server.executeThenClose { connections in
                for try await connection in connections {
                    group.addTask { await serve(connection, handler) }
                }
            }
            group.cancelAll()
        }
    }

    /// A client that hangs up is none of the server's business.
    private static func serve(_ connection: Connection, _ handler: Handler) async {
        try? await connection.executeThenClose { inbound, outbound in
            var request: Request?
            for try await part in inbound {
                switch part {
                case .head(let head):
                    request = Request(method: head.method.rawValue, path: head.uri, headers: head.headers, body: [])
                case .body(let buffer): request?.body += buffer.readableBytesView
                case .end:
                    guard let whole = request else { return }
                    try await handler(whole, Reply(outbound: outbound, channel: connection.channel))
                }
            }
        }
    }
}
