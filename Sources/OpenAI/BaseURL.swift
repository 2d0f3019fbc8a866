import Assistant
import Foundation

/// A server's URL: `https://api.openai.com`, `http://localhost:8080`, with or without the `/v1`.
public struct BaseURL: Sendable, Hashable, CustomStringConvertible {
    public static let openAI = BaseURL(scheme: "https", host: "api.openai.com", port: 443, path: "/v1")

    let scheme: String
    public let host: String
    let port: Int
    /// Ends with the API's version.
    let path: String
}

extension BaseURL {
    /// - Throws: ``AssistantError/badBaseURL(_:)``.
    public init(_ text: String) throws(AssistantError) {
        let shown = String(text.prefix(200))
        guard text.utf8.count <= 2000, let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
            let scheme = parts.scheme?.lowercased(), scheme == "http" || scheme == "https"
        else { throw .badBaseURL(text.contains("@") ? "(not shown)" : shown) }
        // A process list shows the URL, so it must hold no password. No message repeats it.
        guard parts.user == nil, parts.password == nil else { throw .badBaseURL("(holds a user or a password)") }
        guard parts.query == nil, parts.fragment == nil else { throw .badBaseURL("(holds a query)") }
        var path = parts.percentEncodedPath
        while path.hasSuffix("/") { path.removeLast() }
        let port = parts.port ?? (scheme == "https" ? 443 : 80)
        guard (1...65_535).contains(port) else { throw .badBaseURL(shown) }
        self.init(scheme: scheme, host: host.lowercased(), port: port, path: Self.hasVersion(path) ? path : path + "/v1")
    }

    private static func hasVersion(_ path: String) -> Bool {
        path.split(separator: "/").contains { $0.first == "v" && $0.dropFirst().first?.isNumber == true }
    }

    public var description: String { origin + path }

    /// A key belongs to an origin.
    var origin: String { "\(scheme)://\(host):\(port)" }

    var isPrivateToThisMachine: Bool {
        ["localhost", "::1", "[::1]"].contains(host) || host.hasSuffix(".localhost") || Self.isLoopbackIPv4(host)
    }

    private static func isLoopbackIPv4(_ host: String) -> Bool {
        let octets = host.split(separator: ".", omittingEmptySubsequences: false).compactMap { UInt8($0) }
        return octets.count == 4 && octets[0] == 127 && host.allSatisfy { $0.isNumber || $0 == "." }
    }

    var isEncrypted: Bool { scheme == "https" }

    func endpoint(_ name: String) -> String { "\(origin)\(path)/\(name)" }
}
