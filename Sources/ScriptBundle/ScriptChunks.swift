import Cryptography
import REPL

/// One append command and the part of the file it carries.
struct ScriptChunk: Sendable, Hashable {
    let range: Range<Int>
    let code: PythonCode
}

/// Cuts a file into `_ns.a(offset,check,b'…')` commands that fit the unit's ring.
struct ScriptChunks: Sequence, IteratorProtocol {
    /// `_ns.a(` 6, offset 7, check 10, two commas, `b''` 3, closing parenthesis.
    private static let frameByteCount = 29

    private let bytes: [UInt8]
    private var offset: Int

    init(of bytes: [UInt8], from offset: Int) {
        self.bytes = bytes
        self.offset = offset
    }

    mutating func next() -> ScriptChunk? {
        var room = PythonCode.maximumPipelinedByteCount - Self.frameByteCount
        var end = offset
        while end < bytes.count {
            room -= PythonLiteral.cost(of: bytes[end], before: end + 1 < bytes.count ? bytes[end + 1] : nil)
            guard room >= 0 else { break }
            end += 1
        }
        guard offset < end else { return nil }
        let piece = bytes[offset..<end]
        let head = Array("_ns.a(\(offset),\(SHA256.number(of: piece)),".utf8)
        // A literal and digits hold no forbidden byte.
        guard let code = try? PythonCode(bytes: head + PythonLiteral.bytes(piece) + [UInt8(ascii: ")")]) else { return nil }
        defer { offset = end }
        return ScriptChunk(range: offset..<end, code: code)
    }
}
