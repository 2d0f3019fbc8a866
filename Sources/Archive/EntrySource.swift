import CZip
import Glibc

/// The bytes of one entry as libzip asks for them: it reads when the archive is closed, and takes no copy of its own.
final class EntrySource {
    private let bytes: [UInt8]
    private var position = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// - Returns: a source that libzip frees; `nil` without memory.
    static func make(_ bytes: [UInt8], _ archive: OpaquePointer) -> OpaquePointer? {
        let entry = Unmanaged.passRetained(EntrySource(bytes))
        let source = zip_source_function(archive, answer, entry.toOpaque())
        if source == nil { entry.release() }
        return source
    }

    private static let answer: zip_source_callback = { state, data, length, command in
        guard let state else { return -1 }
        let entry = Unmanaged<EntrySource>.fromOpaque(state)
        switch command {
        case ZIP_SOURCE_OPEN:
            entry.takeUnretainedValue().position = 0
            return 0
        case ZIP_SOURCE_READ: return entry.takeUnretainedValue().read(into: data, length)
        case ZIP_SOURCE_CLOSE: return 0
        case ZIP_SOURCE_STAT: return entry.takeUnretainedValue().describe(in: data, length)
        case ZIP_SOURCE_FREE:
            entry.release()
            return 0
        case ZIP_SOURCE_SUPPORTS:
            let commands = [ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_FREE, ZIP_SOURCE_SUPPORTS]
            return commands.reduce(0) { $0 | 1 << Int64($1.rawValue) }
        default: return -1
        }
    }

    private func read(into data: UnsafeMutableRawPointer?, _ length: UInt64) -> Int64 {
        let count = Int(min(length, UInt64(bytes.count - position)))
        guard let data, count > 0 else { return 0 }
        bytes.withUnsafeBytes { buffer in
            if let base = buffer.baseAddress { memcpy(data, base + position, count) }
        }
        position += count
        return Int64(count)
    }

    private func describe(in data: UnsafeMutableRawPointer?, _ length: UInt64) -> Int64 {
        guard let data, length >= UInt64(MemoryLayout<zip_stat_t>.size) else { return -1 }
        let status = data.assumingMemoryBound(to: zip_stat_t.self)
        zip_stat_init(status)
        status.pointee.size = UInt64(bytes.count)
        status.pointee.valid = UInt64(ZIP_STAT_SIZE)
        return Int64(MemoryLayout<zip_stat_t>.size)
    }
}
