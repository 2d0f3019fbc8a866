import Glibc
import LedgerServer
import Support

/// What stands in each record of a command beside its unit, and where a record goes that no file takes.
struct RecordInputs: Sendable {
    /// The bench; the name of the host where nobody said another one.
    var station = hostName
    var operatorName: String?
    /// Of the one unit that is worked on.
    var serial: String?
    /// A serial number may leave the address that it was bound to.
    var rebindsSerial = false
    var workOrder: String?
    var part: String?
    var batch: String?
    var fixture: String?
    let host = hostName
    /// Which the stations share; `nil` for a station by itself.
    var server: StationServer?
    var claimPolicy = ClaimPolicy.prefer
    /// Tells a cancelled run what ends it.
    var stop = StopReason()
    /// Takes the line of a finished run that neither ledger nor spool takes.
    var lastResort: @Sendable (String) -> Void = { _ in }

    static let hostName: String = {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.isEmpty ? "localhost" : text
    }()
}
