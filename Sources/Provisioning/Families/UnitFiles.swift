import ScriptBundle
import Support

/// A unit's file system as its owner uses it. One task uses it; a step whose answer was lost may be repeated.
public protocol UnitFiles: Sendable {
    /// Sorted by name.
    func list(_ folder: UnitPath) async throws -> [UnitFile]
    /// Whether a file has exactly these bytes, by a digest computed on the unit; `false` for a missing one.
    func holds(_ bytes: [UInt8], at path: UnitPath) async throws -> Bool
    /// Exact bytes, proved by a digest.
    /// - Parameter byteCount: as listed.
    func read(_ path: UnitPath, byteCount: Int, report: (Int) -> Void) async throws -> [UInt8]
    /// Replaces a file in one step, proved by a digest. Its folder must be there.
    func write(_ bytes: [UInt8], to path: UnitPath, report: (Int) -> Void) async throws
    /// A file, or an empty folder.
    func remove(_ path: UnitPath, isFolder: Bool) async throws
    /// In a folder that is there.
    func makeFolder(_ path: UnitPath) async throws
    func space() async throws -> UnitSpace
}

extension PythonFiles: UnitFiles {}

extension UnitFiles {
    private static var treeLimit: Int { 4096 }

    /// - Returns: `nil` if there is neither a file nor a folder of this name.
    public func find(_ path: UnitPath) async throws -> UnitFile? {
        if path.isRoot { return UnitFile(folder: .root) }
        guard let parent = try await find(path.parent), parent.isFolder else { return nil }
        return try await list(path.parent).first { $0.path == path }
    }

    /// All that is in a folder; each folder before its content.
    public func tree(_ folder: UnitPath) async throws -> [UnitFile] {
        var found: [UnitFile] = []
        for file in try await list(folder) {
            found.append(file)
            if file.isFolder { found += try await tree(try file.usablePath) }
            guard found.count <= Self.treeLimit else { throw UnitFileError.tooMany("\(folder)", limit: Self.treeLimit) }
        }
        return found
    }

    /// With the folders above it. One that is there already stays.
    /// - Returns: whether there was none.
    @discardableResult
    public func makeFolders(_ path: UnitPath) async throws -> Bool {
        guard !path.isRoot else { return false }
        if let there = try await find(path) {
            guard there.isFolder else { throw UnitFileError.isFile("\(path)") }
            return false
        }
        try await makeFolders(path.parent)
        try await makeFolder(path)
        return true
    }
}
