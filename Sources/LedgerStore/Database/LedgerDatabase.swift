import Foundation
import GRDB
import Glibc
import Ledger
import Support

/// The open file. Everything except reading needs the ``WriterLock``.
struct LedgerDatabase: Sendable {
    let pool: DatabasePool
    /// Another process may have moved the file aside since.
    private let identity: FileIdentity?
    /// SQLite changes it with the tables.
    private let tables: Int?

    private static let busyTimeout: TimeInterval = 5

    init(_ files: LedgerFiles, migrator: DatabaseMigrator, now: UTCTime) throws {
        try Self.checkForm(files, migrator: migrator)
        pool = try DatabasePool(path: files.database, configuration: Self.configuration())
        // With WAL, DatabasePool sets NORMAL: a power cut would lose the last record.
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        try Self.migrate(pool, files, migrator: migrator, now: now)
        identity = files.identity()
        tables = try Self.tables(pool)
        LedgerFiles.synchronize(files.folder)
        LedgerFiles.synchronize("\(files.folder)/..")
    }

    /// Whether no process has moved or migrated the file since.
    func isCurrent(_ files: LedgerFiles) throws -> Bool {
        guard identity == files.identity() else { return false }
        return try tables == Self.tables(pool)
    }

    private static func tables(_ pool: DatabasePool) throws -> Int? {
        try pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA schema_version") }
    }

    private static func configuration() -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(busyTimeout)
        configuration.foreignKeysEnabled = true
        configuration.maximumReaderCount = 2
        // Checkpoints only under the lock.
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
        return configuration
    }

    /// Opens read-only, so that a newer noafw's file stays unchanged.
    private static func checkForm(_ files: LedgerFiles, migrator: DatabaseMigrator) throws {
        guard files.isBegun else { return }
        var status = stat()
        guard stat(files.database, &status) == 0 else { throw StorageFault.unwritable(SystemError.last) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw StorageFault.broken("it is not a file") }
        // A database that was opened has a reserve, and is never empty again.
        guard status.st_size > 0 || access(files.reserve, F_OK) != 0 else { throw StorageFault.broken("it is empty, and was not before") }
        let unknown: [String]
        do {
            unknown = try unknownForms(files.database, migrator, isReadOnly: true)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_READONLY {
            // A kill during creation left a journal; opening rolls it back.
            unknown = try unknownForms(files.database, migrator, isReadOnly: false)
        }
        guard let newest = unknown.last else { return }
        throw LedgerError.newerSchema(path: files.database, found: RecordText.line(newest), known: migrator.migrations.last ?? "none")
    }

    private static func unknownForms(_ path: String, _ migrator: DatabaseMigrator, isReadOnly: Bool) throws -> [String] {
        var configuration = Configuration()
        configuration.readonly = isReadOnly
        configuration.busyMode = .timeout(busyTimeout)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        return try queue.read { db in
            guard try migrator.hasBeenSuperseded(db) else { return [] }
            return try migrator.appliedIdentifiers(db).subtracting(migrator.migrations).sorted()
        }
    }

    private static func migrate(_ pool: DatabasePool, _ files: LedgerFiles, migrator: DatabaseMigrator, now: UTCTime) throws {
        let (isCurrent, applied) = try pool.read { db in (try migrator.hasCompletedMigrations(db), try migrator.appliedMigrations(db)) }
        guard !isCurrent else { return }
        if !applied.isEmpty {
            let next = migrator.migrations.first { !applied.contains($0) } ?? "migration"
            let copy = files.copy(before: next, at: now)
            do {
                try pool.writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [copy]) }
            } catch {
                unlink(copy)
                throw error
            }
        }
        try migrator.migrate(pool)
    }

    func checkpoint(_ kind: Database.CheckpointMode = .passive) throws {
        _ = try pool.writeWithoutTransaction { try $0.checkpoint(kind) }
    }
}
