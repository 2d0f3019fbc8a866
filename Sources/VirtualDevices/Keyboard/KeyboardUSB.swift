import Foundation
import Glibc
import Support

/// The keyboard's USB end: reports of 9 bytes, which it writes to a file, a line each: microseconds and the report in hexadecimal.
struct KeyboardUSB {
    private static let reportID: UInt8 = 1
    /// In bytes. A file that is full makes room: it is kept once under another name.
    private static let fileLimit = 1 << 20

    private let file: URL
    private let refused: Set<Int>
    var isPlugged: Bool
    private var isStarted = false
    private var reportCount = 0

    init(file: URL, isPlugged: Bool, refused: Set<Int>) { (self.file, self.isPlugged, self.refused) = (file, isPlugged, refused) }

    var isMounted: Bool { isPlugged && isStarted }

    mutating func start() { isStarted = true }
    mutating func stop() { isStarted = false }

    /// - Returns: `false` when the host does not take it: what is pressed stays pressed.
    mutating func send(_ report: KeyboardReport, at time: Duration) throws -> Bool {
        guard isMounted else { return false }
        reportCount += 1
        guard !refused.contains(reportCount) else {
            try note(report.usage == 0 ? "release refused" : "press refused", at: time)
            return false
        }
        let bytes = [Self.reportID, report.modifiers, 0, report.usage, 0, 0, 0, 0, 0]
        try append("\(time.wholeMicroseconds) \(HexText.encode(bytes))\n")
        return true
    }

    /// A fault, as a line that begins with `#`.
    func note(_ fault: String, at time: Duration) throws { try append("# \(time.wholeMicroseconds) \(fault)\n") }

    private func append(_ line: String) throws {
        let descriptor = open(file.path, O_WRONLY | O_CREAT | O_APPEND | OpenedFile.flags, 0o600)
        guard descriptor >= 0 else { throw UnitFolderError.unwritable(path: file.path, reason: SystemError.last) }
        let isFull = lseek(descriptor, 0, SEEK_END) > Self.fileLimit
        let isWritten = FileWriter.write(line.utf8, to: descriptor)
        let reason = SystemError.last
        close(descriptor)
        guard isWritten else { throw UnitFolderError.unwritable(path: file.path, reason: reason) }
        if isFull { rename(file.path, file.path + ".old") }
    }
}

/// What one report says: a key with its modifiers is down, or none is.
struct KeyboardReport: Hashable {
    static let release = KeyboardReport(usage: 0, modifiers: 0)

    var usage: UInt8
    var modifiers: UInt8
}
