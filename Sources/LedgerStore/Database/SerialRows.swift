import GRDB
import Ledger

extension Database {
    /// - Returns: why a serial number is not the unit's.
    func conflict(_ serial: String, at unitAddress: String) throws -> LedgerError? {
        try SerialBinding.conflict(serial, at: unitAddress, newest: newest)
    }

    /// Of a row that is no record, too: what these columns say is said all the same.
    private func newest(_ key: SerialBinding.Key) throws -> SerialBinding? {
        let (condition, value) =
            switch key {
            case .serial(let serial): ("serial = ?", serial)
            case .unit(let address): ("unit_address = ? AND serial IS NOT NULL", address)
            }
        let sql = "SELECT serial, unit_address, id FROM runs WHERE \(condition) ORDER BY number DESC LIMIT 1"
        return try Row.fetchOne(self, sql: sql, arguments: [value]).map { row in
            let text = { (column: String) in String.fromDatabaseValue(row[column]) ?? "" }
            return SerialBinding(serial: text("serial"), unitAddress: text("unit_address"), run: text("id"))
        }
    }
}
