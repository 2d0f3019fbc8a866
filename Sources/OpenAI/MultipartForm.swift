/// A `multipart/form-data` body (RFC 7578).
struct MultipartForm {
    /// 128 random bits: no content holds it by accident.
    let boundary = "noafw-" + (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
    private var content: [UInt8] = []

    var contentType: String { "multipart/form-data; boundary=\(boundary)" }
    var body: [UInt8] { content + Array("--\(boundary)--\r\n".utf8) }

    /// - Parameter name: from this program, without quotation marks.
    mutating func add(_ name: String, _ value: String) {
        content += Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
    }

    mutating func add(_ name: String, fileName: String, type: String, _ bytes: [UInt8]) {
        let disposition = "Content-Disposition: form-data; name=\"\(name)\"; filename=\"\(fileName)\""
        content += Array("--\(boundary)\r\n\(disposition)\r\nContent-Type: \(type)\r\n\r\n".utf8) + bytes + Array("\r\n".utf8)
    }
}
