import Support

/// The error that a unit's Lua reported: untrusted, but one printable line.
public struct LuaException: Sendable, Hashable {
    /// Such as `[string "main.lua"]:3: attempt to call a nil value (global 'start')`.
    public let message: String

    /// The chunk that starts `main.lua`; its errors begin with this (frame-codebase, `luaport.c`).
    private static let mainChunk = "[string \"frame.stay_awake(false); require('main')\"]:1: "
    private static let mainChunkUntilV24_267 = "[string \"require('main')\"]:1: "

    public init(_ text: some Collection<UInt8>) {
        let message = PrintableText.of(text.prefix(300))
        self.message = message.isEmpty ? "unknown error" : message
    }

    /// A host interrupted the code. The text before that says where (frame-codebase, `luaport.c`).
    public var isInterruption: Bool { message.hasSuffix("break signal") }

    /// It ended `main.lua`, or `main.lua` is missing.
    public var endsProgram: Bool { message.hasPrefix(Self.mainChunk) || message.hasPrefix(Self.mainChunkUntilV24_267) }

    /// A command or the program failed; Lua's own wording.
    var isOfAChunk: Bool { message.hasPrefix("[string \"") }

    /// There is no `main.lua`. The unit reports this since v24.267.
    var isMissingProgram: Bool { endsProgram && message.hasSuffix("cannot open file: main.lua") }

    /// ``message`` with line numbers of `main.lua` as its author counts them: without the version line.
    public var programMessage: String { Self.programText(message) }

    /// The same for a whole traceback.
    public static func programText(_ text: String) -> String {
        text.replacing(/\[string "main\.lua"\]:([0-9]+):/) { match in
            guard let line = Int(match.1), line > 1 else { return String(match.0) }
            return "[string \"main.lua\"]:\(line - 1):"
        }
    }

    var isMemoryError: Bool { message.hasSuffix("not enough memory") }
}
