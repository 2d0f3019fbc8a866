/// What a family's scripts are called, in which order they go, and what knows their syntax. Each family brings its own value.
public struct ScriptFamily: Sendable, Hashable {
    /// The family's short name, as manifests have it.
    public let name: String
    /// What the name of every script ends in, such as `.py`.
    public let suffix: String
    /// The phone app's order; the scripts that it does not name come behind, by name.
    let appOrder: [String]
    public let syntax: SyntaxTool

    public init(name: String, suffix: String, appOrder: [String] = [], syntax: SyntaxTool) {
        self.name = name
        self.suffix = suffix
        self.appOrder = appOrder
        self.syntax = syntax
    }

    /// The script that a unit starts; it carries the version.
    public var mainName: String { "main" + suffix }
}

/// In which order scripts are hashed and installed.
public enum ScriptOrder: Sendable, Hashable {
    /// The phone app's; other files come behind those, by name, and the main script is last.
    case app
    /// As given. The main script has to be last: it claims the version, and may do so only when all others are in place.
    case declared
}

/// How many scripts are taken, and how long they may be.
public struct ScriptLimits: Sendable, Hashable {
    public var fileCount: Int
    public var fileByteCount: Int
    /// Bytes of all files together.
    public var totalByteCount: Int

    public init(fileCount: Int, fileByteCount: Int, totalByteCount: Int) {
        self.fileCount = fileCount
        self.fileByteCount = fileByteCount
        self.totalByteCount = totalByteCount
    }

    /// More than any unit's file system and heap hold.
    public static let unit = ScriptLimits(fileCount: 64, fileByteCount: 1 << 20, totalByteCount: 64 << 20)
    /// A bundle may serve other tools than ours.
    public static let bundle = ScriptLimits(fileCount: 10_000, fileByteCount: 16 << 20, totalByteCount: 256 << 20)
}
