import CZip
import Glibc
import Support

/// The bytes of an archive: in memory, or in a file that is read as needed.
public struct ArchiveContent: Sendable {
    public let byteCount: Int
    private let bytes: @Sendable (Range<Int>) -> ArraySlice<UInt8>?

    public init(_ bytes: [UInt8]) {
        byteCount = bytes.count
        self.bytes = { bytes[$0] }
    }

    /// - Parameter file: may change, so readers must check digests.
    public init(_ file: OpenedFile) {
        byteCount = file.byteCount
        bytes = { range in
            guard let read = try? file.read(from: range.lowerBound, capacity: range.count), read.count == range.count else { return nil }
            return read[...]
        }
    }

    /// Up to `count` bytes from `start` on.
    /// - Returns: fewer than `count` only at the end; `nil` when they cannot be read.
    public func read(from start: Int, count: Int) -> ArraySlice<UInt8>? {
        guard (0...byteCount).contains(start), count >= 0 else { return nil }
        return bytes(start..<(start + min(count, byteCount - start)))
    }

    /// - Returns: a source that libzip reads as needed and frees; `nil` without memory.
    func makeSource(_ error: inout zip_error_t) -> OpaquePointer? {
        let state = Unmanaged.passRetained(ContentSource(self))
        let source = zip_source_function_create(ContentSource.answer, state.toOpaque(), &error)
        if source == nil { state.release() }
        return source
    }
}

/// Content as libzip asks for it.
private final class ContentSource {
    private let content: ArchiveContent
    private var position = 0
    private var error = zip_error_t()

    init(_ content: ArchiveContent) {
        self.content = content
        zip_error_init(&error)
    }

    deinit { zip_error_fini(&error) }

    static let answer: zip_source_callback = { state, data, length, command in
        guard let state else { return -1 }
        let retained = Unmanaged<ContentSource>.fromOpaque(state)
        let source = retained.takeUnretainedValue()
        switch command {
        case ZIP_SOURCE_OPEN: source.position = 0
        case ZIP_SOURCE_READ: return source.read(into: data, length)
        case ZIP_SOURCE_SEEK: return source.seek(data, length)
        case ZIP_SOURCE_TELL: return Int64(source.position)
        case ZIP_SOURCE_STAT: return source.describe(in: data, length)
        case ZIP_SOURCE_ERROR: return zip_error_to_data(&source.error, data, length)
        case ZIP_SOURCE_CLOSE: break
        case ZIP_SOURCE_FREE: retained.release()
        case ZIP_SOURCE_SUPPORTS:
            let commands = [
                ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_CLOSE,
                ZIP_SOURCE_FREE, ZIP_SOURCE_SUPPORTS,
            ]
            return commands.reduce(0) { $0 | 1 << Int64($1.rawValue) }
        default: return -1
        }
        return 0
    }

    private func read(into data: UnsafeMutableRawPointer?, _ length: UInt64) -> Int64 {
        guard let data, let bytes = content.read(from: position, count: Int(clamping: length)) else {
            zip_error_set(&error, ZIP_ER_READ, EIO)
            return -1
        }
        bytes.withUnsafeBytes { buffer in
            if let base = buffer.baseAddress { memcpy(data, base, buffer.count) }
        }
        position += bytes.count
        return Int64(bytes.count)
    }

    private func seek(_ data: UnsafeMutableRawPointer?, _ length: UInt64) -> Int64 {
        let target = zip_source_seek_compute_offset(UInt64(position), UInt64(content.byteCount), data, length, &error)
        guard target >= 0 else { return -1 }
        position = Int(target)
        return 0
    }

    private func describe(in data: UnsafeMutableRawPointer?, _ length: UInt64) -> Int64 {
        guard let data, length >= UInt64(MemoryLayout<zip_stat_t>.size) else { return -1 }
        let status = data.assumingMemoryBound(to: zip_stat_t.self)
        zip_stat_init(status)
        status.pointee.size = UInt64(content.byteCount)
        status.pointee.valid = UInt64(ZIP_STAT_SIZE)
        return Int64(MemoryLayout<zip_stat_t>.size)
    }
}
