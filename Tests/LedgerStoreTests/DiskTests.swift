import Foundation
import Glibc
import Ledger
import Support
import TestSupport
import Testing

@testable import LedgerStore

/// Disks that are full, and such as cannot serve.
@Suite struct DiskTests {
    let folder: TemporaryFolder
    let time = TestTime()

    init() throws { folder = try TemporaryFolder() }

    /// The database may not grow as far as the records need; the spool may.
    @Test func aFullLedgerGoesOnInItsSpool() async throws {
        let first = try WriterProcess(folder.path("ledger"), "line-1", "2")
        #expect(first.rest().last?.seq == 2)
        let size = try folder.read("ledger/ledger.sqlite").count
        let writer = try WriterProcess(folder.path("ledger"), "line-1", "3", "\(size + 8192)")
        let lines = writer.rest()
        #expect(lines.filter { $0.what == "closed" }.count == 3)
        #expect(lines.last?.notices.contains("LED-0021") == true)
        let ledger = SQLiteLedger(folder: folder.path("ledger"))
        let next = try await ledger.open(Samples.start(), clock: time.clock())
        #expect(next.notices.map(\.diagnosis.code).first == "LED-0022")
        #expect(try await ledger.runs().map(\.outcome) == [.pass, .pass, .pass, .pass, .pass, nil])
        #expect(try await ledger.check().gaps.isEmpty)
    }

    @Test func withoutRoomForAnythingNothingIsStarted() async throws {
        let writer = try WriterProcess(folder.path("ledger"), "line-1", "1", "100")
        #expect(writer.rest().map(\.id) == ["LED-0001"])
    }

    /// A real disk without room: the runs under way find the room that was kept for them.
    @Test(.enabled(if: geteuid() == 0, "only root can mount a small disk"))
    func theRunsUnderWayFindRoomOnAFullDisk() async throws {
        let disk = folder.path("disk")
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        try #require(try runProgram("/bin/mount", ["-t", "tmpfs", "-o", "size=2m", "none", disk]).status == 0)
        defer { umount2(disk, Int32(MNT_DETACH)) }
        var ledger: SQLiteLedger? = SQLiteLedger(folder: "\(disk)/ledger")
        let run = try await #require(ledger).open(Samples.start(1), clock: time.clock())
        let filler = open("\(disk)/filler", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let block = [UInt8](repeating: 1, count: 4096)
        while write(filler, block, block.count) == block.count {}
        close(filler)
        try await run.update { $0.steps.append(RunStep(name: "firmware", startMilliseconds: 0, milliseconds: 7)) }
        try await run.close(.pass) { $0.plan = #"{"text":"\#(String(repeating: "x", count: 60_000))"}"# }
        #expect(run.notices.map(\.diagnosis.code) == ["LED-0021"])
        // The room that was kept is used up: no further unit is touched.
        var started = 0
        await #expect(throws: LedgerError.self) {
            for _ in 0..<5000 {
                _ = try await ledger?.open(Samples.start(2), clock: time.clock())
                started += 1
            }
        }
        #expect(started < 5000)
        ledger = nil
        unlink("\(disk)/filler")
        let after = SQLiteLedger(folder: "\(disk)/ledger")
        _ = try await after.open(Samples.start(3), clock: time.clock())
        #expect(try await after.runs().count == started + 2)
        #expect(try await after.runs().first?.outcome == .pass)
        await after.close()
    }

    @Test func networkFileSystemsAreRefused() async throws {
        for type in ["nfs4", "cifs", "fuse.sshfs", "9p"] {
            let ledger = SQLiteLedger(folder: folder.path("ledger"), migrator: LedgerSchema.migrator, fileSystemType: { _ in type })
            await #expect(throws: LedgerError.networkFileSystem(path: folder.path("ledger"), fileSystem: type)) {
                try await ledger.open(Samples.start(1), clock: time.clock())
            }
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("ledger/ledger.sqlite")))
        for type in ["ext4", "tmpfs", "overlay", "btrfs", "xfs"] { #expect(!FileSystemKind.isNetworked(type)) }
    }

    @Test func theFileSystemIsTheKernelsOwnWord() throws {
        let mounts = """
            22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
            40 22 0:52 / /mnt/a\\040b rw - nfs4 server:/a rw
            41 22 0:53 /
            """
        #expect(FileSystemKind.type(device: 254 << 8 | 1, mounts: mounts) == "ext4")
        #expect(FileSystemKind.type(device: 52, mounts: mounts) == "nfs4")
        #expect(FileSystemKind.type(device: 53, mounts: mounts) == nil)
        #expect(FileSystemKind.type(of: "/proc") == "proc")
        #expect(FileSystemKind.type(of: folder.path("missing")) == nil)
    }
}
