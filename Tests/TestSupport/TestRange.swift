import Foundation

/// How much of its seeds and cuts a test walks: `NOAFW_TESTS` is `quick` in `make test`, `full` in `make test-full`.
package enum TestRange {
    /// Unset where a person runs single tests.
    static let wanted = ProcessInfo.processInfo.environment["NOAFW_TESTS"]

    package static let isFull = wanted == "full"

    /// The whole range, or the part that holds each kind of case.
    package static func of<Value>(_ whole: [Value], quick: [Value]) -> [Value] { isFull ? whole : quick }
}
