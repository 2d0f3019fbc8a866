/// Gathers small pieces of text, so that each is not a system call.
enum TextPieces {
    private static let size = 64 << 10

    /// - Parameter body: is handed what takes the pieces.
    static func gather<Value>(
        into write: @escaping (String) throws -> Void, _ body: ((String) throws -> Void) throws -> Value
    ) throws -> Value {
        var text = ""
        let value = try body { piece in
            text += piece
            guard text.utf8.count >= size else { return }
            try write(text)
            text.removeAll(keepingCapacity: true)
        }
        try write(text)
        return value
    }
}
