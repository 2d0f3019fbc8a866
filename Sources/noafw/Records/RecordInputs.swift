import Glibc
import Ledger
import LedgerServer
import Support

/// How each record of a command begins, and where one goes that no file takes.
@dynamicMemberLookup
struct RecordInputs: Sendable {
    /// Its station is the host's name by default; its serial number is that of the one unit that is worked on.
    var record = RunRecord(station: hostName, unitAddress: "-", family: "-", verb: "-", toolVersion: ToolVersion.current, host: hostName)
    /// A serial number may leave the address that it was bound to.
    var rebindsSerial = false
    /// Which the stations share; `nil` for a station by itself.
    var server: StationServer?
    var claimPolicy = ClaimPolicy.prefer
    /// Why a cancelled run ends.
    var stop = StopReason()
    var now: @Sendable () -> UTCTime = { .now }
    /// Takes the line of a finished run that neither ledger nor spool takes.
    var lastResort: @Sendable (String) -> Void = { _ in }

    subscript<Value>(dynamicMember field: WritableKeyPath<RunRecord, Value>) -> Value {
        get { record[keyPath: field] }
        set { record[keyPath: field] = newValue }
    }

    static let hostName: String = {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.isEmpty ? "localhost" : text
    }()
}
