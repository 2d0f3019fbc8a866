import Archive
import Cryptography
import Support

// Nothing is held in memory that can be looked at in pieces: a bundle for other tools may have 256 MiB.
extension ReleaseBundle {
    static func opened<Result>(
        _ content: ArchiveContent, _ limits: ScriptLimits, _ place: String, _ body: (ArchiveReader) throws(BundleError) -> Result
    ) throws(BundleError) -> Result {
        do {
            return try ArchiveReader.open(content, limits: archiveLimits(limits), body)
        } catch let error as BundleError {
            throw error
        } catch let error as ArchiveError {
            throw .archive(error, place: place)
        } catch {
            throw .manifestInvalid(reason: SystemError.text(error))
        }
    }

    static func read(
        _ name: String, in archive: ArchiveReader, limit: Int, _ place: String
    ) throws(BundleError) -> [UInt8] {
        do {
            return try archive.read(name, limit: limit)
        } catch {
            throw .archive(error, place: place)
        }
    }

    /// A listed file, held against its digest: nothing is taken for granted of what was read before.
    static func read(
        _ file: BundleManifest.File, in archive: ArchiveReader, _ place: String
    ) throws(BundleError) -> [UInt8] {
        var bytes: [UInt8] = []
        try read(file, in: archive, place) { bytes += $0 }
        return bytes
    }

    static func read(
        _ file: BundleManifest.File, in archive: ArchiveReader, _ place: String, _ take: (ArraySlice<UInt8>) -> Void
    ) throws(BundleError) {
        let stream = SHA256Stream()
        var byteCount = 0
        do {
            try archive.read(file.file, limit: file.bytes) { piece in
                stream.update(piece)
                byteCount += piece.count
                take(piece)
            }
        } catch {
            throw .archive(error, place: place)
        }
        let digest = HexText.encode(stream.finish())
        guard byteCount == file.bytes, digest == file.sha256 else {
            throw .digestDiffers(file: file.file, place: place, expected: file.sha256, actual: digest)
        }
    }

    /// SHA-256 of the whole file.
    static func digest(of content: ArchiveContent, _ place: String) throws(BundleError) -> String {
        let (digest, pieceByteCount) = (SHA256Stream(), 256 << 10)
        for start in stride(from: 0, to: content.byteCount, by: pieceByteCount) {
            guard let piece = content.read(from: start, count: pieceByteCount) else {
                throw .archive(.notAnArchive(reason: "it cannot be read"), place: place)
            }
            digest.update(piece)
        }
        return HexText.encode(digest.finish())
    }
}
