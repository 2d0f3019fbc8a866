import Ledger
import Support
import Synchronization

@testable import LedgerStore

/// A time of day that a test sets, and a monotonic clock that goes on by itself.
final class TestTime: Sendable {
    private let microseconds: Mutex<Int64>

    init(_ start: Int64 = 1_795_000_000_000_000) { microseconds = Mutex(start) }

    var now: UTCTime { UTCTime(microseconds: microseconds.withLock(\.self)) }

    func move(seconds: Int64) { microseconds.withLock { $0 += seconds * 1_000_000 } }

    /// - Parameter offset: what the monotonic clock says.
    func clock(offset: @escaping @Sendable () -> Duration = { .zero }) -> LedgerClock {
        LedgerClock(now: { self.now }, monotonic: SessionClock(now: offset, sleepUntil: { _ in }))
    }
}

enum Samples {
    static func start(_ unit: Int = 1, station: String = "line-1") -> RunRecord {
        RunRecord(
            station: station, unitAddress: "C0:00:00:00:00:0\(unit)", family: "monocle", verb: "flash", toolVersion: "1.2 (debug)",
            host: "bench")
    }

    static let unitFault = Diagnosis("FPGA-0003", .unitFailed, .unit, "m", cause: "c", remedy: "r")

    /// Every field has a value.
    static func fill(_ record: inout RunRecord) {
        (record.serial, record.retries, record.rssi, record.battery) = ("SN 0001, \"a\"", 2, -61, 88)
        (record.versionsBefore, record.versionsAfter) = (["firmware": "v22"], ["firmware": "v23", "fpga": "1.0"])
        (record.bundleDigest, record.bundleSigner, record.digests) = ("ab12", "fingerprint", ["firmware": "cd34"])
        (record.claim, record.claimToken) = (.held, 7)
        record.plan = #"{"steps":["firmware"]}"#
        record.steps = [
            RunStep(name: "firmware", startMilliseconds: 5, milliseconds: 9000, bytes: 225_000, retries: 1),
            RunStep(name: "fpga", startMilliseconds: 9005, milliseconds: 12, outcome: .fail, code: "FPGA-0003"),
        ]
    }

    static func fullStart() -> RunRecord {
        var start = start()
        (start.fixture, start.adapter, start.operatorName) = ("jig-2", "00:1A:7D:DA:71:13", "Ada")
        (start.workOrder, start.part, start.batch) = ("WO 7", "P-1", "B-9")
        return start
    }
}
