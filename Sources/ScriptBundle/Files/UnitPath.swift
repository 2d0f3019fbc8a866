import Support

/// A place in a unit's file system, counted from its root.
public struct UnitPath: Sendable, Hashable, CustomStringConvertible {
    public static let root = UnitPath(parts: [])
    /// Bytes of a whole path: a Frame overruns a buffer from 256 on (frame-codebase, `file.c`), and a new copy's name is longer.
    private static let (lengthLimit, depthLimit) = (200, 12)

    public let parts: [String]

    private init(parts: [String]) { self.parts = parts }

    /// As an owner writes it: `lib/a.py`, `/lib/a.py`; `/`, `.` or nothing for the root.
    public init(_ text: String) throws(UnitFileError) {
        let parts = text.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }.filter { $0 != "." }
        guard let path = parts.reduce(UnitPath?.some(.root), { $0?.appending($1) }) else {
            throw .nameUnsafe(PrintableText.name(text.utf8.prefix(Self.lengthLimit)))
        }
        self = path
    }

    /// - Returns: `nil` for a name that no file can have on a unit and on this machine alike.
    public func appending(_ name: String) -> UnitPath? {
        let isSafe = !name.isEmpty && name != "." && name != ".." && !name.utf8.contains(UInt8(ascii: "/"))
            && name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F && $0 != "\u{FFFD}" }
        let path = UnitPath(parts: parts + [name])
        return isSafe && path.parts.count <= Self.depthLimit && path.text.utf8.count <= Self.lengthLimit ? path : nil
    }

    public var isRoot: Bool { parts.isEmpty }
    public var parent: UnitPath { UnitPath(parts: parts.dropLast()) }
    public var name: String { parts.last ?? "/" }
    /// Relative to the root, as a unit's functions take it.
    public var text: String { parts.joined(separator: "/") }
    /// Printable, with `:` before it as on the command line.
    public var description: String { ":" + PrintableText.name(text.utf8) }

    public func contains(_ other: UnitPath) -> Bool { other.parts.count > parts.count && other.parts.starts(with: parts) }
}

/// A file or folder on a unit.
public struct UnitFile: Sendable, Hashable {
    /// Printable.
    public let name: String
    /// `nil` for a name that noafw cannot use.
    public let path: UnitPath?
    public let isFolder: Bool
    public let byteCount: Int

    /// - Parameter name: as the unit tells it.
    package init(_ name: some Collection<UInt8>, in folder: UnitPath, isFolder: Bool, byteCount: Int) {
        self.name = PrintableText.name(name)
        path = String(validating: name, as: UTF8.self).flatMap(folder.appending)
        (self.isFolder, self.byteCount) = (isFolder, byteCount)
    }

    package init(folder path: UnitPath) { (name, self.path, isFolder, byteCount) = (path.name, path, true, 0) }

    /// - Throws: ``UnitFileError/nameUnsafe(_:)``.
    public var usablePath: UnitPath {
        get throws(UnitFileError) {
            guard let path else { throw .nameUnsafe(name) }
            return path
        }
    }
}

/// Room in a unit's file system, in bytes.
public struct UnitSpace: Sendable, Hashable {
    public let used: Int
    /// `nil` where the firmware does not tell it.
    public let total: Int?

    package init(used: Int, total: Int?) { (self.used, self.total) = (used, total) }
}
