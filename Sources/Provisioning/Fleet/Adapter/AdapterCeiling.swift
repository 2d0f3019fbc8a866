/// The number of simultaneous links on an adapter. It cannot be read: it is assumed, and lowered by experience.
public struct AdapterCeiling: Sendable, Hashable {
    /// What small adapters manage (CSR8510), and what Home Assistant assumes (bluetooth-adapters, `const.py`).
    public static let assumed = 5

    public private(set) var links = assumed

    public init() {}

    /// The adapter refused a link.
    /// - Parameter others: links that were up, including other programs'.
    /// - Returns: whether it was full. With no other link up the refusal has another reason.
    public mutating func refused(besides others: Int) -> Bool {
        guard others > 0 else { return false }
        links = max(1, links - 1)
        return true
    }
}
