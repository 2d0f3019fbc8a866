import CZip
import Glibc

/// Reads entries of a zip archive. Checks sizes before and during inflation, since an archive may state false ones.
public struct ArchiveReader {
    /// Runs `body` on the opened archive.
    /// - Throws: ``ArchiveError``, and what `body` throws.
    public static func open<Result>(
        _ content: ArchiveContent, limits: ArchiveLimits, _ body: (ArchiveReader) throws -> Result
    ) throws -> Result {
        let names = try ArchiveDirectory.names(in: content, limits: limits)
        var error = zip_error_t()
        zip_error_init(&error)
        defer { zip_error_fini(&error) }
        guard let source = content.makeSource(&error) else { throw broken(&error) }
        guard let archive = zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error) else {
            zip_source_free(source)
            throw broken(&error)
        }
        defer { zip_discard(archive) }
        let reader = ArchiveReader(archive: archive, names: names.map { String(decoding: $0, as: UTF8.self) })
        guard reader.namesOfLibrary() == names else { throw ArchiveError.notAnArchive(reason: "it holds two directories that differ") }
        try reader.checkContent(limit: limits.contentByteCount)
        return try body(reader)
    }

    /// Opens an archive in memory.
    public static func open<Result>(_ bytes: [UInt8], limits: ArchiveLimits, _ body: (ArchiveReader) throws -> Result) throws -> Result {
        try open(ArchiveContent(bytes), limits: limits, body)
    }

    /// Bytes unpacked at a time.
    private static let pieceByteCount = 256 << 10

    private let archive: OpaquePointer
    /// In the directory's order; all safe and unique.
    public let names: [String]

    /// - Parameter limit: in bytes.
    public func read(_ name: String, limit: Int) throws(ArchiveError) -> [UInt8] {
        var bytes: [UInt8] = []
        try read(name, limit: limit) { bytes += $0 }
        return bytes
    }

    /// Passes on an entry in pieces. The entry is complete only when this returns.
    public func read(_ name: String, limit: Int, _ take: (ArraySlice<UInt8>) -> Void) throws(ArchiveError) {
        let index = zip_name_locate(archive, name, zip_flags_t(ZIP_FL_ENC_RAW))
        guard index >= 0 else { throw .entryMissing(name: name) }
        let size = try statedSize(of: UInt64(index), name: name)
        guard size <= UInt64(limit) else { throw .entryTooLarge(name: name, byteCount: size, limit: limit) }
        guard let file = zip_fopen_index(archive, UInt64(index), 0) else { throw damaged(name, ArchiveError.text(zip_strerror(archive))) }
        defer { zip_fclose(file) }
        try inflate(file, name: name, size: Int(size), take)
    }

    private func checkContent(limit: Int) throws(ArchiveError) {
        var total: UInt64 = 0
        for (index, name) in names.enumerated() {
            let (sum, overflows) = total.addingReportingOverflow(try statedSize(of: UInt64(index), name: name))
            total = overflows ? .max : sum
            guard total <= UInt64(limit) else { throw .contentTooLarge(byteCount: total, limit: limit) }
        }
    }

    private func statedSize(of index: UInt64, name: String) throws(ArchiveError) -> UInt64 {
        var status = zip_stat_t()
        let wanted = UInt64(ZIP_STAT_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD)
        guard zip_stat_index(archive, index, 0, &status) == 0, status.valid & wanted == wanted else {
            throw damaged(name, "its directory entry is incomplete")
        }
        guard status.encryption_method == UInt16(ZIP_EM_NONE) else { throw damaged(name, "it is encrypted") }
        guard [ZIP_CM_STORE, ZIP_CM_DEFLATE].contains(Int32(status.comp_method)) else {
            throw damaged(name, "its compression method \(status.comp_method) is unusual")
        }
        guard isPlainFile(index) else { throw damaged(name, "it is a link or another special file") }
        return status.size
    }

    /// Only Unix writes a file's type into an archive, and many tools omit it there too.
    private func isPlainFile(_ index: UInt64) -> Bool {
        var system: UInt8 = 0
        var attributes: UInt32 = 0
        guard zip_file_get_external_attributes(archive, index, 0, &system, &attributes) == 0 else { return false }
        let type = mode_t(attributes >> 16) & S_IFMT
        return system != UInt8(ZIP_OPSYS_UNIX) || type == 0 || type == S_IFREG
    }

    /// Reads one byte past the stated size: libzip compares the CRC-32 at the end.
    private func inflate(_ file: OpaquePointer, name: String, size: Int, _ take: (ArraySlice<UInt8>) -> Void) throws(ArchiveError) {
        var piece = [UInt8](repeating: 0, count: min(size + 1, Self.pieceByteCount))
        var count = 0
        while count <= size {
            let read = zip_fread(file, &piece, UInt64(min(piece.count, size + 1 - count)))
            guard read >= 0 else { throw damaged(name, ArchiveError.text(zip_file_strerror(file))) }
            if read == 0 { break }
            count += Int(read)
            if count <= size { take(piece.prefix(Int(read))) }
        }
        guard count == size else { throw damaged(name, "its size is not the stated one") }
    }

    private func namesOfLibrary() -> [[UInt8]] {
        let count = max(0, zip_get_num_entries(archive, 0))
        return (0..<count).map { index in
            guard let name = zip_get_name(archive, UInt64(index), zip_flags_t(ZIP_FL_ENC_RAW)) else { return [] }
            return Array(String(cString: name).utf8)
        }
    }

    private func damaged(_ name: String, _ reason: String) -> ArchiveError { .entryDamaged(name: name, reason: reason) }

    private static func broken(_ error: inout zip_error_t) -> ArchiveError {
        // libzip's message makes no sense for an archive in memory: a zip64 size without its extension.
        if zip_error_code_zip(&error) == ZIP_ER_NOENT { return .notAnArchive(reason: "a size in its directory is wrong") }
        return .notAnArchive(reason: ArchiveError.text(zip_error_strerror(&error)))
    }
}
