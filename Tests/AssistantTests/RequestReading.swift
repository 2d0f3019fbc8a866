import Foundation
import Synchronization
import TestSupport

/// Numbers from 1.
final class Counter: Sendable {
    private let value = Mutex(0)
    func next() -> Int {
        value.withLock { value in
            value += 1
            return value
        }
    }
}

/// A `multipart/form-data` body taken apart, strictly.
struct MultipartReader {
    struct Malformed: Error {}
    struct Part {
        var head: String
        var body: [UInt8]
    }

    var parts: [String: Part] = [:]

    init(_ request: LocalServer.Request) throws {
        guard let type = request.header("Content-Type"), let mark = type.range(of: "multipart/form-data; boundary=")
        else { throw Malformed() }
        let boundary = Array("--\(type[mark.upperBound...])".utf8)
        var rest = request.body[...]
        guard rest.starts(with: boundary), rest.suffix(boundary.count + 4).elementsEqual(boundary + Array("--\r\n".utf8)) else {
            throw Malformed()
        }
        rest = rest.dropFirst(boundary.count + 2)
        while let end = rest.firstRange(of: Array("\r\n".utf8) + boundary) {
            let content = rest[..<end.lowerBound]
            guard let headEnd = content.firstRange(of: Array("\r\n\r\n".utf8)) else { throw Malformed() }
            let head = String(decoding: content[..<headEnd.lowerBound], as: UTF8.self)
            guard let name = head.firstMatch(of: /form-data; name="([^"]*)"/)?.1 else { throw Malformed() }
            parts[String(name)] = Part(head: head, body: Array(content[headEnd.upperBound...]))
            rest = rest[end.upperBound...].dropFirst(2)
        }
    }

    func text(_ name: String) -> String? { parts[name].map { String(decoding: $0.body, as: UTF8.self) } }
}
