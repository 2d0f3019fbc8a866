import Glibc
import Ledger
import Support

/// Distinguishes living processes from dead ones: each locks one byte of a shared file at its own place, and the kernel frees that byte
/// however the process ends. Unlike process numbers, places are never reused and work across containers.
final class ProcessMark: Sendable {
    private let descriptor: Int32
    /// Random; stored in the records that this process has open.
    let place: Int64
    /// The shared file's: no other process sees a mark in a removed file.
    let identity: FileIdentity?

    /// Commands of `fcntl` for locks of the open file, not of the process (Linux, `F_OFD_GETLK` and `F_OFD_SETLK`).
    private static let (getLock, setLock): (Int32, Int32) = (36, 37)

    init(path: String, random: () -> Int64 = { .random(in: 1...(1 << 62)) }) throws {
        descriptor = open(path, O_RDWR | O_CREAT | OpenedFile.flags, 0o600)
        place = random()
        identity = FileIdentity(path: path)
        guard descriptor >= 0 else { throw StorageFault.last(path) }
        var lock = Self.byte(at: place)
        guard fcntl(descriptor, Self.setLock, &lock) == 0 else {
            // `deinit` closes it even here.
            throw StorageFault.last(path)
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// True also when unknown.
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
