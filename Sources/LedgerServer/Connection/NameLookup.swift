import Glibc
import Support

/// Addresses of hosts by the machine's resolver. It may wait for long, and nothing can end it: only for a thread of its own.
enum NameLookup {
    /// Of one host.
    static let addressLimit = 8

    /// A folder of sockets stays as it is.
    /// - Parameter ports: for each host, or one for all.
    static func resolve(_ hosts: [String], ports: [String]) throws(ServerFault) -> [(host: String, port: String?, address: String)] {
        var result: [(String, String?, String)] = []
        var failure: String?
        for (index, host) in hosts.enumerated() {
            let port = ports.count == 1 ? ports[0] : ports.indices.contains(index) ? ports[index] : nil
            guard !host.isEmpty, !host.hasPrefix("/") else {
                result.append((host, port, ""))
                continue
            }
            switch addresses(of: host) {
            case .success(let addresses): result += addresses.map { (host, port, $0) }
            case .failure(let fault): failure = fault.reason
            }
        }
        guard !result.isEmpty else { throw .lost(failure ?? "no host is named") }
        return result
    }

    private static func addresses(of host: String) -> Result<[String], ServerFault> {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &list)
        guard status == 0 else { return .failure(.lost("\(Redaction.line(host)): \(String(cString: gai_strerror(status)))")) }
        defer { freeaddrinfo(list) }
        var found: [String] = []
        var next = list
        while let entry = next?.pointee, found.count < addressLimit {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            if getnameinfo(entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 {
                found.append(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
            }
            next = entry.ai_next
        }
        return .success(found)
    }
}
