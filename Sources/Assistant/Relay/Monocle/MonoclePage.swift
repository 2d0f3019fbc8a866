/// The text on a Monocle's display: what it holds, what may still go to it, and which packets bring it there.
///
/// A program that keeps all of its text gets no more than its memory holds; one that rolls keeps the newest rows by itself.
struct MonoclePage {
    let limits: MonocleRelay.Limits
    /// The program keeps the newest rows only, however much comes. Others keep all of it until the next recording.
    var rolls = false
    /// The display shows an answer, which a complaint would replace.
    private(set) var showsAnswer = false
    /// What became of the last text's characters.
    private(set) var folding = TextFolding()
    /// Heap that holds the text since the display was cleared for certain.
    private var heldHeap = 0
    private var answer = DisplayText(room: .init())

    init(limits: MonocleRelay.Limits) { self.limits = limits }

    var isEmpty: Bool { heldHeap == 0 }

    mutating func clear() { (showsAnswer, heldHeap) = (false, 0) }

    /// Pieces of an answer as the display's font has it.
    mutating func pieces(ofAnswer text: String, isFirst: Bool, capacity: Int) -> [String] {
        if isFirst { answer = DisplayText(room: .init(heap: heap(of: limits.textHeap))) }
        let shown = answer.take(text)
        folding = answer.folding
        guard !shown.isEmpty else { return [] }
        showsAnswer = true
        return TextChunker.pieces(of: separated(shown, if: isFirst), atMostBytes: capacity)
    }

    /// An error as the display's font has it, in one piece: a second one would replace the first. `nil` when nothing is left of it.
    /// - Parameter isAnswer: whether it is what a question got for an answer, and not a complaint beside one.
    mutating func error(_ text: String, capacity: Int, isAnswer: Bool) -> String? {
        let room = DisplayText.Room(bytes: capacity - (isEmpty ? 0 : 1), heap: heap(of: limits.textHeap + limits.errorHeap))
        let shown = DisplayText.whole(text, room: room)
        if isAnswer { folding = shown.folding }
        guard !shown.text.isEmpty else { return nil }
        showsAnswer = false
        return separated(shown.text, if: true)
    }

    private func heap(of limit: Int) -> Int { rolls ? .max : limit - heldHeap }

    /// A new text goes to a line of its own: a program may append it to what it shows. Ours pass over a line end at the top.
    private mutating func separated(_ text: String, if isFirst: Bool) -> String {
        let result = isFirst && !isEmpty ? "\n\(text)" : text
        heldHeap += DisplayText.HeapBytes.held(by: result)
        return result
    }
}
