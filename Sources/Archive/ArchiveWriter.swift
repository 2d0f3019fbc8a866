import CZip
import Glibc

/// Writes a zip archive. The same entries give the same bytes: sorted by name, dated 1980-01-01, plain files, and stored, since
/// versions of zlib deflate differently.
public enum ArchiveWriter {
    /// - Parameter entries: contents by name; a name may be a relative path.
    public static func archive(_ entries: [String: [UInt8]]) throws(ArchiveError) -> [UInt8] {
        var error = zip_error_t()
        zip_error_init(&error)
        defer { zip_error_fini(&error) }
        guard let sink = zip_source_buffer_create(nil, 0, 0, &error) else { throw .notWritten(reason: "no memory") }
        defer { zip_source_free(sink) }
        zip_source_keep(sink)
        guard let archive = zip_open_from_source(sink, ZIP_CREATE | ZIP_TRUNCATE, &error) else {
            zip_source_free(sink)
            throw .notWritten(reason: ArchiveError.text(zip_error_strerror(&error)))
        }
        try fill(archive, with: entries)
        return try content(of: sink)
    }

    /// Adds the entries and closes the archive in any case.
    private static func fill(_ archive: OpaquePointer, with entries: [String: [UInt8]]) throws(ArchiveError) {
        do throws(ArchiveError) {
            for (name, bytes) in entries.sorted(by: { $0.key < $1.key }) { try add(name, bytes, to: archive) }
            guard zip_close(archive) == 0 else { throw .notWritten(reason: ArchiveError.text(zip_strerror(archive))) }
        } catch {
            zip_discard(archive)
            throw error
        }
    }

    private static func add(_ name: String, _ bytes: [UInt8], to archive: OpaquePointer) throws(ArchiveError) {
        guard EntryName.isSafe(Array(name.utf8), allowsFolders: true) else { throw .unsafeName(EntryName.printable(Array(name.utf8))) }
        guard let source = ArchiveContent(bytes).makeSource(&zip_get_error(archive).pointee) else { throw .notWritten(reason: "no memory") }
        let index = zip_file_add(archive, name, source, zip_flags_t(ZIP_FL_ENC_UTF_8))
        guard index >= 0 else {
            zip_source_free(source)
            throw .notWritten(reason: "\(name) cannot be added")
        }
        let entry = UInt64(index)
        let plainFile = UInt32(0o100644) << 16
        let firstOfJanuary1980: UInt16 = 0x0021
        guard zip_set_file_compression(archive, entry, ZIP_CM_STORE, 0) == 0,
            zip_file_set_dostime(archive, entry, 0, firstOfJanuary1980, 0) == 0,
            zip_file_set_external_attributes(archive, entry, 0, UInt8(ZIP_OPSYS_UNIX), plainFile) == 0
        else { throw .notWritten(reason: "the attributes of \(name) cannot be set") }
    }

    private static func content(of source: OpaquePointer) throws(ArchiveError) -> [UInt8] {
        let unreadable = ArchiveError.notWritten(reason: "the archive cannot be read back")
        var status = zip_stat_t()
        guard zip_source_stat(source, &status) == 0, zip_source_open(source) == 0 else { throw unreadable }
        defer { zip_source_close(source) }
        var bytes = [UInt8](repeating: 0, count: Int(status.size))
        guard zip_source_read(source, &bytes, status.size) == Int64(status.size) else { throw unreadable }
        return bytes
    }
}
