import Foundation
import Glibc
import Testing

@testable import Bluetooth

@Suite struct BoundedFileTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-bounded-\(UUID().uuidString)").path

    private func with(_ body: (String) throws -> Void) throws {
        try BoundedFile.makeFolder(folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body("\(folder)/state")
    }

    private func mode(_ path: String) -> UInt32 {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test func whatIsWrittenIsReadAndPrivate() throws {
        let old = umask(0)
        defer { umask(old) }
        try with { path in
            try BoundedFile.replace(path, with: [1, 2, 3])
            try BoundedFile.replace(path, with: [4, 5])
            #expect(try BoundedFile.read(path, limit: 2) == [4, 5])
            #expect(mode(path) == 0o600 && mode(folder) == 0o700)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["state"])
        }
    }

    @Test func longerOnesAreRefusedUnread() throws {
        try with { path in
            try BoundedFile.replace(path, with: [UInt8](repeating: 0, count: 10))
            #expect(throws: BoundedFile.Failure("it is larger than 9 bytes")) { try BoundedFile.read(path, limit: 9) }
            // A file of 4 GB that takes no room.
            #expect(truncate(path, 4 << 30) == 0)
            #expect(throws: BoundedFile.Failure.self) { try BoundedFile.read(path, limit: 1 << 20) }
        }
    }

    @Test func linksAndPipesAreNotFollowed() throws {
        try with { path in
            let target = "\(folder)/target"
            try BoundedFile.replace(target, with: [7])
            #expect(symlink(target, path) == 0)
            #expect(throws: BoundedFile.Failure.self) { try BoundedFile.read(path, limit: 9) }
            #expect(try BoundedFile.read(path, limit: 9, followsLinks: true) == [7])
            try BoundedFile.replace(path, with: [8])
            #expect(try BoundedFile.read(target, limit: 9) == [7])
            #expect(symlink(target, path + ".new") == 0)
            try BoundedFile.replace(path, with: [9])
            #expect(try BoundedFile.read(target, limit: 9) == [7] && BoundedFile.read(path, limit: 9) == [9])
            unlink(path)
            #expect(mkfifo(path, 0o600) == 0)
            #expect(throws: BoundedFile.Failure("it is no regular file")) { try BoundedFile.read(path, limit: 9) }
        }
    }

    @Test func whatIsNotThereIsTold() throws {
        try with { path in
            #expect(throws: BoundedFile.Failure("No such file or directory")) { try BoundedFile.read(path, limit: 9) }
            #expect(throws: BoundedFile.Failure.self) { try BoundedFile.replace("\(folder)/none/state", with: []) }
        }
    }
}
