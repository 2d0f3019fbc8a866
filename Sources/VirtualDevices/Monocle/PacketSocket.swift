import Foundation

/// Local sockets that keep packet boundaries (SOCK_SEQPACKET), named in Linux's abstract name space.
enum PacketSocket {
    struct Failure: Error { let operation: String, code: Int32 }

    static func listen(abstractName: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(operation: "socket", code: errno) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(abstractName.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            for (index, byte) in name.prefix(path.count - 1).enumerated() { path[index + 1] = byte }
        }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.count)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard bound == 0, Foundation.listen(descriptor, 2) == 0 else {
            let code = errno
            close(descriptor)
            throw Failure(operation: "bind", code: code)
        }
        return descriptor
    }

    /// Takes a connection if it comes from `process`; anybody on the machine may try.
    static func accept(from listener: Int32, process: pid_t) -> Int32? {
        let descriptor = Foundation.accept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // struct ucred: process, user, group.
        var peer: [Int32] = [0, 0, 0]
        var length = socklen_t(MemoryLayout<Int32>.size * peer.count)
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0, peer[0] == process else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    static func send(_ packet: [UInt8], on descriptor: Int32) {
        guard descriptor >= 0 else { return }
        _ = packet.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// One packet; `nil` at the end of the connection.
    static func receive(from descriptor: Int32) -> [UInt8]? {
        let packet = [UInt8](unsafeUninitializedCapacity: 8192) { buffer, count in
            count = max(0, recv(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        return packet.isEmpty ? nil : packet
    }
}
