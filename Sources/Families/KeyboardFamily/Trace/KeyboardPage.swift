import Foundation
import Support

/// The unit's web page: plain HTTP without a password.
public struct KeyboardPage: Sendable {
    public var url: String { "\(address)" }
    private let address: UnitURL

    /// - Returns: `nil` for anything but http, a host and a port.
    public init?(_ url: String) {
        guard let address = try? UnitURL(url) else { return nil }
        self.address = address
    }

    /// - Throws: ``KeyboardError/noTrace(url:reason:)``.
    public func trace(on clock: SessionClock) async throws -> KeyboardTrace {
        let body = try await get("/trace", clock)
        do { return try KeyboardTrace(json: body) } catch { throw KeyboardError.noTrace(url: url, reason: error.reason) }
    }

    /// The code of the unit's current layout.
    /// - Throws: ``KeyboardError/noTrace(url:reason:)``.
    public func layout(on clock: SessionClock) async throws -> String {
        struct Document: Decodable { var current: String }
        let body = try await get("/keyboard", clock)
        guard let code = try? JSONDecoder().decode(Document.self, from: Data(body)).current, code.utf8.count <= 16 else {
            throw KeyboardError.noTrace(url: url, reason: "it names no layout")
        }
        return PrintableText.of(code.unicodeScalars)
    }

    private func get(_ path: String, _ clock: SessionClock) async throws -> [UInt8] {
        do {
            let answer = try await UnitHTTP(url: address, clock: clock).get(path)
            guard answer.status == 200 else { throw KeyboardError.noTrace(url: url, reason: "it answers \(answer.status)") }
            return answer.body
        } catch OTAError.noAnswer(_, let reason), OTAError.notUnderstood(_, let reason) {
            throw KeyboardError.noTrace(url: url, reason: reason)
        }
    }
}
