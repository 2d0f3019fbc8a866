import CZip
import Glibc

/// An archive's bytes as libzip asks for them.
final class ContentSource {
    private let content: ArchiveContent
    private var position = 0
    private var error = zip_error_t()

    private init(_ content: ArchiveContent) {
        self.content = content
        zip_error_init(&error)
    }

    deinit { zip_error_fini(&error) }

    /// - Returns: a source that libzip frees; `nil` without memory.
    static func make(_ content: ArchiveContent, _ error: inout zip_error_t) -> OpaquePointer? {
        let state = Unmanaged.passRetained(ContentSource(content))
        let source = zip_source_function_create(answer, state.toOpaque(), &error)
        if source == nil { state.release() }
        return source
    }

    private static let answer: zip_source_callback = { state, data, length, command in
        guard let state else { return -1 }
        let source = Unmanaged<ContentSource>.fromOpaque(state)
        switch command {
        case ZIP_SOURCE_OPEN:
            source.takeUnretainedValue().position = 0
            return 0
        case ZIP_SOURCE_READ: return source.takeUnretainedValue().read(into: data, length)
        case ZIP_SOURCE_SEEK: return source.takeUnretainedValue().seek(data, length)
        case ZIP_SOURCE_TELL: return Int64(source.takeUnretainedValue().position)
        case ZIP_SOURCE_STAT: return source.takeUnretainedValue().describe(in: data, length)
        case ZIP_SOURCE_ERROR: return zip_error_to_data(&source.takeUnretainedValue().error, data, length)
        case ZIP_SOURCE_CLOSE: return 0
        case ZIP_SOURCE_FREE:
            source.release()
            return 0
        case ZIP_SOURCE_SUPPORTS:
            let commands = [
                ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_CLOSE,
                ZIP_SOURCE_FREE, ZIP_SOURCE_SUPPORTS,
            ]
            return commands.reduce(0) { $0 | 1 << Int64($1.rawValue) }
        default: return -1
        }
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
