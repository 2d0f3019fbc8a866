/// Chooses the phrases of a book. Pairs that stand side by side most often become phrases, round by round; then what saves least
/// is left out, until the codes suffice.
enum PhraseSearch {
    /// Blocks from everywhere represent a longer image.
    private static let sampleByteCount = 64 * 1024
    private static let sampleBlock = 1024
    private static let pairsAtOnce = 12
    private static let phraseLimit = 640
    private static let fewestUses: Int32 = 3

    static func phrases(for image: [UInt8], count: Int) -> [[UInt8]] {
        let sample = sample(of: image)
        var phrases = joined(sample)
        while phrases.count > count {
            let trie = PhraseTrie(phrases.enumerated().map { ($0.element, $0.offset) })
            var uses = [Int](repeating: 0, count: phrases.count)
            for choice in trie.parse(sample) where choice >= 0 { uses[choice] += 1 }
            let savings = phrases.indices.map { uses[$0] * (trie.costOfParts(of: phrases[$0]) - 1) }
            let order = phrases.indices.sorted { (savings[$0], $1) > (savings[$1], $0) }
            // Few at a time toward the end: what is left out together may have stood in for each other.
            let kept = phrases.count > count * 3 / 2 ? phrases.count * 5 / 6 : phrases.count * 19 / 20
            phrases = order.prefix(max(count, kept)).map { phrases[$0] }
        }
        return phrases
    }

    private static func sample(of image: [UInt8]) -> [UInt8] {
        guard image.count > sampleByteCount else { return image }
        let step = image.count / (sampleByteCount / sampleBlock)
        return stride(from: 0, to: image.count - sampleBlock, by: step).flatMap { image[$0..<$0 + sampleBlock] }
    }

    private static func joined(_ sample: [UInt8]) -> [[UInt8]] {
        var phrases = (0...UInt8.max).map { [$0] }
        var sequence = sample.map { Int($0) }
        var counts = [Int32](repeating: 0, count: phraseLimit * phraseLimit)
        while phrases.count + pairsAtOnce <= phraseLimit {
            let pairs = frequentPairs(in: sequence, phrases, &counts)
            guard !pairs.isEmpty else { break }
            var numbers: [Int: Int] = [:]
            for pair in pairs {
                numbers[pair] = phrases.count
                phrases.append(phrases[pair / phraseLimit] + phrases[pair % phraseLimit])
            }
            sequence = joining(numbers, in: sequence)
        }
        return phrases
    }

    /// - Parameter counts: zeros, before and after.
    private static func frequentPairs(in sequence: [Int], _ phrases: [[UInt8]], _ counts: inout [Int32]) -> [Int] {
        var seen: [Int] = []
        for index in 1..<max(1, sequence.count) {
            let pair = sequence[index - 1] * phraseLimit + sequence[index]
            if counts[pair] == 0 { seen.append(pair) }
            counts[pair] += 1
        }
        let fitting = seen.filter {
            counts[$0] >= fewestUses && phrases[$0 / phraseLimit].count + phrases[$0 % phraseLimit].count <= PhraseBook.longestPhrase
        }
        let order = fitting.sorted { (counts[$0], $1) > (counts[$1], $0) }
        for pair in seen { counts[pair] = 0 }
        return Array(order.prefix(pairsAtOnce))
    }

    private static func joining(_ numbers: [Int: Int], in sequence: [Int]) -> [Int] {
        var next: [Int] = []
        next.reserveCapacity(sequence.count)
        var index = 0
        while index < sequence.count {
            if index + 1 < sequence.count, let number = numbers[sequence[index] * phraseLimit + sequence[index + 1]] {
                next.append(number)
                index += 2
            } else {
                next.append(sequence[index])
                index += 1
            }
        }
        return next
    }
}
