/// Pieces of code on their way to a unit, as one stream of bytes that never overruns the unit's receive ring.
///
/// The ring of 1024 bytes holds 1023 and drops silently what does not fit (monocle-micropython, `main.c`). While code runs
/// nothing is read from it; an `OK` proves that it was drained up to the ^D of that code.
public struct CommandPipeline: Sendable {
    /// Bytes allowed beyond the last drained ^D.
    public static let ringByteCount = 1000

    private var unsent: [UInt8] = []
    private var sent = 0
    private var drained = 0
    /// Where the pieces that were not accepted yet lie in the stream, each with its ^D, oldest first.
    private var pieces: [Range<Int>] = []
    private var acceptedCount = 0
    private var answeredCount = 0

    public init() {}

    /// Every piece was sent and answered.
    public var isEmpty: Bool { pieces.isEmpty && answeredCount == acceptedCount }

    /// Bytes that wait to be sent.
    public var backlog: Int { unsent.count }

    /// Pieces of which at least one byte was sent.
    public var startedCount: Int { acceptedCount + pieces.prefix { $0.lowerBound < sent }.count }

    public mutating func enqueue(_ code: PythonCode) {
        let start = sent + unsent.count
        unsent += code.bytes
        unsent.append(Control.execute)
        pieces.append(start..<(sent + unsent.count))
    }

    /// The next bytes to send; empty when an answer has to be waited for.
    /// - Parameter limit: the largest packet in bytes. Smaller ones are avoided while the unit has work, since each costs an event.
    public mutating func nextPacket(atMost limit: Int) -> [UInt8] {
        let wanted = min(limit, unsent.count)
        let length = min(wanted, allowance)
        guard length > 0, length == wanted || unitWaitsForMore else { return [] }
        let packet = Array(unsent[..<length])
        unsent.removeFirst(length)
        sent += length
        return packet
    }

    public mutating func didAccept() {
        guard !pieces.isEmpty else { return }
        drained = pieces.removeFirst().upperBound
        acceptedCount += 1
    }

    public mutating func didAnswer() { answeredCount = min(answeredCount + 1, acceptedCount) }

    /// Forgets the pieces of which no byte was sent.
    public mutating func dropUnstarted() {
        while let last = pieces.last, last.lowerBound >= sent {
            pieces.removeLast()
            unsent.removeLast(min(last.count, unsent.count))
        }
    }

    /// Nothing runs, so the unit reads the oldest piece as it arrives, however long it is.
    private var unitReads: Bool { answeredCount == acceptedCount }

    private var unitWaitsForMore: Bool { unitReads && pieces.first.map { $0.upperBound > sent } ?? false }

    /// Bytes the ring can take now.
    private var allowance: Int {
        var limit = drained + Self.ringByteCount
        if unitReads, let first = pieces.first { limit = max(limit, first.upperBound) }
        return max(0, limit - sent)
    }
}
