import Bluetooth
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import Support

/// The HTTP end of a unit: a port of the loopback, which the system chooses when the unit is made.
package final class LoopbackListener: Sendable {
    package struct Request: Sendable {
        package var method: String
        package var path: String
        package var body: [UInt8] = []
    }

    package struct Reply: Sendable {
        package var status = 200
        package var type = "application/json"
        package var body: [UInt8]

        package init(status: Int = 200, type: String = "application/json", _ body: some Sequence<UInt8>) {
            (self.status, self.type, self.body) = (status, type, Array(body))
        }
    }

    private typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    /// In bytes; several times what any unit takes.
    private static let bodyLimit = 4096

    package let port: Int
    private let descriptor: Int32

    /// - Throws: ``LinkError/unavailable(_:)``.
    package init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw LinkError.unavailable("the virtual unit has no network: \(SystemError.last)") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (socket, size) = (descriptor, length)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, size) == 0 && listen(socket, 16) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        guard isListening else { throw LinkError.unavailable("the virtual unit has no network: \(SystemError.last)") }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Answers one request of each connection until cancelled.
    /// - Parameters:
    ///   - clock: stands still while NIO takes the port.
    ///   - opened: called once, when a client is answered.
    ///   - answer: `nil` hangs up.
    package func serve(
        on clock: SessionClock, opened: @Sendable () -> Void, _ answer: @escaping @Sendable (Request) async -> Reply?
    ) async throws {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw LinkError.unavailable("the virtual unit has no network: \(SystemError.last)") }
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        let server = try await clock.paused {
            try await bootstrap.bind(copy, serverBackPressureStrategy: nil) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    return try Connection(wrappingChannelSynchronously: channel)
                }
            }
        }
        opened()
        try await withThrowingDiscardingTaskGroup { group in
            try await server.executeThenClose { connections in
                for try await connection in connections { group.addTask { await Self.serve(connection, answer) } }
            }
            group.cancelAll()
        }
    }

    /// A client that hangs up is none of the unit's business.
    private static func serve(_ connection: Connection, _ answer: @Sendable (Request) async -> Reply?) async {
        try? await connection.executeThenClose { inbound, outbound in
            guard let request = try await read(inbound), let reply = await answer(request) else { return }
            let headers: HTTPHeaders = ["Content-Type": reply.type, "Content-Length": "\(reply.body.count)", "Connection": "close"]
            try await outbound.write(contentsOf: [
                .head(HTTPResponseHead(version: .http1_1, status: .init(statusCode: reply.status), headers: headers)),
                .body(.byteBuffer(ByteBuffer(bytes: reply.body))), .end(nil),
            ])
        }
    }

    private static func read(_ inbound: NIOAsyncChannelInboundStream<HTTPServerRequestPart>) async throws -> Request? {
        var request: Request?
        for try await part in inbound {
            switch part {
            case .head(let head): request = Request(method: head.method.rawValue, path: head.uri)
            case .body(let buffer):
                request?.body += buffer.readableBytesView
                guard let count = request?.body.count, count <= bodyLimit else { return nil }
            case .end: return request
            }
        }
        return nil
    }
}
