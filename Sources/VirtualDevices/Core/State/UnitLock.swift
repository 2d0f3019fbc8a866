import Bluetooth
import Foundation
import Support

/// An exclusive lock on a unit's folder.
public final class UnitLock: Sendable {
    private let descriptor: Int32

    init(file: URL) throws {
        descriptor = open(file.path, O_RDWR | O_CREAT | OpenedFile.flags, 0o600)
        guard descriptor >= 0 else { throw UnitFolderError.unwritable(path: file.path, reason: String(cString: strerror(errno))) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            var holder = [UInt8](repeating: 0, count: 32)
            // `deinit` closes it, here too.
            let count = max(0, pread(descriptor, &holder, holder.count, 0))
            throw LinkError.busy("process \(String(decoding: holder[..<count], as: UTF8.self))")
        }
        ftruncate(descriptor, 0)
        let text = Array("\(getpid())".utf8)
        _ = pwrite(descriptor, text, text.count, 0)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
