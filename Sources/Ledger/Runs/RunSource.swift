/// Records as they are at one moment, read one after another: there may be more than the memory holds.
public protocol RunSource {
    /// Hands over the records that fit, in the order of writing.
    /// - Parameter part: of them; `nil` for all.
    /// - Throws: what `body` throws, which ends the reading.
    func forEach(_ filter: RunFilter, of part: RunPart?, _ body: (RunRecord) throws -> Void) throws
}

/// The closed runs of one station between two moments, both included.
public struct RunPart: Sendable, Hashable {
    public var station: String
    public var first: UTCTime
    public var last: UTCTime

    public init(station: String, first: UTCTime, last: UTCTime) { (self.station, self.first, self.last) = (station, first, last) }

    public func contains(_ run: RunRecord) -> Bool {
        !run.isOpen && run.station == station && (first...max(first, last)).contains(run.startedAt)
    }
}

/// Records that are in memory, and fit.
public struct ListedRuns: RunSource {
    private let runs: [RunRecord]

    public init(_ runs: [RunRecord]) { self.runs = runs }

    public func forEach(_ filter: RunFilter, of part: RunPart?, _ body: (RunRecord) throws -> Void) throws {
        for run in runs where part?.contains(run) ?? true { try body(run) }
    }
}
