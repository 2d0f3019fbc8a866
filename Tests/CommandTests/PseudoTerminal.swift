import Foundation
import Glibc
import TestSupport

/// The built `noafw` on a terminal, and the person in front of it.
final class TerminalTool {
    struct Silent: Error, CustomStringConvertible {
        let description: String
    }

    private let process: TestProcess
    private let primary: Int32
    private let replica: Int32
    private(set) var screen = ""
    /// How far ``waitFor(_:)`` has read.
    private var position = 0

    init(_ arguments: [String], environment: [String: String], columns: UInt16 = 100) throws {
        primary = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // Linux's TIOCSPTLCK and TIOCGPTN, which Swift's view of glibc leaves out.
        var unlocked: Int32 = 0
        var number: Int32 = 0
        guard primary >= 0, ioctl(primary, 0x4004_5431, &unlocked) == 0, ioctl(primary, 0x8004_5430, &number) == 0 else {
            throw Silent(description: "no pseudo terminal: \(String(cString: strerror(errno)))")
        }
        replica = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard replica >= 0 else { throw Silent(description: "no pseudo terminal: \(String(cString: strerror(errno)))") }
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(primary, UInt(TIOCSWINSZ), &size)
        let terminal = FileHandle(fileDescriptor: replica, closeOnDealloc: false)
        process = try ToolBench.process(
            arguments, environment: environment.merging(["TERM": "xterm"]) { $1 }, input: .file(terminal), output: terminal,
            errors: .file(terminal))
    }

    deinit {
        process.signal(SIGKILL)
        close(primary)
        close(replica)
    }

    /// Local modes of the terminal: echo, line editing, signals.
    var localModes: UInt32 {
        var mode = termios()
        tcgetattr(replica, &mode)
        return mode.c_lflag
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(primary, bytes, bytes.count)
    }

    func resize(columns: UInt16) {
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(primary, UInt(TIOCSWINSZ), &size)
    }

    func signal(_ number: Int32) { process.signal(number) }

    /// Reads until the text has appeared after what was waited for last.
    func waitFor(_ text: String, seconds: Int = 60) throws { _ = try waitFor(oneOf: [text], seconds: seconds) }

    /// - Returns: the one that has appeared.
    func waitFor(oneOf texts: [String], seconds: Int = 60) throws -> String {
        let end = ContinuousClock.now.advanced(by: .seconds(seconds))
        while true {
            let rest = String(decoding: screen.utf8.dropFirst(position), as: UTF8.self)
            for text in texts {
                guard let found = rest.range(of: text) else { continue }
                position += rest.utf8.distance(from: rest.startIndex, to: found.upperBound)
                return text
            }
            guard ContinuousClock.now < end, readMore() else {
                throw Silent(description: "'\(texts)' did not appear in: \(screen.debugDescription)")
            }
        }
    }

    private func readMore() -> Bool {
        var entry = pollfd(fd: primary, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, 200) >= 0 else { return errno == EINTR }
        guard entry.revents & Int16(POLLIN) != 0 else { return process.isRunning }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(primary, &bytes, bytes.count)
        guard count > 0 else { return false }
        screen += String(decoding: bytes[..<count], as: UTF8.self)
        return true
    }

    /// Reads to the end; a tool that does not come to it is killed, so that it takes no other test with it.
    func wait(seconds: Int = 60) -> TestProcess.Ending {
        let end = ContinuousClock.now.advanced(by: .seconds(seconds))
        while process.isRunning, readMore(), ContinuousClock.now < end {}
        if ContinuousClock.now >= end { process.signal(SIGKILL) }
        let ending = process.waitUntilExit()
        // What it wrote last may still be in the terminal.
        while readMore() {}
        return ending
    }
}
