import Glibc
import TestSupport

/// A server on loopback whose machine takes each connection, and that never says a word: it hangs, or was stopped.
final class SilentServer: Sendable {
    let port: Int
    private let descriptor: Int32

    init() throws {
        port = try PostgresCluster.freePort()
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_in()
        (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), in_port_t(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let descriptor = descriptor
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isBound, listen(descriptor, 16) == 0 else { throw PostgresCluster.Failure(description: "no silent server") }
    }

    deinit { close(descriptor) }

    /// Returns when somebody waits for its answer. The connection stays open.
    func untilAsked() async {
        while accept(descriptor, nil, nil) < 0 { await Task.yield() }
    }

    var address: String { "postgresql://127.0.0.1:\(port)/noafw" }
}
