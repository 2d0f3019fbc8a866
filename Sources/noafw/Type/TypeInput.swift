import Foundation
import KeyboardFamily
import Support

/// The texts of one run. No error contains any of them.
enum TypeInput {
    /// - Parameter text: from the command line; `nil` reads standard input without its last line end.
    /// - Throws: ``KeyboardError``, ``PrivateFile/Failure``, `CancellationError`.
    static func whole(_ text: String?, _ context: CommandContext) async throws -> String {
        if let text {
            guard text.utf8.count <= TypingText.limit else { throw KeyboardError.textTooLong(limit: TypingText.limit) }
            return text
        }
        var reader = try InputReader(context)
        defer { reader.close() }
        guard var bytes = try await reader.whole(limit: TypingText.limit) else { throw KeyboardError.textTooLong(limit: TypingText.limit) }
        if bytes.last == 0x0A { bytes.removeLast() }
        if bytes.last == 0x0D { bytes.removeLast() }
        return try decode(bytes)
    }

    private static func decode(_ bytes: some Sequence<UInt8>) throws -> String {
        guard let text = String(validating: Array(bytes), as: UTF8.self) else { throw KeyboardError.notText }
        return text
    }

    /// Lines of standard input, each the whole text.
    struct Lines: Sendable {
        let context: CommandContext
        let wish: TypeWish
        /// Shows the layout's version of a line before it is typed.
        let look: @Sendable (TypingText) -> Void
        /// One for each line that may wait: delays a program that writes faster than the unit types.
        let room = Inbox<Void>()

        private static let mostWaiting = 16

        func deliver(to wishes: Inbox<TypingSession.Wish>) async throws {
            var reader = try InputReader(context)
            defer { reader.close() }
            for _ in 0..<Self.mostWaiting { room.deliver(()) }
            var pending: [UInt8] = []
            while let piece = try await reader.next() {
                pending += piece
                while let end = pending.firstIndex(of: 0x0A) {
                    try await add(pending[..<end], to: wishes)
                    pending.removeSubrange(...end)
                }
                guard pending.count <= TypingText.limit else { throw KeyboardError.textTooLong(limit: TypingText.limit) }
            }
            if !pending.isEmpty { try await add(pending[...], to: wishes) }
            wishes.deliver(.end(wish.lastKeys))
        }

        private func add(_ line: ArraySlice<UInt8>, to wishes: Inbox<TypingSession.Wish>) async throws {
            _ = try await room.next(before: context.clock.deadline(in: .forever), on: context.clock)
            let text = TypingText(try decode(line.last == 0x0D ? line.dropLast() : line), layout: wish.layout, magic: wish.magic)
            look(text)
            wishes.deliver(.text(text.items))
        }
    }
}
