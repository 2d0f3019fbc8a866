import Bluetooth
import Foundation
import Support

/// The Monocle's FPGA configuration flash: NOR memory, in which programming only clears bits, kept in a file.
struct FPGAFlash {
    static let pageSize = 4096
    static let pageCount = 109
    /// Address of the commit marker `done`, and so the exact size of an image.
    static let markerAddress = 444_430
    static let limit = markerAddress + 4
    static let marker = Array("done".utf8)

    private(set) var bytes: [UInt8]
    private let file: URL

    init(file: URL) throws {
        self.file = file
        let size = Self.pageSize * Self.pageCount
        let stored = try UnitFolder.reading(file, limit: size) { $0 }
        bytes = stored + [UInt8](repeating: 0xFF, count: size - stored.count)
    }

    var isCommitted: Bool { Array(bytes[Self.markerAddress..<Self.limit]) == Self.marker }
    var image: ArraySlice<UInt8> { bytes[..<Self.markerAddress] }

    mutating func erase(sector: Int) throws {
        guard (0..<Self.pageCount).contains(sector) else { return }
        let range = sector * Self.pageSize..<(sector + 1) * Self.pageSize
        bytes.erase(range)
        try store(range)
    }

    /// Bytes past the end are ignored.
    mutating func program(_ data: [UInt8], at address: Int) throws {
        guard bytes.indices.contains(address), !data.isEmpty else { return }
        let range = address..<min(bytes.count, address + data.count)
        bytes.program(data[..<range.count], at: address)
        try store(range)
    }

    func read(_ address: Int, _ length: Int) -> [UInt8] {
        let start = min(max(0, address), bytes.count)
        return Array(bytes[start..<min(bytes.count, start + length)])
    }

    private func store(_ range: Range<Int>) throws {
        let descriptor = open(file.path, O_WRONLY | OpenedFile.flags)
        defer { if descriptor >= 0 { close(descriptor) } }
        let written = bytes[range].withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(range.lowerBound)) }
        guard written == range.count else {
            let reason = written < 0 ? SystemError.last : "only \(written) of \(range.count) bytes fitted"
            throw UnitFolderError.unwritable(path: file.path, reason: reason)
        }
    }
}
