import Foundation
import Testing

@testable import REPL

/// Against what MicroPython v1.20 with the Monocle's features printed.
struct ConsoleReaderTests {
    private static let banner =
        "MicroPython v1.20.0-379-ga18d62e06 on 2023-09-05; Monocle on nRF52832\r\nType \"help()\" for more information.\r\n>>> "

    /// Fed whole, and byte by byte.
    private func events(_ text: String) -> [ConsoleReader.Event] {
        var whole = ConsoleReader()
        let events = whole.receive(Array(text.utf8))
        var slow = ConsoleReader()
        #expect(text.utf8.flatMap { slow.receive([$0]) } == events)
        return events
    }

    private func raised(_ text: String) -> [String] {
        events(text).compactMap { if case .raised(let exception) = $0 { exception.lastLine } else { nil } }
    }

    @Test func aProgramThatCannotBeginIsToldWithItsTraceback() {
        let text = "Traceback (most recent call last):\r\n  File \"main.py\", in <module>\r\nImportError: no module named 'x'\r\n"
        let seen = events(text + Self.banner)
        #expect(seen.count == 5)
        #expect(seen.last == .ended)
        guard case .raised(let exception) = seen[3] else { return #expect(Bool(false), "\(seen)") }
        #expect(exception.lastLine == "ImportError: no module named 'x'")
        #expect(exception.traceback.hasPrefix("Traceback"))
        #expect(exception.traceback.contains("\n  File \"main.py\", in <module>\n"))
    }

    @Test func aSyntaxErrorIsOne() {
        #expect(raised("Traceback (most recent call last):\r\n  File \"main.py\"\r\nSyntaxError: invalid syntax\r\n\(Self.banner)")
            == ["SyntaxError: invalid syntax"])
    }

    /// `print(x, end='')` stands before the traceback, however long it is; the class may have any name.
    @Test(
        arguments: [
            "x", "Traceback (most recent call last):", String(repeating: "y", count: 480), String(repeating: "z", count: 499),
            String(repeating: "0", count: 466), String(repeating: "1", count: 1000)
        ], ["Boom: 5", "Boom:", "ValueError: "])
    func aTracebackMayFollowAPrintOnItsLine(print: String, error: String) {
        let traceback = "Traceback (most recent call last):\r\n  File \"main.py\", line 2, in <module>\r\n\(error)\r\n"
        #expect(raised(print + traceback + Self.banner) == [error.trimmingCharacters(in: .whitespaces)])
        #expect(raised(print + "\r\n" + Self.banner).isEmpty)
        #expect(raised(print + "raceback (most recent call last):\r\n  x\r\nBoom: 5\r\n" + Self.banner).isEmpty)
    }

    /// Without a traceback the last line is an exception only where a name of one begins it.
    @Test func aSentenceIsNoException() {
        for line in ["No Error: all is well", "2Error: x", "ÜberError: x", "Errors: 5", "OSError"] {
            #expect(raised(line + "\r\n" + Self.banner).isEmpty, "\(line)")
        }
        #expect(raised("MemoryError: memory allocation failed\r\n" + Self.banner) == ["MemoryError: memory allocation failed"])
    }

    @Test func aProgramThatPrintsItsExceptionGoesOn() {
        let seen = events("before\r\nTraceback (most recent call last):\r\n  File \"main.py\", in run\r\nOSError: 5\r\nafter\r\n")
        #expect(seen.first == .line("before"))
        #expect(seen.last == .line("after"))
        #expect(!seen.contains(.ended))
    }

    @Test func withoutMemoryForATracebackTheLastWordsTell() {
        #expect(raised("MemoryError: \r\n\(Self.banner)").isEmpty == false)
        #expect(raised("well: done\r\n\(Self.banner)").isEmpty)
        #expect(raised("NameError: as I said\r\nstill here\r\n").isEmpty)
    }

    @Test func theEndComesOnceAndOnlyAfterTheBanner() {
        #expect(events("1\r\n\(Self.banner)") == [.line("1"), .ended])
        #expect(events(">>> \r\nMicroPython v\r\n") == [.line(">>>")])
        #expect(events(">>> ") == [])
    }

    /// A program may print its own version.
    @Test(arguments: ["MicroPython v1\r\n", "MicroPython v1\r\nType \"help()\" for more information.\r\n"])
    func whatLooksLikeTheBannerSwallowsNothing(lines: String) {
        let traceback = "Traceback (most recent call last):\r\n  File \"main.py\", in run\r\nOSError: 5\r\n"
        let seen = events(lines + traceback + "after\r\n")
        #expect(seen.first == .line("MicroPython v1"))
        #expect(seen.last == .line("after"))
        #expect(raised(lines + traceback) == ["OSError: 5"])
        #expect(events("MicroPython v1\r\nMicroPython v2\r\nx\r\n") == [.line("MicroPython v1"), .line("MicroPython v2"), .line("x")])
        #expect(events("MicroPython v1\r\nx\r\n>>> ") == [.line("MicroPython v1"), .line("x")])
        #expect(events("MicroPython v1\r\n>>> ") == [])
        #expect(raised("OSError: 5\r\n" + lines + "still here\r\n").isEmpty)
        #expect(events(lines + "1\r\n" + Self.banner).suffix(2) == [.line("1"), .ended])
    }

    @Test func aFloodWithoutLineEndsIsCut() {
        let seen = events(String(repeating: "x", count: 1200))
        #expect(seen == [.line(String(repeating: "x", count: 500)), .line(String(repeating: "x", count: 500))])
    }

    @Test func controlCharactersAreNotShown() {
        #expect(events("\u{1B}[2Jhello\u{7}\r\n") == [.line("\u{FFFD}[2Jhello\u{FFFD}")])
    }
}
