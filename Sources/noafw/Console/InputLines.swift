import Bluetooth
import REPL
import Support

/// The lines of standard input, read as they are asked for.
struct InputLines {
    private let clock: SessionClock
    /// Bytes of one line.
    private let limit: Int
    private let pieces = Inbox<[UInt8]?>()
    private let typed: any TypedInput
    private var pending: [UInt8] = []
    private var hasEnded = false

    init(_ context: CommandContext, limit: Int) throws {
        (clock, self.limit) = (context.clock, limit)
        typed = try context.input.open(.lines) { [pieces] in pieces.deliver($0) }
    }

    /// - Returns: `nil` at the end of the input.
    /// - Throws: ``CommandError/statementTooLong(limit:)``, `CancellationError`.
    mutating func next() async throws -> String? {
        while true {
            if let line = try takeLine() { return line }
            guard !hasEnded else { return nil }
            typed.more()
            let piece = try await pieces.next(before: clock.deadline(in: .forever), on: clock) ?? nil
            hasEnded = piece == nil
            pending += piece ?? []
        }
    }

    private mutating func takeLine() throws(CommandError) -> String? {
        let end = pending.firstIndex(of: 0x0A) ?? (hasEnded && !pending.isEmpty ? pending.endIndex : nil)
        guard end ?? pending.count <= limit else { throw .statementTooLong(limit: limit) }
        guard let end else { return nil }
        defer { pending.removeSubrange(..<min(end + 1, pending.count)) }
        let line = pending[..<end]
        return String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
    }

    func close() { typed.close() }
}
