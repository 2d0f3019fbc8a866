import Assistant

/// The text on a Monocle's display.
struct MonoclePage {
    /// Text heap of a program that keeps everything. Of 39,936 bytes Noa's scripts, their imports and a frame leave about 19,000; a
    /// quarter of that is for fragments. About 1300 characters.
    private static let textHeap = 14_000
    /// More, for errors on a full display.
    private static let errorHeap = 1500

    /// The program keeps only the newest rows. Others keep everything until the next recording.
    var rolls = false
    /// The display shows an answer, which a complaint would replace.
    private(set) var showsAnswer = false
    private(set) var folding = TextFolding()
    /// Heap of the text since the display was certainly cleared.
    private var heldHeap = 0
    private var answer = DisplayText(room: .init())

    var isEmpty: Bool { heldHeap == 0 }

    mutating func clear() { (showsAnswer, heldHeap) = (false, 0) }

    mutating func pieces(ofAnswer text: String, isFirst: Bool, capacity: Int) -> [String] {
        if isFirst { answer = DisplayText(room: .init(heap: heap(of: Self.textHeap))) }
        let shown = answer.take(text)
        folding = answer.folding
        guard !shown.isEmpty else { return [] }
        showsAnswer = true
        return PlainText.pieces(of: separated(shown, if: isFirst), atMostBytes: capacity)
    }

    /// In one piece: a second one would replace the first. `nil` when nothing is left of it.
    /// - Parameter isAnswer: it answers a question and does not interrupt one.
    mutating func error(_ text: String, capacity: Int, isAnswer: Bool) -> String? {
        let room = DisplayText.Room(bytes: capacity - (isEmpty ? 0 : 1), heap: heap(of: Self.textHeap + Self.errorHeap))
        let shown = DisplayText.whole(text, room: room)
        if isAnswer { folding = shown.folding }
        guard !shown.text.isEmpty else { return nil }
        showsAnswer = false
        return separated(shown.text, if: true)
    }

    private func heap(of limit: Int) -> Int { rolls ? .max : limit - heldHeap }

    /// Puts a new text on its own line, because a program may append it to its display. Ours ignore a line end at the top.
    private mutating func separated(_ text: String, if isFirst: Bool) -> String {
        let result = isFirst && !isEmpty ? "\n\(text)" : text
        heldHeap += DisplayText.heapBytes(of: result)
        return result
    }
}
