import Foundation
import Glibc
import TestSupport
import Testing

@testable import noafw

@Suite struct HistoryFileTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    @Test func linesComeBackToTheirOwnerAlone() throws {
        let file = HistoryFile(stateFolder: folder.path("state"))
        file.append("one")
        file.append("two\nlines")
        #expect(file.load().lines == ["one", "two\nlines"])
        var status = stat()
        #expect(stat(file.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test func aMarkStaysBehindALineEndAndABackslash() {
        let line = "a\n\u{301}b\\\u{301}"
        #expect(HistoryFile.lines(in: Array(HistoryFile.encode(line).utf8)) == [line])
    }

    @Test func whatTheFileHoldsSteersNoTerminal() {
        #expect(HistoryFile.lines(in: Array("a\u{1B}[2Jb\u{202E}\n\u{7}\nc\n".utf8)) == ["a[2Jb", "c"])
    }

    /// Somebody else's link in the state folder would have lines written to, or shown from, another file.
    @Test func aLinkIsNotFollowed() throws {
        try folder.write("victim\n", to: "victim")
        try FileManager.default.createDirectory(atPath: folder.path("state"), withIntermediateDirectories: true)
        let file = HistoryFile(stateFolder: folder.path("state"))
        #expect(symlink(folder.path("victim"), file.path) == 0)
        file.append("one")
        #expect(file.load().lines.isEmpty)
        #expect(try folder.read("victim") == Array("victim\n".utf8))
    }
}
