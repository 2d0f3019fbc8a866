import Foundation

/// How much of its seeds and cuts a test walks: `NOAFW_TESTS` is `quick` in `make test`, `full` in `make test-full`.
package enum TestRange {
    /// Unset where a person runs single tests.
    static let wanted = ProcessInfo.processInfo.environment["NOAFW_TESTS"]

    package static let isFull = wanted == "full"

    /// Seeds for a walk: all in `make test-full`, and those of `NOAFW_SEEDS`, such as `100-199`, where it is set: several processes share
    /// a long walk.
    package static func seeds(_ count: UInt64, quick: [UInt64]) -> [UInt64] {
        let ends = (ProcessInfo.processInfo.environment["NOAFW_SEEDS"] ?? "").split(separator: "-").compactMap { UInt64($0) }
        if let first = ends.first, let last = ends.last, first <= last { return Array(first...last) }
        return of(Array(0..<count), quick: quick)
    }

    /// The whole range, or the part that holds each kind of case.
    package static func of<Value>(_ whole: [Value], quick: [Value]) -> [Value] { isFull ? whole : quick }
}
