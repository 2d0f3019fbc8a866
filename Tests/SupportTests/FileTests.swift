import Foundation
import Glibc
import Testing

@testable import Support

@Suite struct FileTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-bounded-\(UUID().uuidString)").path

    private func with(_ body: (String) throws -> Void) throws {
        try FileWriter.makeFolder(folder)
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
            try FileWriter.replace(path, with: [1, 2, 3])
            try FileWriter.replace(path, with: [4, 5])
            #expect(try FileReader.read(path, limit: 2) == [4, 5])
            #expect(mode(path) == 0o600 && mode(folder) == 0o700)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["state"])
        }
    }

    @Test func longerOnesAreRefusedUnread() throws {
        try with { path in
            try FileWriter.replace(path, with: [UInt8](repeating: 0, count: 10))
            #expect(throws: FileReader.Failure(.tooLarge(byteCount: 10, limit: 9), "it is larger than 9 bytes")) {
                try FileReader.read(path, limit: 9)
            }
            // A file of 4 GB that takes no room.
            #expect(truncate(path, 4 << 30) == 0)
            #expect(throws: FileReader.Failure.self) { try FileReader.read(path, limit: 1 << 20) }
        }
    }

    @Test func linksAndPipesAreNotFollowed() throws {
        try with { path in
            let target = "\(folder)/target"
            try FileWriter.replace(target, with: [7])
            #expect(symlink(target, path) == 0)
            #expect(throws: FileReader.Failure.self) { try FileReader.read(path, limit: 9) }
            #expect(try FileReader.read(path, limit: 9, followsLinks: true) == [7])
            try FileWriter.replace(path, with: [8])
            #expect(try FileReader.read(target, limit: 9) == [7])
            #expect(symlink(target, path + ".new") == 0)
            try FileWriter.replace(path, with: [9])
            #expect(try FileReader.read(target, limit: 9) == [7] && FileReader.read(path, limit: 9) == [9])
            unlink(path)
            #expect(mkfifo(path, 0o600) == 0)
            #expect(throws: FileReader.Failure(.noFile, "it is no regular file")) { try FileReader.read(path, limit: 9) }
        }
    }

    @Test func whatIsNotThereIsTold() throws {
        try with { path in
            #expect(throws: FileReader.Failure(.missing, "No such file or directory")) { try FileReader.read(path, limit: 9) }
            #expect(throws: FileWriter.Failure.self) { try FileWriter.replace("\(folder)/none/state", with: []) }
        }
    }
}
