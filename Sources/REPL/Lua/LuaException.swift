import Support

/// What a unit's Lua said when code failed: untrusted, but one printable line.
public struct LuaException: Sendable, Hashable {
    /// Such as `[string "main.lua"]:3: attempt to call a nil value (global 'start')`.
    public let message: String

    /// What `main.lua` is started by; its errors begin with it (frame-codebase, `luaport.c`).
    private static let mainChunk = "[string \"frame.stay_awake(false); require('main')\"]:1: "
    private static let mainChunkUntilV24_267 = "[string \"require('main')\"]:1: "

    public init(_ text: some Collection<UInt8>) {
        let message = PrintableText.of(text.prefix(300))
        self.message = message.isEmpty ? "unknown error" : message
    }

    /// A host interrupted the code. The text says where, in front of that (frame-codebase, `luaport.c`).
    public var isInterruption: Bool { message.hasSuffix("break signal") }

    /// `main.lua` has ended by it, or is missing.
    public var endsProgram: Bool { message.hasPrefix(Self.mainChunk) || message.hasPrefix(Self.mainChunkUntilV24_267) }

    /// An error of a command or of the program, as Lua words it.
    var isOfAChunk: Bool { message.hasPrefix("[string \"") }

    /// There is no `main.lua`: since v24.267 the unit says so.
    var isMissingProgram: Bool { endsProgram && message.hasSuffix("cannot open file: main.lua") }

    /// ``message`` with the lines of `main.lua` as its author counts them: without the version's line.
    public var programMessage: String {
        message.replacing(/\[string "main\.lua"\]:([0-9]+):/) { match in
            guard let line = Int(match.1), line > 1 else { return String(match.0) }
            return "[string \"main.lua\"]:\(line - 1):"
        }
    }

    var isMemoryError: Bool { message.hasSuffix("not enough memory") }
}
