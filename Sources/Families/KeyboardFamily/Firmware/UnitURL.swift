import Foundation
import Support

/// A unit's URL: `http://ios-keyboard.local`, `http://192.168.1.20`, `http://127.0.0.1:8080`.
struct UnitURL: Sendable, Hashable, CustomStringConvertible {
    let host: String
    let port: Int

    /// - Throws: ``OTAError/badURL(_:)``.
    init(_ text: String) throws(OTAError) {
        guard text.utf8.count <= 200, let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
            parts.scheme?.lowercased() == "http", ["", "/"].contains(parts.percentEncodedPath),
            parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil, (1...65_535).contains(parts.port ?? 80)
        else { throw .badURL(text.contains("@") ? "(not shown)" : PrintableText.ascii(text)) }
        // Foundation keeps the brackets around an IPv6 address.
        self.host = host.lowercased().trimmingCharacters(in: ["[", "]"])
        port = parts.port ?? 80
    }

    /// In the form of an HTTP request.
    var authority: String { (host.contains(":") ? "[\(host)]" : host) + (port == 80 ? "" : ":\(port)") }
    var description: String { "http://\(authority)" }
}
