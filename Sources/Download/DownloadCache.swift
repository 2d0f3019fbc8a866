import Cryptography
import Foundation
import Support

/// Files that were fetched, each in a folder with its digest's name.
public struct DownloadCache: Sendable {
    let folder: String

    public init(folder: String) { self.folder = folder }

    func path(of file: PinnedFile) -> String { "\(folder)/\(file.sha256)/\(file.name)" }

    /// - Returns: the path of a file that is whole; `nil` for one that is not there. A damaged one is as good as none.
    func find(_ file: PinnedFile) -> String? {
        let path = path(of: file)
        guard let bytes = try? FileReader.read(path, limit: file.byteLimit), SHA256.text(of: bytes) == file.sha256 else { return nil }
        return path
    }

    /// - Throws: ``DownloadError/notKept(path:reason:)``.
    func keep(_ bytes: [UInt8], as file: PinnedFile) throws(DownloadError) -> String {
        let path = path(of: file)
        do {
            try FileWriter.makeFolder("\(folder)/\(file.sha256)")
            // Two processes may fetch the same file: each writes its own, and either is right.
            let own = "\(path).\(UInt32.random(in: 0 ... .max))"
            try FileWriter.replace(own, with: bytes)
            guard rename(own, path) == 0 else {
                let reason = SystemError.last
                unlink(own)
                throw DownloadError.notKept(path: folder, reason: reason)
            }
        } catch let error as DownloadError {
            throw error
        } catch {
            throw .notKept(path: folder, reason: (error as? FileWriter.Failure)?.reason ?? "unknown")
        }
        return path
    }
}
