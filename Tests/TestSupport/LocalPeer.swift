import NIOCore
import NIOPosix

/// A TCP server on a free port of the loopback that need not speak HTTP.
package struct LocalPeer {
    private typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>
    private typealias Handler = @Sendable (Connection) async throws -> Void

    /// Runs `body` with the port of a server that says `greeting` to everybody who has said something, and nothing else.
    package static func with<Value: Sendable>(
        greeting: String, body: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> Value {
        try await serve({ connection in
            try await connection.executeThenClose { inbound, outbound in
                var iterator = inbound.makeAsyncIterator()
                // What comes before a request is another matter: the client then makes a new connection, and waits in between.
                guard try await iterator.next() != nil else { return }
                try await outbound.write(ByteBuffer(string: greeting))
                while try await iterator.next() != nil {}
            }
        }, body)
    }

    /// Runs `body` with the port of an HTTP proxy that only tunnels (RFC 9110, 9.3.6).
    /// - Parameters:
    ///   - answer: to a request for a tunnel: the status line.
    ///   - heard: gets every request's head.
    package static func withProxy<Value: Sendable>(
        answer: String = "HTTP/1.1 200 OK", heard: @escaping @Sendable (String) -> Void,
        body: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> Value {
        try await serve({ connection in
            try await connection.executeThenClose { inbound, outbound in
                var iterator = inbound.makeAsyncIterator()
                var head = ""
                while !head.hasSuffix("\r\n\r\n"), let piece = try await iterator.next() { head += String(buffer: piece) }
                heard(head)
                try await outbound.write(ByteBuffer(string: answer + "\r\n\r\n"))
                    guard answer.contains(" 200 "), let port = head.split(whereSeparator: { ": ".contains($0) }).dropFirst(2).first else {
                        return
                    }
                let server = try await connect(port: Int(port) ?? 0)
                try await server.executeThenClose { fromServer, toServer in
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        group.addTask { for try await piece in fromServer { try await outbound.write(piece) } }
                        while let piece = try await iterator.next() { try await toServer.write(piece) }
                        group.cancelAll()
                    }
                }
            }
        }, body)
    }

    private static func connect(port: Int) async throws -> Connection {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(host: "127.0.0.1", port: port) { channel in
            channel.eventLoop.makeCompletedFuture { try Connection(wrappingChannelSynchronously: channel) }
        }
    }

    private static func serve<Value: Sendable>(
        _ handler: @escaping Handler, _ body: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> Value {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture { try Connection(wrappingChannelSynchronously: channel) }
            }
        let port = server.channel.localAddress?.port ?? 0
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                try await withThrowingDiscardingTaskGroup { group in
                    try await server.executeThenClose { connections in
                        for try await connection in connections { group.addTask { try? await handler(connection) } }
                    }
                    group.cancelAll()
                }
                return nil
            }
            group.addTask { try await body(port) }
            defer { group.cancelAll() }
            while let value = try await group.next() {
                if let value { return value }
            }
            throw CancellationError()
        }
    }
}
