import Foundation
import Glibc
import Synchronization
import TestSupport

@testable import LedgerServer

/// A server on loopback that speaks PostgreSQL's protocol 3.0 as far as a test has it do so: for what no real one says.
final class FakePostgres: Sendable {
    typealias Talk = @Sendable (Session) -> Void

    let port: Int
    private let descriptor: Int32

    /// - Parameter talk: for each connection, on a thread of its own; the connection then ends.
    init(_ talk: @escaping Talk) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound, listen(descriptor, 16) == 0 else { throw PostgresCluster.Failure(description: "no fake server") }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread {
            while case let client = accept(descriptor, nil, nil), client >= 0 {
                Thread.detachNewThread {
                    talk(Session(client))
                    close(client)
                }
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    /// One connection.
    final class Session {
        private let client: Int32
        /// In bytes, to the client's machine.
        private(set) var sent = 0

        init(_ client: Int32) { self.client = client }

        /// - Returns: `false` once the client is gone.
        @discardableResult
        func send(_ bytes: [UInt8]) -> Bool {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard count > 0 else { return false }
                sent += count
                rest = rest.dropFirst(count)
            }
            return true
        }

        /// `nil` at the end.
        func read(_ count: Int) -> [UInt8]? {
            var bytes: [UInt8] = []
            while bytes.count < count {
                var piece = [UInt8](repeating: 0, count: count - bytes.count)
                let got = recv(client, &piece, piece.count, 0)
                guard got > 0 else { return nil }
                bytes += piece.prefix(got)
            }
            return bytes
        }

        /// The client's first words; asked for TLS, it says no.
        func readStartup() {
            while let head = read(8), head.count == 8 {
                guard Array(head[4...]) == [4, 210, 22, 47] else { return _ = read(FakePostgres.number(head) - 8) }
                send(Array("N".utf8))
            }
        }

        /// Whatever the client says, up to its Sync.
        func readToSync() -> Bool {
            while let head = read(5) {
                guard read(FakePostgres.number(Array(head[1...])) - 4) != nil else { return false }
                if head[0] == UInt8(ascii: "S") { return true }
            }
            return false
        }

        /// Lets the client in, and says that its tables are of the right form.
        func greet() {
            readStartup()
            send(FakePostgres.message("R", [0, 0, 0, 0]) + FakePostgres.ready)
            _ = readToSync()
            send(FakePostgres.answer([["\(ServerSchema.version)"]]))
        }
    }

    // MARK: - Messages

    static let ready = message("Z", Array("I".utf8))

    static func bytes(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
    static func number(_ bytes: [UInt8]) -> Int { bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) } }

    /// - Parameter claimed: the length that it says it has.
    static func message(_ type: Character, _ payload: [UInt8], claimed: Int? = nil) -> [UInt8] {
        [type.asciiValue ?? 0] + bytes((claimed ?? payload.count) + 4) + payload
    }

    static func error(_ text: String, state: String = "XX000") -> [UInt8] {
        message("E", Array("SFATAL\u{0}C\(state)\u{0}M\(text)\u{0}\u{0}".utf8))
    }

    /// ParseComplete, BindComplete, RowDescription.
    static func head(columns: Int) -> [UInt8] {
        let column = Array("c\u{0}".utf8) + [0, 0, 0, 0, 0, 0, 0, 0, 0, 25, 255, 255, 255, 255, 255, 255, 0, 0]
        return message("1", []) + message("2", []) + message("T", Array(bytes(columns)[2...]) + (0..<columns).flatMap { _ in column })
    }

    static func row(_ cells: [String?]) -> [UInt8] {
        message(
            "D", Array(bytes(cells.count)[2...]) + cells.flatMap { cell in cell.map { bytes($0.utf8.count) + Array($0.utf8) } ?? bytes(-1) }
        )
    }

    static func answer(_ rows: [[String?]]) -> [UInt8] {
        head(columns: rows.first?.count ?? 0) + rows.flatMap(row) + message("C", Array("SELECT 1\u{0}".utf8)) + ready
    }
}
