/// The word of a list that a mistyped one is likely meant to be.
public enum Nearest {
    /// - Returns: the nearest word, or the only one that begins with `word`; `nil` where more than a third of the letters differ.
    public static func of(_ word: String, among words: some Sequence<String>) -> String? {
        let typed = word.lowercased()
        let words = Array(words)
        let begun = words.filter { typed.count > 1 && $0.lowercased().hasPrefix(typed) }
        if begun.count == 1 { return begun[0] }
        let limit = max(1, typed.count / 3)
        return closest(to: word, among: words).flatMap { distance(typed, $0.lowercased()) <= limit && typed.count > 1 ? $0 : nil }
    }

    /// - Returns: the word that differs in the fewest letters, and of several the first in the alphabet; `nil` of none.
    public static func closest(to word: String, among words: some Sequence<String>) -> String? {
        let typed = word.lowercased()
        return words.map { (distance(typed, $0.lowercased()), $0) }.min { $0 < $1 }?.1
    }

    /// Letters that are wrong, missing, too many, or change places with their neighbours (optimal string alignment).
    static func distance(_ one: String, _ other: String) -> Int {
        let (a, b) = (Array(one), Array(other))
        var before = [Int](), last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var least = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, before[j - 1] + 1) }
                row.append(least)
            }
            (before, last) = (last, row)
        }
        return last[b.count]
    }
}
