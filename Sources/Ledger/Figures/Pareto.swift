public struct Pareto: Sendable, Hashable {
    public struct Bar: Sendable, Hashable {
        public var name: String
        public var count: Int
        /// The share of this bar and those before it, 0 to 1.
        public var cumulative: Double
    }

    public static let limit = 10
    public static let otherName = "other"

    public let bars: [Bar]

    /// - Parameter names: such as error codes. Makes ``limit`` bars, then one for the rest.
    public init(_ names: some Sequence<String>) { self.init(counts: names.reduce(into: [:]) { $0[$1, default: 0] += 1 }) }

    init(counts: [String: Int]) {
        let ranked = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let rest = ranked.dropFirst(Self.limit).reduce(0) { $0 + $1.value }
        let total = Double(counts.values.reduce(0, +))
        var sum = 0
        bars = (ranked.prefix(Self.limit).map { ($0.key, $0.value) } + (rest > 0 ? [(Self.otherName, rest)] : [])).map { name, count in
            sum += count
            return Bar(name: name, count: count, cumulative: Double(sum) / total)
        }
    }
}
