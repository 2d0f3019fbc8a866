import Bluetooth
import ScriptBundle
import Support

/// A file as it was on a unit.
public struct KeptFile: Sendable, Hashable {
    public let path: UnitPath
    public let bytes: [UInt8]

    public init(path: UnitPath, bytes: [UInt8]) { (self.path, self.bytes) = (path, bytes) }
}

/// Where files go that a job is going to erase or to replace.
public struct FileKeeping: Sendable {
    /// As the plan names it.
    let folder: @Sendable (DeviceAddress) -> String
    /// - Parameter owed: the unit gets them back; they are remembered until it has.
    /// - Returns: the place.
    let keep: @Sendable (_ files: [KeptFile], _ unit: UnitIdentity, _ family: FamilyID, _ owed: Bool) async throws -> String
    /// What jobs that were cut short owe to a unit.
    let owed: @Sendable (DeviceAddress) async throws -> [KeptFile]
    /// Nothing is owed any more.
    let settle: @Sendable (DeviceAddress) async throws -> Void

    public init(
        folder: @escaping @Sendable (DeviceAddress) -> String,
        keep: @escaping @Sendable (_ files: [KeptFile], _ unit: UnitIdentity, _ family: FamilyID, _ owed: Bool) async throws -> String,
        owed: @escaping @Sendable (DeviceAddress) async throws -> [KeptFile],
        settle: @escaping @Sendable (DeviceAddress) async throws -> Void
    ) {
        (self.folder, self.keep, self.owed, self.settle) = (folder, keep, owed, settle)
    }
}

extension UnitFiles {
    /// Reads files of the root, and folders with all that is in them.
    /// - Parameter names: printable; a folder's may end in `/`.
    /// - Throws: ``UnitFileError/nameUnsafe(_:)`` for what could not be put back.
    func contents(of names: Set<String>) async throws -> [KeptFile] {
        var kept: [KeptFile] = []
        for file in try await list(.root) where names.contains(file.name) || file.isFolder && names.contains(file.name + "/") {
            for inner in file.isFolder ? try await tree(try file.usablePath) : [file] where !inner.isFolder {
                let path = try inner.usablePath
                kept.append(KeptFile(path: path, bytes: try await read(path, byteCount: inner.byteCount) { _ in }))
            }
        }
        return kept
    }

    func putBack(_ file: KeptFile) async throws {
        try await makeFolders(file.path.parent)
        try await write(file.bytes, to: file.path) { _ in }
    }

    /// Whether the scripts in the root are what their version line says. Without that, nothing tells a release from one that was edited.
    func holdsRelease(_ version: String, of family: ScriptFamily, besides others: Set<String>) async throws -> Bool {
        let names = Set(try await list(.root).filter { !$0.isFolder && $0.name.hasSuffix(family.suffix) }.map(\.name))
        let files = try await contents(of: names).map { ScriptSet.File(name: $0.path.text, bytes: $0.bytes) }
        return ScriptSet.isRelease(files, version, of: family)
            || ScriptSet.isRelease(files.filter { !others.contains($0.name) }, version, of: family)
    }
}
