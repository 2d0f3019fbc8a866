import GRDB
import Ledger
import Support

/// Why the ledger's file cannot be written at this moment.
enum StorageFault: Error, Equatable {
    /// Its bytes make no sense: it has to make room for a new one.
    case broken(String)
    /// The disk is full or read-only, or a call failed.
    case unwritable(String)
    /// Another process holds the lock.
    case locked

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

    /// Of what only reads, or changes what is there.
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
