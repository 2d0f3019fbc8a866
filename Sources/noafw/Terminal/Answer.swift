import Bluetooth
import Support

struct Answer {
    var isYes: Bool

    private static let limit = 1000

    static func read(_ context: CommandContext) async throws -> Answer {
        let pieces = Inbox<[UInt8]?>()
        let typed = try context.input.open(.lines) { pieces.deliver($0) }
        defer { typed.close() }
        var line: [UInt8] = []
        while line.count < limit, !line.contains(0x0A) {
            typed.more()
            let piece = try await pieces.next(before: context.clock.deadline(in: .forever), on: context.clock)
            guard let bytes = piece ?? nil else { break }
            line += bytes
        }
        let text = String(decoding: line, as: UTF8.self).lowercased().filter { !$0.isWhitespace }
        return Answer(isYes: text == "y" || text == "yes")
    }
}
