import Support

/// Standard input in pieces, each on demand.
struct InputReader {
    private let clock: SessionClock
    private let pieces = Inbox<[UInt8]?>()
    private let typed: any TypedInput
    private var hasEnded = false

    init(_ context: CommandContext) throws {
        clock = context.clock
        typed = try context.input.open(.lines) { [pieces] in pieces.deliver($0) }
    }

    /// - Returns: `nil` at the end.
    mutating func next() async throws -> [UInt8]? {
        guard !hasEnded else { return nil }
        typed.more()
        let piece = try await pieces.next(before: clock.deadline(in: .forever), on: clock) ?? nil
        hasEnded = piece == nil
        return piece
    }

    /// All of it.
    /// - Returns: `nil` where there are more bytes than the limit.
    mutating func whole(limit: Int) async throws -> [UInt8]? {
        var bytes: [UInt8] = []
        while let piece = try await next() {
            bytes += piece
            guard bytes.count <= limit else { return nil }
        }
        return bytes
    }

    func close() { typed.close() }
}
