/// A family of glasses, as far as its scripts are concerned.
public enum ScriptFamily: String, Sendable, Hashable, Codable, CaseIterable {
    /// MicroPython.
    case monocle
    /// Lua 5.4.
    case frame

    /// What the name of every script ends in.
    public var suffix: String {
        switch self {
        case .monocle: ".py"
        case .frame: ".lua"
        }
    }

    /// The script that a unit starts; it carries the version.
    public var mainName: String { "main" + suffix }

    /// The phone app's order (noa-for-ios, `Controller.swift`); it has none for the Frame.
    var appOrder: [String] {
        switch self {
        case .monocle: ["states.py", "graphics.py", "audio.py", "photo.py"]
        case .frame: []
        }
    }
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
