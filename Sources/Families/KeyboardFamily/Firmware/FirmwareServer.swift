import NIOCore
import NIOHTTP1
import NIOPosix
import Support
import Synchronization

/// Offers one image to one unit, on one address and one port, during its update. Hangs up on everybody else.
final class FirmwareServer: Sendable {
    struct Counts: Sendable, Equatable {
        /// The unit's requests for the image.
        var requests = 0
        /// Connections from elsewhere, and requests for anything else.
        var refused = 0
    }

    private typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    private static let pieceByteCount = 16 << 10
    /// A unit has one download at a time, and perhaps one that it has abandoned.
    private static let mostConnections = 4

    /// The unit fetches this; the name cannot be guessed.
    let url: String
    private let path: String
    private let image: [UInt8]
    private let unit: String
    private let state = Mutex((counts: Counts(), open: 0))

    var counts: Counts { state.withLock { $0.counts } }

    /// Runs `body` while the image is offered.
    /// - Parameters:
    ///   - unit: the only IP address that gets it.
    ///   - host: this machine's IP address on the route to the unit.
    /// - Throws: ``OTAError/notServed(reason:)``, and what `body` throws.
    static func with<Value: Sendable>(
        _ image: [UInt8], for unit: String, at host: String, on clock: SessionClock,
        _ body: @escaping @Sendable (FirmwareServer) async throws -> Value
    ) async throws -> Value {
        let listener = try await clock.paused { try await listen(at: host) }
        let server = FirmwareServer(image, for: unit, at: host, port: listener.channel.localAddress?.port ?? 0)
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                try await server.serve(listener)
                return nil
            }
            group.addTask { try await body(server) }
            let end = await group.nextResult()
            // Sockets are closed in real time.
            await clock.paused {
                group.cancelAll()
                while await group.nextResult() != nil {}
            }
            guard let value = try end?.get() else { throw OTAError.notServed(reason: "its server has ended") }
            return value
        }
    }

    private static func listen(at host: String) async throws -> NIOAsyncChannel<Connection, Never> {
        do {
            return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(host: host, port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    return try Connection(wrappingChannelSynchronously: channel)
                }
            }
        } catch {
            throw OTAError.notServed(reason: (error as? IOError).map { SystemError.text($0.errnoCode) } ?? "\(type(of: error))")
        }
    }

    private init(_ image: [UInt8], for unit: String, at host: String, port: Int) {
        (self.image, self.unit) = (image, unit)
        path = "/" + HexText.encode((0..<8).map { _ in UInt8.random(in: 0...255) }) + ".bin"
        url = "http://\(host.contains(":") ? "[\(host)]" : host):\(port)\(path)"
    }

    private func serve(_ listener: NIOAsyncChannel<Connection, Never>) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            try await listener.executeThenClose { connections in
                for try await connection in connections {
                    guard isForUnit(connection.channel.remoteAddress?.ipAddress) else {
                        try? await connection.channel.close()
                        continue
                    }
                    group.addTask { [self] in
                        await serve(connection)
                        state.withLock { $0.open -= 1 }
                    }
                }
            }
            group.cancelAll()
        }
    }

    private func isForUnit(_ peer: String?) -> Bool {
        state.withLock { state in
            guard peer == unit, state.open < Self.mostConnections else {
                state.counts.refused += 1
                return false
            }
            state.open += 1
            return true
        }
    }

    /// A unit that hangs up reports that itself.
    private func serve(_ connection: Connection) async {
        try? await connection.executeThenClose { inbound, outbound in
            for try await part in inbound {
                guard case .head(let request) = part else { continue }
                guard request.uri == path, request.method == .GET else {
                    state.withLock { $0.counts.refused += 1 }
                    try await outbound.write(contentsOf: [.head(Self.head(.notFound, byteCount: 0)), .end(nil)])
                    return
                }
                state.withLock { $0.counts.requests += 1 }
                return try await send(to: outbound)
            }
        }
    }

    private func send(to outbound: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>) async throws {
        try await outbound.write(.head(Self.head(.ok, byteCount: image.count)))
        var rest = image[...]
        while !rest.isEmpty {
            try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: rest.prefix(Self.pieceByteCount)))))
            rest = rest.dropFirst(Self.pieceByteCount)
        }
        try await outbound.write(.end(nil))
    }

    private static func head(_ status: HTTPResponseStatus, byteCount: Int) -> HTTPResponseHead {
        HTTPResponseHead(
            version: .http1_1, status: status,
            headers: [("Content-Type", "application/octet-stream"), ("Content-Length", "\(byteCount)"), ("Connection", "close")])
    }
}

extension HTTPResponseHead {
    fileprivate init(version: HTTPVersion, status: HTTPResponseStatus, headers: [(String, String)]) {
        self.init(version: version, status: status, headers: HTTPHeaders(headers))
    }
}
