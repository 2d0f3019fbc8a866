import Support

/// What a unit's Lua had to say when code failed: untrusted, but one line of printable characters.
public struct LuaException: Sendable, Hashable {
    /// Such as `[string "main.lua"]:3: attempt to call a nil value (global 'start')`; at most 300 bytes of the unit's.
    public let message: String

    private static let limit = 300
    private static let interruption = "break signal"
    /// What `main.lua` is started by; its errors begin with it (frame-codebase, `luaport.c`).
    private static let mainChunk = "[string \"frame.stay_awake(false); require('main')\"]:1: "
    /// Up to v24.267.
    private static let olderMainChunk = "[string \"require('main')\"]:1: "

    public init(_ text: some Collection<UInt8>) {
        let message = PrintableText.of(text.prefix(Self.limit))
        self.message = message.isEmpty ? "unknown error" : message
    }

    /// The code was interrupted by a host. The text says where, in front of that (frame-codebase, `luaport.c`).
    public var isInterruption: Bool { message.hasSuffix(Self.interruption) }

    /// `main.lua` has ended by it, or is missing.
    public var endsProgram: Bool { message.hasPrefix(Self.mainChunk) || message.hasPrefix(Self.olderMainChunk) }

    /// An error of a command or of the program, as Lua words it.
    var isOfAChunk: Bool { message.hasPrefix("[string \"") }

    /// There is no `main.lua`: since v24.267 the unit says so.
    var isMissingProgram: Bool { endsProgram && message.hasSuffix("cannot open file: main.lua") }

    /// ``message`` with the lines of `main.lua` as its author counts them: on the unit the version's line is in front of them.
    public var programMessage: String {
        message.replacing(/\[string "main\.lua"\]:([0-9]+):/) { match in
            guard let line = Int(match.1), line > 1 else { return String(match.0) }
            return "[string \"main.lua\"]:\(line - 1):"
        }
    }

    public var isMemoryError: Bool { message.hasSuffix("not enough memory") }
}
