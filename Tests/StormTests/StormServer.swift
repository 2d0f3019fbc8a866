import Foundation
import Glibc
import LedgerServer
import Support
import Synchronization
import TestSupport

/// A real PostgreSQL, for all worlds of this process one after another, and between it and libpq a socket at which something may go wrong.
/// libpq waits on a thread of its own in real time; for a claim the world's stands still, and uploads decide nothing in it.
final class StormServer: Sendable {
    static let shared = Result { try StormServer() }
    static let station = "storm", other = "other"

    /// What a statement of the station is about, by its text.
    private static let topics: [(StormFault.Kind, [String])] = [
        (.claims, ["noafw.take(", "noafw.bind(", "noafw.renew(", "noafw.release("]), (.uploads, ["INSERT INTO noafw.runs"]),
    ]
    private static let password = "storm-word"
    /// Longer than an answer takes, shorter than anybody waits.
    private static let slowness: UInt32 = 150_000

    private struct State {
        var faults: [StormFault] = []
        var counts: [StormFault.Kind: Int] = [:]
        var isDead = false
        var log: StormLog?
    }

    /// At a statement.
    private enum Act { case pass, wait, cutBefore, cutAfter }

    private let cluster: PostgresCluster
    private let passfile: String
    private let (listener, port): (Int32, Int)
    private let state = Mutex(State())

    private init() throws {
        cluster = try PostgresCluster()
        try cluster.sql("CREATE DATABASE storm")
        try cluster.sql("BEGIN;\n\(ServerSchema.sql)\nCOMMIT;", database: "storm")
        for name in [Self.station, Self.other] {
            try cluster.sql("SELECT noafw.add_station('\(name)'); ALTER ROLE \"\(name)\" PASSWORD '\(Self.password)'", database: "storm")
        }
        passfile = try cluster.folder.write("*:*:*:*:\(Self.password)\n", to: "passfile")
        chmod(passfile, 0o600)
        (listener, port) = try Self.listen()
        let listener = listener
        Thread.detachNewThread { [self] in
            while case let client = accept(listener, nil, nil), client >= 0 || errno == EINTR || errno == ECONNABORTED {
                guard client >= 0 else { continue }
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                Thread.detachNewThread { [self] in
                    relay(client)
                    // A process that was started meanwhile may have it, too.
                    shutdown(client, Int32(SHUT_RDWR))
                    close(client)
                }
            }
        }
    }

    var address: String { "postgresql://127.0.0.1:\(port)/storm?passfile=\(passfile)" }

    /// For `truth.py`: a command that runs SQL on its standard input as the administrator.
    var command: [String] {
        [
            "\(cluster.programs)/psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", cluster.folder.path, "-p", "\(cluster.port)",
            "-U", "postgres", "storm",
        ]
    }

    func clear() throws { try cluster.sql("TRUNCATE noafw.runs, noafw.numbers, noafw.leases, noafw.serials", database: "storm") }

    /// Sets the faults of the next run.
    /// - Parameter units: addresses.
    func begin(_ faults: [StormFault], units: [String], log: StormLog) throws {
        state.withLock { $0 = State(faults: faults.filter { [.claims, .uploads].contains($0.kind) }, log: log) }
        for fault in faults where fault.kind == .claims && fault.at == 0 {
            log.reach(.claims)
            try take(units[fault.unit])
        }
    }

    /// The other station works on a unit.
    private func take(_ unit: String) throws {
        try cluster.sql(
            "SET SESSION AUTHORIZATION \(Self.other); SELECT noafw.take('\(unit)', '\(UUID().uuidString)'::uuid, 60)", database: "storm")
    }

    /// The other station is done with all of them.
    func end() throws { try cluster.sql("DELETE FROM noafw.leases WHERE holder = '\(Self.other)'", database: "storm") }

    // MARK: The socket

    private func act(on bytes: ArraySlice<UInt8>) -> Act {
        state.withLock { state in
            guard let topic = Self.topics.first(where: { $0.1.contains { bytes.contains(bytes: $0.utf8) } })?.0 else { return .pass }
            state.counts[topic, default: 0] += 1
            guard let fault = state.faults.first(where: { $0.kind == topic && $0.at == state.counts[topic] }) else { return .pass }
            state.log?.reach(topic)
            if fault.isLate { return .wait }
            state.isDead = fault.rate >= 0.8
            return fault.rate < 0.3 || state.isDead ? .cutBefore : .cutAfter
        }
    }

    private func relay(_ client: Int32) {
        guard !state.withLock(\.isDead), let server = Self.connected(to: cluster.port) else { return }
        defer { close(server) }
        var waits = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var isCut = false
        while poll(&waits, 2, -1) > 0 || errno == EINTR {
            if waits[0].revents != 0 {
                guard let bytes = Self.read(client) else { return }
                switch act(on: bytes) {
                case .pass: break
                case .wait: usleep(Self.slowness)
                case .cutBefore: return
                case .cutAfter: isCut = true
                }
                guard Self.send(bytes, to: server) else { return }
            }
            if waits[1].revents != 0 {
                guard let bytes = Self.read(server) else { return }
                // ReadyForQuery, idle: the statement is done.
                if isCut, bytes.suffix(6) == [0x5A, 0, 0, 0, 5, 0x49] { return }
                guard isCut || Self.send(bytes, to: client) else { return }
            }
        }
    }

    private static func read(_ descriptor: Int32) -> ArraySlice<UInt8>? {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? bytes.prefix(count) : nil
    }

    private static func send(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func listen() throws -> (Int32, Int) {
        let port = try PostgresCluster.freePort()
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard withAddress(port, { bind(descriptor, $0, $1) }) == 0, Glibc.listen(descriptor, 16) == 0 else {
            throw PostgresCluster.Failure(description: "no place for the storm's server: \(SystemError.last)")
        }
        return (descriptor, port)
    }

    private static func connected(to port: Int) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        if withAddress(port, { connect(descriptor, $0, $1) }) == 0 { return descriptor }
        close(descriptor)
        return nil
    }

    private static func withAddress(_ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), UInt16(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }
}
