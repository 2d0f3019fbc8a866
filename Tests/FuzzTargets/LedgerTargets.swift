import Ledger

extension FuzzTarget {
    /// A line of the spool. What is no record is kept beside it.
    static let recordLine = FuzzTarget("record-line", seeds: { try [Samples.recordLine()] }) { input in
        guard let line = try? RecordLine(line: input) else { return }
        let again = try line.encoded()
        try BrokenPromise.check(again.count <= RecordLine.byteLimit, "the line is longer than a line may be")
        try BrokenPromise.check(try RecordLine(line: again) == line, "the record is not the one that was read")
    }
}

extension Samples {
    static func recordLine() throws -> [UInt8] {
        var start = RunRecord(
            station: "line-1", unitAddress: "C0:00:00:00:00:01", family: "monocle", verb: "flash", toolVersion: "1", host: "bench")
        start.plan = #"{"steps":["\u0041"]}"#
        var record = start.begun(
            as: RunIDGenerator(now: { UTCTime(microseconds: 1_000_000) }, random: { 1 }).next(), at: UTCTime(microseconds: 1))
        record.versionsAfter = ["firmware": "v1"]
        record.steps = [RunStep(name: "firmware", startMilliseconds: 0, milliseconds: 7, bytes: 9)]
        record.close(.pass, at: UTCTime(microseconds: 2), elapsed: .seconds(1))
        return try RecordLine(owner: 1, record: record).encoded()
    }
}
