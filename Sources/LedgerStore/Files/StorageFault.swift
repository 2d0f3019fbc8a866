import GRDB
import Ledger
import Support

enum StorageFault: Error, Equatable {
    /// Unreadable content: a new file replaces it.
    case broken(String)
    case unwritable(String)
    case locked

    /// The last call's error about a file.
    static func last(_ path: String) -> StorageFault { .unwritable("\(path): \(SystemError.last)") }

    init(_ error: any Error) {
        if let fault = error as? StorageFault {
            self = fault
        } else if let error = error as? DatabaseError {
            self =
                switch error.resultCode {
                case .SQLITE_CORRUPT, .SQLITE_NOTADB: .broken(Self.text(error))
                case .SQLITE_BUSY, .SQLITE_LOCKED: .locked
                default: .unwritable(Self.text(error))
                }
        } else {
            self = .unwritable(SystemError.text(error))
        }
    }

    var reason: String {
        switch self {
        case .broken(let reason), .unwritable(let reason): reason
        case .locked: "another process holds it"
        }
    }

    /// For calls that cannot use the spool.
    func error(_ files: LedgerFiles) -> LedgerError {
        switch self {
        case .broken(let reason): .unreadable(path: files.database, reason: reason, isDamaged: true)
        case .unwritable(let reason): .unreadable(path: files.database, reason: reason)
        case .locked: .locked(path: files.lock)
        }
    }

    /// Without the statement and its arguments.
    private static func text(_ error: DatabaseError) -> String {
        PrintableText.ascii("SQLite error \(error.extendedResultCode.rawValue): \(error.message ?? "no message")")
    }
}
