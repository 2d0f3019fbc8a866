import Foundation
import GRDB
import Ledger
import Support
import Synchronization

/// The ledger in a SQLite file of this machine, shared by all its processes.
///
/// A record goes into the file, or if that cannot be written into its spool, and every run reports that. A damaged file is moved aside. A
/// call throws only when no place is left.
public final class SQLiteLedger: RunLedger {
    struct State {
        var database: LedgerDatabase?
        var mark: ProcessMark?
        /// Why records go to the spool until the next run begins.
        var spooling: String?
        var odd: Set<OddRow> = []
    }

    let files: LedgerFiles
    let spool: Spool
    let writerLock: WriterLock
    let now: @Sendable () -> UTCTime
    private let migrator: DatabaseMigrator
    private let fileSystemType: @Sendable (String) -> String?
    private let queue = WriteQueue()
    let state = Mutex(State())

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

    public func begin(_ record: RunRecord, rebindsSerial: Bool) async throws(LedgerError) -> Recorded {
        try await queue.add(WriteQueue.Request(record: record, begins: true, rebindsSerial: rebindsSerial), write: write)
    }

    public func put(_ record: RunRecord) async throws(LedgerError) -> Recorded {
        try await queue.add(WriteQueue.Request(record: record, begins: false), write: write)
    }

    /// Optional: the next process finds everything without it.
    public func close() async {
        await OwnThread.run { self.closeFile() }
    }

    private func closeFile() {
        state.withLock { state in
            guard let database = state.database else { return }
            state.database = nil
            // SQLite writes the log back with the last connection: never without the lock.
            let kept = Unmanaged.passRetained(database.pool)
            try? writerLock.hold {
                try? database.checkpoint(.truncate)
                try? database.pool.close()
                kept.release()
            }
        }
    }

    @Sendable private func write(_ requests: [WriteQueue.Request]) -> [WriteQueue.Answer] {
        state.withLock { write(requests, &$0) }
    }

    /// Needs the writers' lock. `nil` when no run was ever recorded.
    func writing<Value: Sendable>(_ body: @Sendable (LedgerDatabase) throws -> Value) throws -> Value? {
        try state.withLock { state -> Result<Value?, any Error> in
            Result {
                guard files.isBegun else { return nil }
                return try writerLock.hold { try body(try opened(&state)) }
            }
        }.get()
    }

    /// `nil` when no run was ever recorded.
    func forReading() throws(LedgerError) -> LedgerDatabase? {
        let result: Result<LedgerDatabase?, any Error> = state.withLock { state in
            Result {
                guard files.isBegun else { return nil }
                return try writerLock.hold { try opened(&state) }
            }
        }
        return try reported { try result.get() }
    }

    func reported<Value>(_ body: () throws -> Value) throws(LedgerError) -> Value {
        do { return try body() } catch { throw error as? LedgerError ?? StorageFault(error).error(files) }
    }
}

// MARK: - Opening

extension SQLiteLedger {
    func prepareFolder() throws {
        do {
            try FileWriter.makeFolder(files.folder)
        } catch {
            throw StorageFault.unwritable(error.reason)
        }
        guard let type = fileSystemType(files.folder), FileSystemKind.isNetworked(type) else { return }
        throw LedgerError.networkFileSystem(path: files.folder, fileSystem: type)
    }

    /// Needs the lock. Reopens a file that another process moved aside or migrated.
    func opened(_ state: inout State) throws -> LedgerDatabase {
        if let database = state.database {
            if try database.isCurrent(files) { return database }
            try? database.pool.close()
            state.database = nil
        }
        let database = try LedgerDatabase(files, migrator: migrator, now: now())
        state.database = database
        spool.reserve()
        return database
    }

    func marked(_ state: inout State) throws -> ProcessMark {
        if let mark = state.mark, mark.identity == FileIdentity(path: files.marks) { return mark }
        let mark = try ProcessMark(path: files.marks)
        state.mark = mark
        return mark
    }
}
