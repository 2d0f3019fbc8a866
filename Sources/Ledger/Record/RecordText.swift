import Foundation
import Support

/// Text for a record, wherever it comes from: printable, bounded, without the NUL and the lone surrogates that a database refuses.
public enum RecordText {
    /// In characters of Unicode.
    public static let limit = 200
    /// Of a plan, in bytes.
    public static let planByteLimit = 65_536

    /// At most ``limit`` characters. What is not printable becomes U+FFFD.
    public static func line(_ text: String) -> String {
        let scalars = text.unicodeScalars.lazy.filter { $0.value != 0 }.prefix(limit)
        return PrintableText.of(scalars).trimmed
    }

    /// `nil` instead of an empty text: the absence of a serial number has one form.
    public static func optional(_ text: String?) -> String? {
        guard let line = text.map(line), !line.isEmpty else { return nil }
        return line
    }

    /// `-` instead of an empty text.
    public static func required(_ text: String) -> String { optional(text) ?? "-" }

    /// The same JSON; `nil` where it is none, or longer than ``planByteLimit``.
    public static func json(_ text: String?) -> String? {
        guard let text, text.utf8.count <= planByteLimit, !text.utf8.contains(0) else { return nil }
        let cleaned = withoutRefusedEscapes(text)
        guard (try? JSONSerialization.jsonObject(with: Data(cleaned.utf8))) != nil else { return nil }
        return cleaned
    }

    /// `\u0000` and the halves of surrogate pairs, which PostgreSQL refuses inside jsonb, become U+FFFD.
    private static func withoutRefusedEscapes(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count else {
                result.append(bytes[index])
                index += 1
                continue
            }
            var length = 2
            var isRefused = false
            if let first = escape(bytes, at: index) {
                let second = escape(bytes, at: index + 6)
                let isPair = (0xD800..<0xDC00).contains(first) && second.map { (0xDC00..<0xE000).contains($0) } == true
                length = isPair ? 12 : 6
                isRefused = first == 0 || !isPair && (0xD800..<0xE000).contains(first)
            }
            result += isRefused ? Array("\\ufffd".utf8) : Array(bytes[index..<min(index + length, bytes.count)])
            index += length
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The number of a `\uXXXX` that begins there.
    private static func escape(_ bytes: [UInt8], at index: Int) -> UInt32? {
        guard index + 6 <= bytes.count, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u") else { return nil }
        return UInt32(String(decoding: bytes[(index + 2)..<(index + 6)], as: UTF8.self), radix: 16)
    }
}

extension String {
    fileprivate var trimmed: String {
        let text = drop { $0 == " " }
        return String(text.reversed().drop { $0 == " " }.reversed())
    }
}
