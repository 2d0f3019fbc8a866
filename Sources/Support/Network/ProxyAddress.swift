import FoundationEssentials

/// An HTTP proxy as the environment names one.
public struct ProxyAddress: Sendable, Hashable, CustomStringConvertible {
    /// A name or an address, without brackets.
    public var host: String
    /// 1 to 65535.
    public var port: Int
    public var description: String { "\(host):\(port)" }

    /// As given; nothing is checked.
    public init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    /// - Parameter text: `HOST:PORT`, perhaps with `http://` and a slash.
    public init?(_ text: String) {
        let text = text.hasPrefix("http://") ? text : "http://" + text
        guard text.utf8.count <= 300, let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
            let port = parts.port, (1...65_535).contains(port), parts.path.isEmpty || parts.path == "/", parts.user == nil,
            parts.password == nil, parts.query == nil, parts.fragment == nil
        else { return nil }
        self.init(host: host, port: port)
    }
}

extension ProxyAddress {
    /// What the environment says of one host, as curl reads it.
    public enum Choice: Sendable, Hashable {
        /// No proxy for this host.
        case direct
        /// Everything to this host goes through it.
        case proxy(ProxyAddress)
        /// The variable that holds no proxy; its value may be a secret.
        case unusable(variable: String)
    }

    /// Reads `https_proxy`, `http_proxy` and `no_proxy`.
    public static func choose(for host: String, isEncrypted: Bool, environment: [String: String]) -> Choice {
        func variable(_ name: String) -> String? {
            // HTTP_PROXY in capitals may come from a request's header in a CGI program.
            let names = name == "http_proxy" ? [name] : [name, name.uppercased()]
            return names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        let names = [isEncrypted ? "https_proxy" : "http_proxy", "all_proxy"]
        guard let name = names.first(where: { variable($0) != nil }), let text = variable(name), !isExempt(host, from: variable("no_proxy"))
        else { return .direct }
        return ProxyAddress(text).map { .proxy($0) } ?? .unusable(variable: name)
    }

    /// A name in the list covers everything below it.
    private static func isExempt(_ host: String, from list: String?) -> Bool {
        (list ?? "").lowercased().split(whereSeparator: { $0 == "," || $0 == " " }).contains { entry in
            let name = entry.drop { $0 == "." }
            return entry == "*" || host == name || host.hasSuffix(".\(name)")
        }
    }
}
