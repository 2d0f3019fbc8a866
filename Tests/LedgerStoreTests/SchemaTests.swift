import Foundation
import GRDB
import Ledger
import Support
import TestSupport
import Testing

@testable import LedgerStore

/// Files of every form that was shipped. With `NOAFW_WRITE_FIXTURES=1` the file of the newest form is made where it is missing.
@Suite struct SchemaTests {
    private static let fixtures = TestTools.root.appendingPathComponent("Tests/LedgerStoreTests/Fixtures")

    let folder: TemporaryFolder
    let time = TestTime()

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("", to: "ledger/x")
    }

    private func ledger(_ migrator: DatabaseMigrator = LedgerSchema.migrator) -> SQLiteLedger {
        SQLiteLedger(folder: folder.path("ledger"), now: { [time] in time.now }, migrator: migrator)
    }

    @Test func everyFormHasItsFile() async throws {
        let newest = try #require(LedgerSchema.migrator.migrations.last)
        let file = Self.fixtures.appendingPathComponent("\(newest).sqlite")
        if ProcessInfo.processInfo.environment["NOAFW_WRITE_FIXTURES"] == "1", !FileManager.default.fileExists(atPath: file.path) {
            let ledger = ledger()
            try await ledger.open(Samples.fullStart(), clock: time.clock()).close(RunVerdict(Samples.unitFault), Samples.fill)
            try await ledger.open(Samples.start(2), clock: time.clock()).close(.pass)
            _ = try await ledger.open(Samples.start(3), clock: time.clock())
            await ledger.close()
            try FileManager.default.copyItem(atPath: folder.path("ledger/ledger.sqlite"), toPath: file.path)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.fixtures.path).sorted()
        #expect(names == LedgerSchema.migrator.migrations.map { "\($0).sqlite" }.sorted())
    }

    @Test(arguments: LedgerSchema.migrator.migrations)
    func aFileOfEachFormIsRead(form: String) async throws {
        try copy(form)
        let runs = try await ledger().runs()
        #expect(runs.map(\.seq) == [1, 2, nil] && runs.map(\.outcome) == [.fail, .pass, nil])
        var expected = Samples.fullStart().begun(as: runs[0].id, at: runs[0].startedAt)
        Samples.fill(&expected)
        expected.close(RunVerdict(Samples.unitFault), at: time.now, elapsed: .zero)
        if form == "ledger-1" { (expected.schema, expected.claim, expected.claimToken) = (1, nil, nil) }
        (expected.seq, expected.epoch, expected.revision) = (1, runs[0].epoch, runs[0].revision)
        #expect(runs[0] == expected)
        let next = try await ledger().open(Samples.start(4), clock: time.clock())
        #expect(next.notices.map(\.diagnosis.code) == ["LED-0020"])
        #expect(try await next.close(.pass)?.seq == 4)
        #expect(try await ledger().check().gaps.isEmpty)
    }

    /// An edit of a shipped migration would leave stations with other tables than new ones.
    @Test(arguments: LedgerSchema.migrator.migrations)
    func anOldFileComesToTheTablesOfANewOne(form: String) async throws {
        func tables(_ ledger: SQLiteLedger) throws -> [String] {
            let sql = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name"
            return try #require(try ledger.forReading()).pool.writeWithoutTransaction { try String.fetchAll($0, sql: sql) }
        }
        try copy(form)
        let fresh = SQLiteLedger(folder: folder.path("fresh"))
        _ = try await fresh.open(Samples.start(1), clock: time.clock())
        let expected = try tables(fresh)
        #expect(try tables(ledger()) == expected && expected.count > 6)
    }

    /// A row of the table is all that a file needs to have another column.
    @Test func aNewColumnIsOneRow() throws {
        var column = try #require(RunColumn.all.first { $0.name == "fixture" })
        (column.name, column.form) = ("made_up", 4)
        let database = try DatabaseQueue()
        let migrator = LedgerSchema.migrator(of: RunColumn.all + [column])
        #expect(migrator.migrations.last == "ledger-4")
        try migrator.migrate(database)
        let columns = try database.read { try $0.columns(in: "runs") }
        #expect(columns.map(\.name).filter { !["number", "owner"].contains($0) } == RunColumn.all.map(\.name) + ["made_up"])
        #expect(columns.last?.type == "TEXT" && columns.last?.isNotNull == false)
    }

    /// As the next version will: with a copy of the file as it was.
    @Test func anOlderFileIsCopiedBeforeItIsChanged() async throws {
        try copy("ledger-3")
        var next = LedgerSchema.migrator
        next.registerMigration("ledger-4") { try $0.execute(sql: "ALTER TABLE runs ADD COLUMN note TEXT") }
        #expect(try await ledger(next).runs().count == 3)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("ledger"))
        let name = try #require(names.first { $0.hasPrefix("ledger-before-ledger-4-") })
        let old = try DatabaseQueue(path: folder.path("ledger/\(name)"))
        try await old.read { db throws in
            #expect(try LedgerSchema.migrator.appliedMigrations(db) == ["ledger-1", "ledger-2", "ledger-3"])
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM runs") == 3)
            #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
        }
    }

    @Test func aMigrationThatFailsChangesNothing() async throws {
        try copy("ledger-3")
        var next = LedgerSchema.migrator
        next.registerMigration("ledger-4") { db in
            try db.execute(sql: "ALTER TABLE runs ADD COLUMN note TEXT")
            throw DatabaseError(resultCode: .SQLITE_FULL)
        }
        let run = try await ledger(next).open(Samples.start(5), clock: time.clock())
        #expect(run.notices.map(\.diagnosis.code) == ["LED-0021"])
        let after = try await ledger().open(Samples.start(6), clock: time.clock())
        #expect(after.notices.map(\.diagnosis.code) == ["LED-0022", "LED-0020"])
        #expect(try await ledger().runs().count == 5)
    }

    /// Nothing is started, and nothing in the file changes, not even its log.
    @Test func aNewerFileIsLeftAlone() async throws {
        try copy("ledger-3")
        var next = LedgerSchema.migrator
        next.registerMigration("ledger-4") { try $0.execute(sql: "ALTER TABLE runs ADD COLUMN note TEXT") }
        let newer = ledger(next)
        _ = try await newer.runs()
        await newer.close()
        let before = try folder.read("ledger/ledger.sqlite")
        let expected = LedgerError.newerSchema(path: folder.path("ledger/ledger.sqlite"), found: "ledger-4", known: "ledger-3")
        await #expect(throws: expected) { try await ledger().open(Samples.start(1), clock: time.clock()) }
        await #expect(throws: expected) { try await ledger().runs() }
        #expect(expected.diagnosis.category == .badData)
        #expect(try folder.read("ledger/ledger.sqlite") == before)
        #expect(!FileManager.default.fileExists(atPath: folder.path("ledger/spool.jsonl")))
    }

    @Test func aRunThatGoesOnSurvivesANewerNoafw() async throws {
        let old = ledger()
        let run = try await old.open(Samples.start(1), clock: time.clock())
        var next = LedgerSchema.migrator
        next.registerMigration("ledger-4") { try $0.execute(sql: "ALTER TABLE runs ADD COLUMN note TEXT") }
        let newer = ledger(next)
        _ = try await newer.runs()
        try await run.update { $0.steps.append(RunStep(name: "firmware", startMilliseconds: 0, milliseconds: 1)) }
        try await run.close(.pass)
        #expect(run.notices.map(\.diagnosis.code) == ["LED-0021"])
        await #expect(throws: LedgerError.self) { try await old.open(Samples.start(2), clock: time.clock()) }
        #expect(try await newer.open(Samples.start(3), clock: time.clock()).notices == [.spoolTakenIn(records: 1)])
        #expect(try await newer.runs().map(\.outcome) == [.pass, nil])
    }

    private func copy(_ form: String) throws {
        try folder.write([UInt8](try Data(contentsOf: Self.fixtures.appendingPathComponent("\(form).sqlite"))), to: "ledger/ledger.sqlite")
    }
}
