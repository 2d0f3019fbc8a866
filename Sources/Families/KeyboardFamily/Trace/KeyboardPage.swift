import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Support

/// The unit's web page: plain HTTP without a password.
public struct KeyboardPage: Sendable {
    /// In bytes.
    private static let bodyLimit = 64 << 10
    private static let timeout = TimeAmount.seconds(10)

    public let url: String

    /// - Returns: `nil` for anything but http, a host and a port.
    public init?(_ url: String) {
        guard url.utf8.count <= 255, let parts = URLComponents(string: url), parts.scheme?.lowercased() == "http",
            let host = parts.host, !host.isEmpty, parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil,
            parts.path.isEmpty || parts.path == "/"
        else { return nil }
        self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
    }

    /// - Throws: ``KeyboardError/noTrace(url:reason:)``.
    public func trace() async throws -> KeyboardTrace {
        let body = try await get("/trace")
        do { return try KeyboardTrace(json: body) } catch { throw KeyboardError.noTrace(url: url, reason: error.reason) }
    }

    /// The code of the layout that the unit uses.
    /// - Throws: ``KeyboardError/noTrace(url:reason:)``.
    public func layout() async throws -> String {
        struct Document: Decodable { var current: String }
        let body = try await get("/keyboard")
        guard let code = try? JSONDecoder().decode(Document.self, from: Data(body)).current, code.utf8.count <= 16 else {
            throw KeyboardError.noTrace(url: url, reason: "it names no layout")
        }
        return PrintableText.of(code.unicodeScalars)
    }

    private func get(_ path: String) async throws -> [UInt8] {
        do {
            let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url + path), timeout: Self.timeout)
            guard response.status == .ok else { throw KeyboardError.noTrace(url: url, reason: "it answers \(response.status.code)") }
            return Array(try await response.body.collect(upTo: Self.bodyLimit).readableBytesView)
        } catch let error as KeyboardError {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch is NIOTooManyBytesError {
            throw KeyboardError.noTrace(url: url, reason: "its answer is too long")
        } catch {
            throw KeyboardError.noTrace(url: url, reason: "it is not reached")
        }
    }
}
