public struct RunFilter: Sendable, Hashable {
    public var since: UTCTime?
    /// The beginning of an identity, or its last digits.
    public var id: String?
    public var unit: String?
    public var serial: String?
    public var station: String?
    public var verb: String?
    public var outcome: RunOutcome?
    public var code: String?
    public var limit: Int?

    public init() {}
}

/// Records as they are at one moment, read one by one: they may exceed the memory.
public protocol RunSource {
    /// Passes on the matching records, in the order of writing.
    /// - Parameter part: `nil` for all.
    /// - Throws: what `body` throws, which ends the reading.
    func forEach(_ filter: RunFilter, of part: RunPart?, _ body: (RunRecord) throws -> Void) throws
}

/// The closed runs of one station between two moments, both included.
public struct RunPart: Sendable, Hashable {
    public var station: String
    public var first: UTCTime
    public var last: UTCTime

    public init(station: String, first: UTCTime, last: UTCTime) { (self.station, self.first, self.last) = (station, first, last) }
}

public struct ListedRuns: RunSource {
    private let runs: [RunRecord]

    public init(_ runs: [RunRecord]) { self.runs = runs }

    public func forEach(_ filter: RunFilter, of part: RunPart?, _ body: (RunRecord) throws -> Void) throws {
        for run in runs {
            if let part, run.isOpen || run.station != part.station || run.startedAt < part.first || part.last < run.startedAt { continue }
            try body(run)
        }
    }
}
