import Foundation
import Glibc
import Support
import TestSupport
import Testing

@testable import noafw

/// What people said is for its owner alone.
@Suite struct PrivateFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func mode(_ name: String) throws -> mode_t {
        var status = stat()
        try #require(stat(folder.path(name), &status) == 0)
        return status.st_mode & 0o777
    }

    /// A file that was there before, however others may use it, keeps what it holds.
    @Test(arguments: [0o644, 0o640, 0o620, 0o604, 0o602, 0o610, 0o601, 0o666, 0o600] as [mode_t])
    func aFileThatIsThereBecomesPrivate(old: mode_t) throws {
        try folder.write("old\n", to: "talk.txt")
        try #require(chmod(folder.path("talk.txt"), old) == 0)
        #expect(try AppendedFile(folder.path("talk.txt")).write("new") == nil)
        #expect(try mode("talk.txt") == 0o600)
        #expect(try folder.read("talk.txt") == Array("old\nnew\n".utf8))
    }

    @Test func aNewFileAndItsFolderArePrivate() throws {
        let old = umask(0)
        defer { umask(old) }
        _ = try AppendedFile(folder.path("talk.txt"))
        _ = try MediaFolder(folder.path("a/media")).save([1, 2], as: "jpg")
        #expect(try mode("talk.txt") == 0o600 && mode("a/media/photo-0001.jpg") == 0o600)
        #expect(try mode("a") == 0o700 && mode("a/media") == 0o700)
    }

    /// The kernel lets nobody change the mode of this file.
    @Test func aFileThatStaysReadableIsRefused() {
        let failure = #expect(throws: PrivateFile.Failure.self) { try AppendedFile("/proc/self/comm") }
        #expect(failure?.diagnosis.code == "NOA-0076" && failure?.diagnosis.cause == "others can read it, and another user owns it")
    }

    @Test func onlyARegularFileIsTaken() throws {
        try #require(mkfifo(folder.path("pipe"), 0o600) == 0)
        let reader = open(folder.path("pipe"), O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        for name in [folder.path("pipe"), "/dev/null"] {
            let failure = #expect(throws: PrivateFile.Failure.self) { try AppendedFile(name) }
            #expect(failure?.diagnosis.cause == "it is not a regular file", "\(name)")
        }
        close(reader)
        #expect(throws: PrivateFile.Failure.self, "a pipe that nobody reads") { try AppendedFile(folder.path("pipe")) }
        #expect(throws: PrivateFile.Failure.self) { try AppendedFile(folder.path) }
    }

    @Test func aLinkIsFollowedWhereSomebodyNamedIt() throws {
        try folder.write("", to: "talk.txt")
        try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "talk.txt")
        #expect(try AppendedFile(folder.path("link")).write("a") == nil)
        #expect(try folder.read("talk.txt") == Array("a\n".utf8))
        #expect(throws: PrivateFile.Failure.self) { try AppendedFile(folder.path("link"), followsLinks: false) }
    }
}
