/// Finds which phrases begin at a place, and divides content into the fewest.
struct PhraseTrie: Sendable {
    /// What a byte without a phrase costs, in codes.
    private static let exceptionCost: Int32 = 1 + Int32(PhraseBook.exceptionByteCount)

    /// 256 for each node; 0: none.
    private var children = [Int16](repeating: 0, count: 256)
    /// The phrase that ends at a node; −1: none.
    private var ends: [Int16] = [-1]

    /// - Parameter phrases: each with its code or number.
    init(_ phrases: [(bytes: [UInt8], number: Int)]) {
        for phrase in phrases {
            var node = 0
            for byte in phrase.bytes {
                let place = node << 8 | Int(byte)
                if children[place] == 0 {
                    children[place] = Int16(ends.count)
                    ends.append(-1)
                    children += repeatElement(0, count: 256)
                }
                node = Int(children[place])
            }
            ends[node] = Int16(phrase.number)
        }
    }

    /// - Parameter isDivided: does not take the whole content as one phrase.
    /// - Returns: numbers of phrases in order; −1 for a byte without one.
    func parse(_ content: [UInt8], isDivided: Bool = false) -> [Int] {
        let steps = steps(through: content, isDivided: isDivided)
        var choices: [Int] = []
        var position = 0
        while position < content.count {
            choices.append(Int(steps.choices[position]))
            position += Int(steps.lengths[position])
        }
        return choices
    }

    /// How many codes the content costs if it is no phrase itself.
    func costOfParts(of phrase: [UInt8]) -> Int {
        parse(phrase, isDivided: true).reduce(0) { $0 + ($1 < 0 ? Int(Self.exceptionCost) : 1) }
    }

    /// From the end to the start: the cheapest way on from each place.
    private func steps(through content: [UInt8], isDivided: Bool) -> (choices: [Int16], lengths: [Int16]) {
        let count = content.count
        var costs = [Int32](repeating: 0, count: count + 1)
        var (choices, lengths) = ([Int16](repeating: -1, count: count), [Int16](repeating: 1, count: count))
        // In a debug build bare pointers and loops take a third of the time.
        content.withUnsafeBufferPointer { content in
            costs.withUnsafeMutableBufferPointer { costs in
                guard let content = content.baseAddress, let costs = costs.baseAddress else { return }
                var start = count - 1
                while start >= 0 {
                    var (best, choice, length) = (costs[start + 1] + Self.exceptionCost, Int16(-1), 1)
                    visitPhrases(of: content, start, count) { phrase, end in
                        guard costs[end] < best, !(isDivided && end - start == count) else { return }
                        (best, choice, length) = (costs[end] + 1, phrase, end - start)
                    }
                    (costs[start], choices[start], lengths[start]) = (best, choice, Int16(length))
                    start -= 1
                }
            }
        }
        return (choices, lengths)
    }

    /// From the shortest to the longest.
    private func visitPhrases(
        of content: UnsafePointer<UInt8>, _ start: Int, _ count: Int, _ visit: (_ phrase: Int16, _ end: Int) -> Void
    ) {
        children.withUnsafeBufferPointer { children in
            ends.withUnsafeBufferPointer { ends in
                guard let children = children.baseAddress, let ends = ends.baseAddress else { return }
                var (node, end) = (0, start)
                while end < count {
                    node = Int(children[node << 8 | Int(content[end])])
                    if node == 0 { return }
                    end += 1
                    if ends[node] >= 0 { visit(ends[node], end) }
                }
            }
        }
    }
}
