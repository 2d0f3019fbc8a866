import Foundation
import GRDB
import Ledger
import Support
import TestSupport
import Testing

@testable import LedgerStore

@Suite struct BrokenFileTests {
    let folder: TemporaryFolder
    let time = TestTime()

    init() throws { folder = try TemporaryFolder() }

    private func ledger() -> SQLiteLedger { SQLiteLedger(folder: folder.path("ledger"), now: { [time] in time.now }) }

    private func broken() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path("ledger")).filter { $0.hasPrefix("broken-") }.sorted()
    }

    @Test func aFileThatIsNoDatabaseIsMovedAside() async throws {
        let garbage = [UInt8](repeating: 0x5A, count: 5000)
        try folder.write(garbage, to: "ledger/ledger.sqlite")
        try folder.write("log", to: "ledger/ledger.sqlite-wal")
        let run = try await ledger().open(Samples.start(1), clock: time.clock())
        #expect(run.notices.map(\.diagnosis.code) == ["LED-0024"])
        try await run.close(.pass)
        let name = try #require(try broken().first)
        #expect(name == "broken-\(time.now.compact)")
        #expect(try folder.read("ledger/\(name)/ledger.sqlite") == garbage)
        #expect(FileManager.default.fileExists(atPath: folder.path("ledger/\(name)/ledger.sqlite-wal")))
    }

    @Test func everyRunSaysSoUntilItIsAcknowledged() async throws {
        try folder.write([UInt8](repeating: 0x5A, count: 5000), to: "ledger/ledger.sqlite")
        for unit in 1...2 {
            let run = try await ledger().open(Samples.start(unit), clock: time.clock())
            #expect(run.notices.map(\.diagnosis.code) == ["LED-0024"])
            try await run.close(.pass)
        }
        #expect(try await ledger().check().broken.count == 1)
        let kept = try await ledger().acknowledgeBroken()
        #expect(FileManager.default.fileExists(atPath: "\(kept[0])/ledger.sqlite"))
        #expect(try await ledger().open(Samples.start(3), clock: time.clock()).notices.isEmpty)
        #expect(try await ledger().check().isSound)
    }

    /// The damage is met in the middle of a run, whose record is whole in the new file.
    @Test func aRunSurvivesItsFile() async throws {
        let ledger = ledger()
        for unit in 1...5 { try await ledger.open(Samples.start(unit), clock: time.clock()).close(.pass) }
        await ledger.close()
        var bytes = try folder.read("ledger/ledger.sqlite")
        let run = try await ledger.open(Samples.start(6), clock: time.clock())
        try await run.update { $0.steps.append(RunStep(name: "firmware", startMilliseconds: 0, milliseconds: 9)) }
        await ledger.close()
        for index in 4096..<bytes.count { bytes[index] = 0xA5 }
        try folder.write(bytes, to: "ledger/ledger.sqlite")
        let closed = try #require(try await run.close(.pass))
        #expect(run.notices.map(\.diagnosis.code) == ["LED-0024"])
        #expect(closed.seq == 1 && closed.steps.count == 1)
        #expect(try await ledger.runs() == [closed])
    }

    /// A process whose file was moved aside by another one goes on in the new file.
    @Test func theOtherProcessFollows() async throws {
        let (first, second) = (ledger(), ledger())
        let run = try await first.open(Samples.start(1), clock: time.clock())
        _ = try await second.runs()
        try LedgerFiles(folder: folder.path("ledger")).moveAside(at: time.now)
        _ = try await second.open(Samples.start(2), clock: time.clock())
        try await run.close(.pass)
        #expect(try await second.runs().map(\.unitAddress) == ["C0:00:00:00:00:02", "C0:00:00:00:00:01"])
        #expect(try await second.runs().map(\.seq) == [nil, 1])
    }

    @Test func aFolderThatIsRemovedIsMadeAnew() async throws {
        let ledger = ledger()
        let run = try await ledger.open(Samples.start(1), clock: time.clock())
        try FileManager.default.removeItem(atPath: folder.path("ledger"))
        try await run.update { $0.steps.append(RunStep(name: "firmware", startMilliseconds: 0, milliseconds: 1)) }
        // Another process sees that this one lives.
        #expect(try await self.ledger().open(Samples.start(2), clock: time.clock()).notices.isEmpty)
        #expect(try await run.close(.pass)?.seq == 1)
        #expect(try await self.ledger().runs().map(\.outcome) == [.pass, nil])
    }

    @Test func aGapIsFound() async throws {
        let ledger = ledger()
        for unit in 1...6 { try await ledger.open(Samples.start(unit), clock: time.clock()).close(.pass) }
        try await #require(try ledger.forReading()).pool.write { db in
            try db.execute(sql: "DELETE FROM outbox")
            try db.execute(sql: "DELETE FROM runs WHERE seq IN (2, 3, 6)")
        }
        let check = try await ledger.check()
        #expect(check.gaps == [.init(station: "line-1", missing: 2...3), .init(station: "line-1", missing: 6...6)])
        #expect(check.damages.isEmpty && check.runs == 3 && !check.isSound)
    }

    @Test func faultsAreToldApart() {
        func fault(_ code: ResultCode) -> StorageFault { StorageFault(DatabaseError(resultCode: code, message: "text")) }
        for code in [ResultCode.SQLITE_CORRUPT, .SQLITE_NOTADB] {
            guard case .broken = fault(code) else { return _ = Issue.record("\(code)") }
        }
        for code in [ResultCode.SQLITE_FULL, .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_ERROR] {
            guard case .unwritable = fault(code) else { return _ = Issue.record("\(code)") }
        }
        #expect(fault(.SQLITE_BUSY) == .locked)
    }
}
