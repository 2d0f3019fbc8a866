import FoundationEssentials
import Glibc

/// How a terminal delivers typed text.
enum InputMode: Sendable, Hashable {
    /// Lines edited by the terminal.
    case lines
    /// Every key immediately, without the terminal's own editing.
    case keys
}

struct TextSource: Sendable {
    /// Receives bytes as they come; `nil` at their end.
    typealias Sink = @Sendable ([UInt8]?) -> Void

    var isTerminal: Bool
    /// ``TypedInput/close()`` restores a terminal's mode.
    var open: @Sendable (_ mode: InputMode, _ sink: @escaping Sink) throws -> any TypedInput

    /// Nobody types.
    static let none = TextSource(isTerminal: false, open: { _, sink in NoInput(sink: sink) })
}

/// Input read on demand: unread input stays where it is.
protocol TypedInput: Sendable {
    func more()
    func close()
}

private struct NoInput: TypedInput {
    let sink: TextSource.Sink
    func more() { sink(nil) }
    func close() {}
}

/// A descriptor as a source. Its own thread waits for it: a blocking read would hold one of the few threads that all tasks
/// share.
final class FileSource: TypedInput, Sendable {
    private static let pieceBytes = 4096

    private let descriptor: Int32
    private let mode: InputMode
    private let controlRead: Int32
    private let controlWrite: Int32
    private let sink: TextSource.Sink

    static func source(_ descriptor: Int32) -> TextSource {
        TextSource(isTerminal: isatty(descriptor) == 1, open: { try FileSource(descriptor, $0, sink: $1) })
    }

    private init(_ descriptor: Int32, _ mode: InputMode, sink: @escaping TextSource.Sink) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw PrivateFile.Failure("read", "standard input", String(cString: strerror(errno))) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (self.descriptor, self.sink, self.mode) = (descriptor, sink, mode)
        (controlRead, controlWrite) = (ends[0], ends[1])
        TerminalMode.enter(mode, descriptor)
        OwnThread.start { [self] in
            while waitsForRequest(), reads() {}
            Glibc.close(controlRead)
        }
    }

    deinit { Glibc.close(controlWrite) }

    func more() { tell(UInt8(ascii: "m")) }

    func close() {
        if mode != .lines { TerminalMode.restore() }
        tell(UInt8(ascii: "q"))
    }

    private func tell(_ request: UInt8) {
        var request = request
        _ = Glibc.write(controlWrite, &request, 1)
    }

    private func waitsForRequest() -> Bool {
        var request: UInt8 = 0
        var count = read(controlRead, &request, 1)
        while count < 0, errno == EINTR { count = read(controlRead, &request, 1) }
        return count == 1 && request == UInt8(ascii: "m")
    }

    /// - Returns: `false` at the end of the input, or when no more is wanted.
    private func reads() -> Bool {
        while true {
            var entries = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: controlRead, events: Int16(POLLIN), revents: 0),
            ]
            if poll(&entries, 2, -1) < 0, errno == EINTR { continue }
            if entries[0].revents == 0 { return false }
            var bytes = [UInt8](repeating: 0, count: Self.pieceBytes)
            let count = read(descriptor, &bytes, bytes.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            sink(count > 0 ? Array(bytes[..<count]) : nil)
            return count > 0
        }
    }
}
