import Foundation
import REPL

extension ScriptSet {
    /// Reads the `.py` files of a folder; other files, such as a manifest, and hidden ones are not part of the set.
    /// - Throws: ``ScriptError``, naming file and place.
    public static func load(folder: String) throws -> ScriptSet {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw ScriptError.folderUnreadable(folder, reason: error.localizedDescription)
        }
        let scripts = names.filter { $0.hasSuffix(".py") && !$0.hasPrefix(".") }.sorted()
        guard scripts.count <= maximumFileCount else { throw ScriptError.tooManyFiles(scripts.count) }
        let files = try scripts.map { name in
            guard isSafe(name) else { throw ScriptError.nameUnsafe(name) }
            return File(name: name, bytes: try contents(of: "\(folder)/\(name)"))
        }
        return try ScriptSet(files: files, place: folder)
    }

    /// The length is looked at before the bytes are.
    private static func contents(of path: String) throws -> [UInt8] {
        do {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
            guard attributes[.type] as? FileAttributeType == .typeRegular else {
                throw ScriptError.fileUnreadable(path, reason: "not a regular file")
            }
            let byteCount = (attributes[.size] as? NSNumber)?.intValue ?? 0
            guard byteCount <= maximumFileByteCount else { throw ScriptError.fileTooLong(path, byteCount: byteCount) }
            return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch let error as ScriptError {
            throw error
        } catch {
            throw ScriptError.fileUnreadable(path, reason: error.localizedDescription)
        }
    }
}
