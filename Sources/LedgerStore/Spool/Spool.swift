import Foundation
import Glibc
import Ledger
import Support

/// Records as lines of JSON, used when the ledger cannot be written.
struct Spool: Sendable {
    struct Contents {
        var lines: [RecordLine] = []
        var rejected: [[UInt8]] = []
    }

    let path: String
    let rejectedPath: String
    /// Freed when the disk is full.
    let reservePath: String
    var timeout = Duration.seconds(5)

    static let byteLimit = 64 << 20
    static let reservedBytes: off_t = 256 << 10

    var byteCount: Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Returns once the line is on the disk.
    func append(_ record: RunRecord, owner: Int64) throws {
        let line = try RecordLine(owner: owner, record: record).encoded()
        guard line.count <= RecordLine.byteLimit else { throw StorageFault.unwritable("the record is too long") }
        try locked(O_RDWR | O_CREAT) { descriptor in
            let size = lseek(descriptor, 0, SEEK_END)
            guard size >= 0 else { throw StorageFault.last(path) }
            guard size + off_t(line.count) <= Self.byteLimit else { throw StorageFault.unwritable("\(path) is too large") }
            // A line cut off by a kill or a full disk must not swallow this one.
            let start: [UInt8] = Self.endsLine(descriptor, size) ? [] : [Self.lineEnd]
            do {
                try write(start + line + [Self.lineEnd], to: descriptor, at: size)
            } catch {
                guard truncate(reservePath, 0) == 0 else { throw error }
                try write(start + line + [Self.lineEnd], to: descriptor, at: size)
            }
            if size == 0 { LedgerFiles.synchronize(Self.folder(of: path)) }
        }
    }

    /// Passes the records to `body`, and empties the spool when `body` has put them on the disk. A kill between the two passes them
    /// again: `body` must recognise them.
    /// - Returns: the number of invalid lines, which are kept in a separate file.
    func take(_ body: ([RecordLine]) throws -> [RecordLine]) throws -> Int {
        guard byteCount > 0 else { return 0 }
        return try locked(O_RDWR) { descriptor in
            let bytes = try Self.bytes(of: path)
            let contents = Self.parse(bytes)
            var rejected = contents.rejected
            if !contents.lines.isEmpty { rejected += try body(contents.lines).map { try $0.encoded() } }
            if !rejected.isEmpty { try keep(rejected) }
            guard ftruncate(descriptor, 0) == 0, fsync(descriptor) == 0 else { throw StorageFault.last(path) }
            return rejected.count
        }
    }

    /// Reserves room on the disk for current runs in case it becomes full.
    func reserve() {
        let descriptor = open(reservePath, O_RDWR | O_CREAT | OpenedFile.flags, 0o600)
        guard descriptor >= 0 else { return }
        posix_fallocate(descriptor, 0, Self.reservedBytes)
        close(descriptor)
    }

    static func parse(_ bytes: [UInt8]) -> Contents {
        var contents = Contents()
        for line in bytes.split(separator: lineEnd) {
            if let line = try? RecordLine(line: line) {
                contents.lines.append(line)
            } else {
                contents.rejected.append(Array(line.prefix(RecordLine.byteLimit)))
            }
        }
        return contents
    }

    private static let lineEnd = UInt8(ascii: "\n")

    private func write(_ bytes: [UInt8], to descriptor: Int32, at end: off_t) throws {
        guard lseek(descriptor, end, SEEK_SET) == end, FileWriter.write(bytes, to: descriptor), fsync(descriptor) == 0 else {
            let reason = SystemError.last
            ftruncate(descriptor, end)
            throw StorageFault.unwritable("\(path): \(reason)")
        }
    }

    private static func bytes(of path: String) throws -> [UInt8] {
        do {
            return try FileReader.read(path, limit: byteLimit)
        } catch {
            throw StorageFault.unwritable(error.reason)
        }
    }

    private func keep(_ lines: [[UInt8]]) throws {
        let descriptor = open(rejectedPath, O_WRONLY | O_CREAT | O_APPEND | OpenedFile.flags, 0o600)
        guard descriptor >= 0 else { throw StorageFault.last(rejectedPath) }
        defer { close(descriptor) }
        guard FileWriter.write(lines.flatMap { $0 + [Self.lineEnd] }, to: descriptor), fsync(descriptor) == 0 else {
            throw StorageFault.last(rejectedPath)
        }
    }

    private static func endsLine(_ descriptor: Int32, _ size: off_t) -> Bool {
        var last: UInt8 = 0
        return size == 0 || pread(descriptor, &last, 1, size - 1) == 1 && last == lineEnd
    }

    private static func folder(of path: String) -> String { String(path.prefix(through: path.lastIndex(of: "/") ?? path.startIndex)) }

    /// A separate lock: the spool works while the ledger's lock is held.
    private func locked<Value>(_ flags: Int32, _ body: (Int32) throws -> Value) throws -> Value {
        try FileLock.hold(path, flags, within: timeout, body)
    }
}
