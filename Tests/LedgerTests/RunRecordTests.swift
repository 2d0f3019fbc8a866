import Foundation
import Support
import Testing

@testable import Ledger

@Suite struct RunRecordTests {
    private func record(_ change: (inout RunRecord) -> Void = { _ in }) -> RunRecord {
        var start = RunRecord(station: "line", unitAddress: "AA", family: "monocle", verb: "flash", toolVersion: "1", host: "h")
        change(&start)
        return start.begun(as: RunIDGenerator().next(), at: UTCTime(microseconds: 1)).bounded
    }

    @Test func nowIsTheSystemsTime() {
        #expect(abs(UTCTime.now.microseconds - UTCTime(Date()).microseconds) < 60_000_000)
        #expect(UTCTime(Date(timeIntervalSince1970: 1.5)).microseconds == 1_500_000)
    }

    @Test func runsOfTheSameTimeHaveDifferentShortTexts() {
        let ids = RunIDGenerator()
        #expect(Set((0..<100).map { _ in ids.next().shortText }).count == 100)
    }

    @Test func textsOfAUnitAreHarmless() {
        let text = record {
            $0.serial = "  "
            $0.operatorName = ""
            $0.family = "a\u{0}b\u{1B}[31m\u{202E}"
            $0.unitAddress = String(repeating: "é", count: 5000)
            $0.station = "\u{0}"
        }
        #expect(text.serial == nil && text.operatorName == nil && text.station == "-")
        #expect(text.family == "ab\u{FFFD}[31m\u{FFFD}")
        #expect(text.unitAddress.unicodeScalars.count == 200)
    }

    /// What PostgreSQL's jsonb refuses would block every record behind it.
    @Test func aPlanIsJSONThatADatabaseTakes() {
        #expect(RecordText.json(#"{"a":"\u0000x\\u0000"}"#) == #"{"a":"\ufffdx\\u0000"}"#)
        #expect(RecordText.json(#"["\ud83d\ude00","\ud83d","\ude00\ud83d\u0041"]"#) == #"["\ud83d\ude00","\ufffd","\ufffd\ufffd\u0041"]"#)
        #expect(RecordText.json(#"{"a":1}"#) == #"{"a":1}"#)
        for text in ["", "{", #"{"a":"\u00"}"#, "[\"\u{0}\"]", "[" + String(repeating: "1,", count: 40_000) + "1]"] {
            #expect(RecordText.json(text) == nil)
        }
        #expect(RecordText.json(nil) == nil)
    }

    @Test func theLongestRecordFitsALine() throws {
        var long = record()
        let text = String(repeating: "\"", count: 1000)
        for index in 0..<300 {
            long.steps.append(
                RunStep(name: text, startMilliseconds: .max, milliseconds: 1, bytes: .max, retries: .max, outcome: .timeout, code: text))
            for path in [\RunRecord.versionsBefore, \.versionsAfter, \.digests] { long[keyPath: path]["\(index)" + text] = text }
        }
        long.plan = "[\"" + String(repeating: "\\\"", count: 32_000) + "\"]"
        long = long.bounded
        let line = try RecordLine(owner: 1, record: long).encoded()
        #expect(line.count < RecordLine.byteLimit, "\(line.count)")
        #expect(try RecordLine(line: line).record == long && long.steps.count == 256 && long.plan != nil)
        #expect([long.versionsBefore, long.versionsAfter, long.digests].map(\.count) == [32, 32, 32])
    }

    /// A field without a row would be written nowhere.
    @Test func everyFieldIsAColumn() throws {
        var full = record { $0.plan = #"{"seed":18446744073709551615,"a":[1,-2,0.5,true,null,"x"]}"# }
        full.close(RunVerdict(diagnose(CancellationError())), at: UTCTime(microseconds: 2), elapsed: .seconds(1))
        for path in [
            \RunRecord.epoch, \.fixture, \.adapter, \.operatorName, \.workOrder, \.part, \.batch, \.serial, \.bundleDigest, \.bundleSigner
        ] {
            full[keyPath: path] = "x"
        }
        (full.seq, full.attemptOf, full.rssi, full.battery, full.claim, full.claimToken) = (1, full.id, -60, 50, .held, 7)
        #expect(Mirror(reflecting: full).children.count == RunColumn.all.count)
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(full)) as? [String: Any]
        #expect(Set(object?.keys ?? [:].keys) == Set(RunColumn.all.map(\.name)))
        #expect(
            object?["started_at"] as? String == "1970-01-01T00:00:00.000001Z"
                && object?["ended_at"] as? String == "1970-01-01T00:00:00.000002Z")
        #expect((object?["plan"] as? [String: Any])?["seed"] as? UInt64 == .max)
        let again = try JSONDecoder().decode(RunRecord.self, from: JSONEncoder().encode(full))
        #expect(again.plan == #"{"a":[1,-2,0.5,true,null,"x"],"seed":18446744073709551615}"#)
        full.plan = again.plan
        #expect(again == full)
    }

    /// As a spool that an earlier version has left: times in microseconds, the plan as a text.
    @Test func aLineOfAnEarlierVersionIsRead() throws {
        let new = String(decoding: try RecordLine(owner: 7, record: record { $0.plan = #"{"steps":["a"]}"# }).encoded(), as: UTF8.self)
        let old = new.replacing(#""started_at":"1970-01-01T00:00:00.000001Z""#, with: #""started_at":1"#)
            .replacing(#""plan":{"steps":["a"]}"#, with: #""plan":"{\"steps\":[\"a\"]}""#)
        #expect(old.count < new.count && old.contains(#"\"steps\""#))
        #expect(try RecordLine(line: old.utf8) == RecordLine(line: new.utf8))
    }

    @Test func aLineOfALaterVersionIsToldFromGarbage() throws {
        let line = try RecordLine(owner: 7, record: record()).encoded()
        #expect(try RecordLine(line: line).owner == 7)
        let newer = Array(
            String(decoding: line, as: UTF8.self).replacing("\"schema\":\(RunRecord.currentSchema)", with: "\"schema\":9").utf8)
        #expect(throws: RecordLine.Failure.newer(schema: 9)) { try RecordLine(line: newer) }
        #expect(throws: RecordLine.Failure.unreadable) { try RecordLine(line: line.dropLast(3)) }
        #expect(throws: RecordLine.Failure.unreadable) { try RecordLine(line: []) }
    }

    @Test func aRunFailsByItsUnitsFaultOnly() {
        func verdict(_ category: Diagnosis.Category, _ fault: Diagnosis.Fault?, isTimeLimit: Bool = false) -> [String] {
            let diagnosis = Diagnosis("X", category, fault, "", cause: "", remedy: "")
            let verdict = RunVerdict(diagnosis, isTimeLimit: isTimeLimit)
            return [verdict.outcome.rawValue, verdict.blame?.rawValue ?? "-"]
        }
        #expect(verdict(.unitFailed, .unit) == ["fail", "unit"])
        #expect(verdict(.tryAgain, .unit) == ["fail", "unit"])
        #expect(verdict(.tryAgain, .radio) == ["error", "radio"])
        #expect(verdict(.unitFailed, .station) == ["error", "station"])
        #expect(verdict(.unitFailed, nil) == ["error", "input"])
        #expect(verdict(.badData, nil) == ["error", "input"])
        #expect(verdict(.interrupted, nil) == ["aborted", "operator"])
        #expect(verdict(.interrupted, .unit, isTimeLimit: true) == ["aborted", "operator"])
        #expect(verdict(.tryAgain, .radio, isTimeLimit: true) == ["timeout", "radio"])
        #expect((RunVerdict.pass.outcome, RunVerdict.pass.blame) == (.pass, nil))
        #expect(RunVerdict(diagnose(CancellationError())).outcome == .aborted)
        #expect(LedgerError.abandoned(run: "x").diagnosis.code == RunVerdict.abandoned.code)
    }

    @Test(arguments: [(.milliseconds(1500), 1500), (.microseconds(1999), 1)] as [(Duration, Int64)])
    func aRunTakesWholeMilliseconds(elapsed: Duration, milliseconds: Int64) {
        var run = record()
        run.close(.pass, at: UTCTime(microseconds: 2), elapsed: elapsed)
        #expect(run.elapsedMilliseconds == milliseconds)
    }

    @Test func aStepTellsItsSpeed() {
        #expect(RunStep(name: "a", startMilliseconds: 0, milliseconds: 3000, bytes: 100_000).kilobytesPerSecond == 33.3)
        #expect(RunStep(name: "a", startMilliseconds: 0, milliseconds: 0, bytes: 5).kilobytesPerSecond == nil)
        #expect(RunStep(name: "a", startMilliseconds: 0, milliseconds: 5).kilobytesPerSecond == nil)
    }
}
