/// Code on its way to a unit, as one stream that never overruns the unit's receive ring.
///
/// The 1024-byte ring holds 1023 bytes and silently drops the rest (monocle-micropython, `main.c`). Nothing is read from it
/// while code runs; an `OK` proves that it was drained up to the ^D of that code.
struct CommandPipeline {
    /// Bytes allowed past the last drained ^D.
    static let ringByteCount = 1000

    private let limit: Int
    private(set) var unsent: [UInt8] = []
    private var sent = 0
    private var drained = 0
    /// Stream ranges of the pieces not yet accepted, each with its ^D, oldest first.
    private var pieces: [Range<Int>] = []
    private var acceptedCount = 0
    private(set) var answeredCount = 0

    init(limit: Int = 16) { self.limit = limit }

    var isEmpty: Bool { pieces.isEmpty && answeredCount == acceptedCount }

    /// Unanswered pieces of which at least one byte was sent.
    var inFlight: Int { acceptedCount + pieces.prefix { $0.lowerBound < sent }.count - answeredCount }

    func wantsMore(for payloadSize: Int) -> Bool {
        unsent.count < payloadSize && acceptedCount + pieces.count - answeredCount < limit
    }

    mutating func enqueue(_ code: PythonCode) {
        let start = sent + unsent.count
        unsent += code.bytes + [Control.execute]
        pieces.append(start..<(sent + unsent.count))
    }

    /// The next bytes to send; empty while an answer has to be awaited. Avoids small packets while the unit is busy, since each
    /// costs an event.
    mutating func nextPacket(atMost limit: Int) -> [UInt8] {
        let wanted = min(limit, unsent.count)
        let length = min(wanted, allowance)
        guard length > 0, length == wanted || unitWaitsForMore else { return [] }
        let packet = Array(unsent[..<length])
        unsent.removeFirst(length)
        sent += length
        return packet
    }

    mutating func didAccept() {
        guard !pieces.isEmpty else { return }
        drained = pieces.removeFirst().upperBound
        acceptedCount += 1
    }

    mutating func didAnswer() { answeredCount = min(answeredCount + 1, acceptedCount) }

    /// Drops the pieces of which no byte was sent.
    mutating func dropUnstarted() {
        while let last = pieces.last, last.lowerBound >= sent {
            pieces.removeLast()
            unsent.removeLast(min(last.count, unsent.count))
        }
    }

    /// Nothing runs, so the unit reads the oldest piece as it arrives, however long it is.
    private var unitReads: Bool { answeredCount == acceptedCount }

    private var unitWaitsForMore: Bool { unitReads && pieces.first.map { $0.upperBound > sent } ?? false }

    private var allowance: Int {
        var limit = drained + Self.ringByteCount
        if unitReads, let first = pieces.first { limit = max(limit, first.upperBound) }
        return max(0, limit - sent)
    }
}
