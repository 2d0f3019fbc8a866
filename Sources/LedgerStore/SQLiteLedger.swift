import Foundation
import GRDB
import Ledger
import Support
import Synchronization

/// The ledger in a SQLite file of this machine, shared by all its processes.
///
/// A record goes into the file; where that cannot be written, into the spool beside it, and every run says so. A file that is damaged
/// is moved aside. Only where no place is left does a call throw.
public final class SQLiteLedger: RunLedger {
    struct State {
        var database: LedgerDatabase?
        var mark: ProcessMark?
        /// Why records go to the spool until the next run begins.
        var spooling: String?
    }

    let files: LedgerFiles
    let migrator: DatabaseMigrator
    let now: @Sendable () -> UTCTime
    private let writerLock: WriterLock
    let spool: Spool
    private let fileSystemType: @Sendable (String) -> String?
    private let state = Mutex(State())

    /// Opens nothing yet.
    /// - Parameter folder: the ledger's own; made when the first run begins.
    public convenience init(folder: String, now: @escaping @Sendable () -> UTCTime = { .now }) {
        self.init(folder: folder, now: now, migrator: LedgerSchema.migrator)
    }

    init(
        folder: String, now: @escaping @Sendable () -> UTCTime = { .now }, migrator: DatabaseMigrator, lockTimeout: Duration = .seconds(5),
        fileSystemType: @escaping @Sendable (String) -> String? = FileSystemKind.type
    ) {
        files = LedgerFiles(folder: folder)
        (self.now, self.migrator, self.fileSystemType) = (now, migrator, fileSystemType)
        writerLock = WriterLock(path: files.lock, timeout: lockTimeout)
        spool = Spool(path: files.spool, rejectedPath: files.rejected, reservePath: files.reserve, timeout: lockTimeout)
    }

    deinit { closeFile() }

    public func begin(_ record: RunRecord) async throws(LedgerError) -> Recorded {
        try await OwnThread.run { () throws(LedgerError) in try self.store(record, begins: true) }
    }

    public func put(_ record: RunRecord) async throws(LedgerError) -> Recorded {
        try await OwnThread.run { () throws(LedgerError) in try self.store(record, begins: false) }
    }

    /// Writes the log back and closes the file. Without it the next process finds everything, too.
    public func close() async {
        await OwnThread.run { self.closeFile() }
    }

    private func closeFile() {
        state.withLock { state in
            guard let database = state.database else { return }
            state.database = nil
            // SQLite writes the log back with the last connection: never without the lock, rather not at all.
            let kept = Unmanaged.passRetained(database.pool)
            try? writerLock.hold {
                try? database.checkpoint(.truncate)
                try? database.pool.close()
                kept.release()
            }
        }
    }
}

// MARK: - Writing

extension SQLiteLedger {
    private func store(_ record: RunRecord, begins: Bool) throws(LedgerError) -> Recorded {
        let result: Result<Recorded, any Error> = state.withLock { state in
            Result { try self.store(record, begins: begins, &state) }
        }
        switch result {
        case .success(let recorded): return recorded
        case .failure(let error as LedgerError): throw error
        case .failure(let error): throw .notRecorded(ledger: StorageFault(error).reason, spool: "not tried")
        }
    }

    private func store(_ record: RunRecord, begins: Bool, _ state: inout State) throws -> Recorded {
        if begins { state.spooling = nil }
        if state.spooling == nil {
            do {
                var recorded = try inFile(record, begins: begins, &state)
                if begins { recorded.notices += brokenNotices() }
                return recorded
            } catch let error as LedgerError {
                throw error
            } catch {
                state.spooling = StorageFault(error).reason
            }
        }
        return try inSpool(record, begins: begins, reason: state.spooling ?? "", &state)
    }

    /// A damaged file is moved aside once; a new one that is damaged too is a disk's fault.
    private func inFile(_ record: RunRecord, begins: Bool, _ state: inout State) throws -> Recorded {
        try prepareFolder()
        return try writerLock.hold {
            do {
                return try write(record, begins: begins, &state)
            } catch {
                guard case .broken = StorageFault(error) else { throw error }
                try? state.database?.pool.close()
                state.database = nil
                try files.moveAside(at: now())
                var recorded = try write(record, begins: begins, &state)
                if !begins { recorded.notices += brokenNotices() }
                return recorded
            }
        }
    }

    /// Needs the lock.
    private func write(_ record: RunRecord, begins: Bool, _ state: inout State) throws -> Recorded {
        let database = try opened(&state)
        let mark = try marked(&state)
        var notices = takeSpool(database, mark)
        let (kept, abandoned) = try database.pool.write { db in
            let transaction = RunTransaction(db: db, mark: mark)
            let abandoned = begins ? try transaction.closeAbandoned(station: record.station, at: now()) : []
            return (try transaction.put(record, owner: mark.place), abandoned)
        }
        if !abandoned.isEmpty { notices.append(.closedAbandoned(abandoned.map { "\($0.id) (\($0.unitAddress))" })) }
        if !kept.isOpen { try? database.checkpoint() }
        return Recorded(kept, notices: notices)
    }

    private func inSpool(_ record: RunRecord, begins: Bool, reason: String, _ state: inout State) throws -> Recorded {
        do {
            try prepareFolder()
            try spool.append(record, owner: try marked(&state).place)
        } catch let error as LedgerError {
            throw error
        } catch {
            throw LedgerError.notRecorded(ledger: reason, spool: StorageFault(error).reason)
        }
        return Recorded(record, notices: [.spooling(path: files.spool, reason: reason)] + (begins ? brokenNotices() : []))
    }

    /// Each record on its own, so that one that does not fit blocks none behind it.
    private func takeSpool(_ database: LedgerDatabase, _ mark: ProcessMark) -> [LedgerNotice] {
        var taken = 0
        do {
            let rejected = try spool.take { lines in
                var misfits: [RecordLine] = []
                try database.pool.write { db in
                    let transaction = RunTransaction(db: db, mark: mark)
                    for line in lines where try !Self.take(line, transaction) { misfits.append(line) }
                }
                taken = Set(lines.map(\.record.id)).count
                return misfits
            }
            let notices: [LedgerNotice] = rejected > 0 ? [.spoolLinesRejected(lines: rejected, path: files.rejected)] : []
            return (taken > 0 ? [.spoolTakenIn(records: taken)] : []) + notices
        } catch {
            return [.spoolUnreadable(path: files.spool, reason: StorageFault(error).reason)]
        }
    }

    /// - Returns: whether the record fits the ledger's rules.
    private static func take(_ line: RecordLine, _ transaction: RunTransaction) throws -> Bool {
        do {
            try transaction.db.inSavepoint {
                _ = try transaction.put(line.record, owner: line.owner)
                return .commit
            }
            return true
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            return false
        }
    }

    private func brokenNotices() -> [LedgerNotice] { files.brokenFolders().map { .brokenMovedAside(path: $0) } }
}

// MARK: - Opening

extension SQLiteLedger {
    private func prepareFolder() throws {
        do {
            try FileWriter.makeFolder(files.folder)
        } catch {
            throw StorageFault.unwritable(error.reason)
        }
        guard let type = fileSystemType(files.folder), FileSystemKind.isNetworked(type) else { return }
        throw LedgerError.networkFileSystem(path: files.folder, fileSystem: type)
    }

    /// Needs the lock. A file that another process moved aside is left to itself.
    private func opened(_ state: inout State) throws -> LedgerDatabase {
        if let database = state.database {
            if database.identity == files.identity() { return database }
            try? database.pool.close()
            state.database = nil
        }
        let database = try LedgerDatabase(files, migrator: migrator, now: now())
        state.database = database
        spool.reserve()
        return database
    }

    private func marked(_ state: inout State) throws -> ProcessMark {
        if let mark = state.mark { return mark }
        let mark = try ProcessMark(path: files.marks)
        state.mark = mark
        return mark
    }

    /// The open file, for reading. `nil` where no run was ever recorded.
    func forReading() throws(LedgerError) -> LedgerDatabase? {
        let result: Result<LedgerDatabase?, any Error> = state.withLock { state in
            Result {
                guard files.identity() != nil else { return nil }
                return try writerLock.hold { try opened(&state) }
            }
        }
        switch result {
        case .success(let database): return database
        case .failure(let error as LedgerError): throw error
        case .failure(StorageFault.locked): throw .locked(path: files.lock)
        case .failure(let error): throw .unreadable(path: files.database, reason: StorageFault(error).reason)
        }
    }
}
