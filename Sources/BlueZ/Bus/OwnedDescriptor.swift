import Glibc
import Synchronization

/// A file descriptor with one owner: closed once, at the latest when nobody holds it any more.
final class OwnedDescriptor: Sendable {
    private let number: Mutex<Int32>

    init(_ number: Int32) { self.number = Mutex(number) }

    deinit { close() }

    /// Runs `body` on the descriptor, which cannot be closed meanwhile; `nil` when it is closed already.
    func use<Value>(_ body: (Int32) -> Value) -> Value? {
        number.withLock { $0 >= 0 ? body($0) : nil }
    }

    /// Ends the traffic at once, even while another thread polls the descriptor, and closes it.
    func close() {
        number.withLock { number in
            guard number >= 0 else { return }
            shutdown(number, Int32(SHUT_RDWR))
            _ = Glibc.close(number)
            number = -1
        }
    }
}
