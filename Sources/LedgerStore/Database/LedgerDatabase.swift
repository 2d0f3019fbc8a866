import Foundation
import GRDB
import Glibc
import Ledger
import Support

/// The open file. Everything but reading needs the ``WriterLock``.
struct LedgerDatabase: Sendable {
    let pool: DatabasePool
    /// The file that was opened: another process may have moved it aside since.
    private let identity: FileIdentity?
    /// Changes with every change of the tables, whoever makes it.
    private let tables: Int?

    private static let busyTimeout: TimeInterval = 5

    init(_ files: LedgerFiles, migrator: DatabaseMigrator, now: UTCTime) throws {
        try Self.checkForm(files, migrator: migrator)
        pool = try DatabasePool(path: files.database, configuration: Self.configuration())
        // DatabasePool sets NORMAL when it turns on WAL, whatever was set before: a power cut would eat the last record.
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        try Self.migrate(pool, files, migrator: migrator, now: now)
        identity = files.identity()
        tables = try Self.tables(pool)
        LedgerFiles.synchronize(files.folder)
        LedgerFiles.synchronize("\(files.folder)/..")
    }

    /// Whether this is still the file, and its tables are those that were opened: a newer noafw may have migrated it since.
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

    /// A file of a newer noafw is opened for nothing, so it is looked at without a right to write.
    private static func checkForm(_ files: LedgerFiles, migrator: DatabaseMigrator) throws {
        guard files.isBegun else { return }
        var status = stat()
        guard stat(files.database, &status) == 0 else { throw StorageFault.unwritable(SystemError.last) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw StorageFault.broken("it is no file") }
        // Room is reserved once a database was opened, and that is never empty again.
        guard status.st_size > 0 || access(files.reserve, F_OK) != 0 else { throw StorageFault.broken("it is empty, and was not before") }
        let unknown: [String]
        do {
            unknown = try unknownForms(files.database, migrator, isReadOnly: true)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_READONLY {
            // A kill while the file was made has left a journal, which is rolled back by opening it.
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

    /// Writes the log into the database, as far as no reader is in the way.
    func checkpoint(_ kind: Database.CheckpointMode = .passive) throws {
        _ = try pool.writeWithoutTransaction { try $0.checkpoint(kind) }
    }
}
