import Foundation
import Glibc

/// The file systems on which SQLite's WAL cannot work, because their clients share no memory.
enum FileSystemKind {
    private static let networked: Set<Substring> = [
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "coda", "ncpfs", "lustre", "ocfs2", "gfs2", "gpfs", "glusterfs",
        "orangefs", "beegfs", "vboxsf", "prl_fs", "fuse", "fuseblk",
    ]

    /// - Parameter type: such as `nfs4` or `fuse.sshfs`.
    static func isNetworked(_ type: String) -> Bool {
        networked.contains(type.prefix { $0 != "." })
    }

    /// The type of a folder's file system, such as `ext4`; `nil` if the kernel does not report it.
    static func type(of folder: String) -> String? {
        var status = stat()
        guard stat(folder, &status) == 0, let mounts = FileManager.default.contents(atPath: "/proc/self/mountinfo") else { return nil }
        return type(device: UInt64(status.st_dev), mounts: String(decoding: mounts, as: UTF8.self))
    }

    /// - Parameter mounts: `/proc/self/mountinfo` of proc(5): the third field is the device, the type follows a single `-`.
    static func type(device: UInt64, mounts: String) -> String? {
        let name = "\(major(device)):\(minor(device))"
        for line in mounts.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 6, fields[2] == name, let dash = fields.dropFirst(6).firstIndex(of: "-") else { continue }
            return fields.indices.contains(dash + 1) ? String(fields[dash + 1]) : nil
        }
        return nil
    }

    /// Splits a `dev_t` like glibc's `sys/sysmacros.h`.
    private static func major(_ device: UInt64) -> UInt64 { device >> 8 & 0xFFF | device >> 32 & ~0xFFF }
    private static func minor(_ device: UInt64) -> UInt64 { device & 0xFF | device >> 12 & 0xFFFF_FF00 }
}
