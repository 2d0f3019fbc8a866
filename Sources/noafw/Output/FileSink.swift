import Glibc
import Synchronization

/// A descriptor as a text sink, unbuffered: what was said stays said when the process is killed.
final class FileSink: Sendable {
    private let descriptor: Int32
    private let failure = Atomic<Bool>(false)

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Whether some text was lost, to a full disk or a reader that went away.
    var hasFailed: Bool { failure.load(ordering: .relaxed) }

    var sink: TextSink {
        TextSink(
            isTerminal: isatty(descriptor) == 1, columns: { [self] in Int(size.ws_col) }, rows: { [self] in Int(size.ws_row) },
            bytes: { [self] bytes in write(bytes) }, write: { [self] text in write(Array(text.utf8)) })
    }

    private var size: winsize {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        }
        return size
    }

    /// A descriptor shared with another program may have been made non-blocking by it.
    private func waitedForRoom() -> Bool {
        guard errno == EAGAIN else { return false }
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&entry, 1, -1) > 0 && entry.revents & Int16(POLLOUT) != 0
    }

    private func write(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let written = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if written < 0, errno == EINTR || waitedForRoom() { continue }
                guard written > 0 else { return failure.store(true, ordering: .relaxed) }
                rest = rest.dropFirst(written)
            }
        }
    }
}
