import CPQ
import Ledger

/// What a statement gave, as text.
struct PQRows: Sendable {
    var rows: [[String?]] = []
    /// Of the command's tag: how many rows it changed.
    var affected = 0

    /// - Parameter secret: is left out of the server's messages.
    static func read(_ result: OpaquePointer, hiding secret: String) -> Result<PQRows, ServerFault> {
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
            let rows = (0..<PQntuples(result)).map { row in
                (0..<PQnfields(result)).map { column -> String? in
                    guard PQgetisnull(result, row, column) == 0, let value = PQgetvalue(result, row, column) else { return nil }
                    return String(cString: value)
                }
            }
            return .success(PQRows(rows: rows, affected: PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0))
        default:
            let primary = PQresultErrorField(result, Int32(UInt8(ascii: "M"))) ?? UnsafeMutablePointer(mutating: PQresultErrorMessage(result))
            let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) }
            let reason = Redaction.line(primary.map { String(cString: $0) } ?? "no message", hiding: secret)
            return .failure(state.map { .answered(state: $0, reason: reason) } ?? .lost(reason))
        }
    }
}
