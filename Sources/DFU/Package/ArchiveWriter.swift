import CZip
import Glibc

/// Writes a small zip archive in memory. The same entries give the same bytes: stored, sorted by name, all of them
/// dated 1980-01-01 with plain-file attributes.
enum ArchiveWriter {
    static func archive(_ entries: [String: [UInt8]]) throws -> [UInt8] {
        var error = zip_error_t()
        zip_error_init(&error)
        defer { zip_error_fini(&error) }
        guard let sink = zip_source_buffer_create(nil, 0, 0, &error) else { throw failure("no memory") }
        defer { zip_source_free(sink) }
        zip_source_keep(sink)
        guard let archive = zip_open_from_source(sink, ZIP_CREATE | ZIP_TRUNCATE, &error) else {
            zip_source_free(sink)
            throw failure("the archive cannot be created")
        }
        do {
            for (name, bytes) in entries.sorted(by: { $0.key < $1.key }) { try add(name, bytes, to: archive) }
        } catch {
            zip_discard(archive)
            throw error
        }
        guard zip_close(archive) == 0 else {
            let reason = zip_strerror(archive).map { String(cString: $0) } ?? "unknown reason"
            zip_discard(archive)
            throw failure(reason)
        }
        return try content(of: sink)
    }

    private static func add(_ name: String, _ bytes: [UInt8], to archive: OpaquePointer) throws {
        // libzip frees the copy when the archive is closed, after this array may be gone.
        guard let copy = malloc(max(1, bytes.count)) else { throw failure("no memory") }
        bytes.withUnsafeBytes { if let base = $0.baseAddress { memcpy(copy, base, $0.count) } }
        guard let source = zip_source_buffer(archive, copy, UInt64(bytes.count), 1) else {
            free(copy)
            throw failure("no memory")
        }
        let index = zip_file_add(archive, name, source, zip_flags_t(ZIP_FL_ENC_UTF_8))
        guard index >= 0 else {
            zip_source_free(source)
            throw failure("\(name) cannot be added")
        }
        let entry = UInt64(index)
        let plainFile = UInt32(0o100644) << 16
        let firstOfJanuary1980: UInt16 = 0x0021
        guard zip_set_file_compression(archive, entry, ZIP_CM_STORE, 0) == 0,
            zip_file_set_dostime(archive, entry, 0, firstOfJanuary1980, 0) == 0,
            zip_file_set_external_attributes(archive, entry, 0, UInt8(ZIP_OPSYS_UNIX), plainFile) == 0
        else { throw failure("the attributes of \(name) cannot be set") }
    }

    private static func content(of source: OpaquePointer) throws -> [UInt8] {
        var status = zip_stat_t()
        guard zip_source_stat(source, &status) == 0, zip_source_open(source) == 0 else {
            throw failure("the archive cannot be read back")
        }
        defer { zip_source_close(source) }
        var bytes = [UInt8](repeating: 0, count: Int(status.size))
        let count = zip_source_read(source, &bytes, status.size)
        guard count == Int64(status.size) else { throw failure("the archive cannot be read back") }
        return bytes
    }

    private static func failure(_ reason: String) -> DFUError { .package(.archiveNotWritten(reason: reason)) }
}
