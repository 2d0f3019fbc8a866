/// How long something took. Durations are skewed, so a mean and a deviation say little.
public struct Durations: Sendable, Hashable {
    private let sorted: [Double]

    public init(_ values: some Sequence<Double>) { sorted = values.filter(\.isFinite).sorted() }

    public var count: Int { sorted.count }
    public var median: Double? { percentile(50) }
    public var p95: Double? { percentile(95) }
    public var longest: Double? { sorted.last }

    /// Interpolates between two values (method 7 of Hyndman and Fan, 1996).
    public func percentile(_ percent: Double) -> Double? {
        guard let last = sorted.indices.last, percent >= 0, percent <= 100 else { return nil }
        let place = Double(last) * percent / 100
        let below = Int(place)
        let above = min(below + 1, last)
        return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
    }

    /// The number of values from each edge to before the next; the last range includes its end.
    public func histogram(_ edges: [Double]) -> [Int] {
        zip(edges, edges.dropFirst()).enumerated().map { index, range in
            sorted.count { range.0 <= $0 && ($0 < range.1 || index == edges.count - 2 && $0 == range.1) }
        }
    }

    public var shortest: Double? { sorted.first }
}
