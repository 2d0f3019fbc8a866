import Glibc
import Ledger
import Support

/// Tells living processes from dead ones: each locks one byte of a shared file, at a place of its own, and the kernel frees that byte
/// when the process ends, whatever ends it. Unlike process numbers, places are not used again, and they hold across containers.
final class ProcessMark: Sendable {
    private let descriptor: Int32
    /// Random; the records that this process has open hold it.
    let place: Int64
    /// Of the shared file: no other process sees a mark in a removed one.
    let identity: FileIdentity?

    /// Of `fcntl`: a lock of the open file, not of the process (Linux, `F_OFD_GETLK` and `F_OFD_SETLK`).
    private static let (getLock, setLock): (Int32, Int32) = (36, 37)

    init(path: String, random: () -> Int64 = { .random(in: 1...(1 << 62)) }) throws {
        descriptor = open(path, O_RDWR | O_CREAT | OpenedFile.flags, 0o600)
        place = random()
        identity = FileIdentity(path: path)
        guard descriptor >= 0 else { throw StorageFault.last(path) }
        var lock = Self.byte(at: place)
        guard fcntl(descriptor, Self.setLock, &lock) == 0 else {
            // `deinit` closes it, here too.
            throw StorageFault.last(path)
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Also where that cannot be found out.
    func isAlive(_ other: Int64) -> Bool {
        guard other != place else { return true }
        guard other > 0 else { return false }
        var lock = Self.byte(at: other)
        return fcntl(descriptor, Self.getLock, &lock) != 0 || lock.l_type != Int16(F_UNLCK)
    }

    private static func byte(at place: Int64) -> flock {
        flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: off_t(place), l_len: 1, l_pid: 0)
    }
}
