import Bluetooth

/// The service of Frame's Lua (frame-codebase, `bluetooth.c`).
public enum LuaService {
    public static let service = AttributeID("7a230001-5475-a6a4-654c-8431f6ad49c4")
    /// Host to unit: write, and write without response, both over an encrypted link only.
    public static let receive = AttributeID("7a230002-5475-a6a4-654c-8431f6ad49c4")
    /// Unit to host: notifications, one for each thing that is printed or sent.
    public static let transmit = AttributeID("7a230003-5475-a6a4-654c-8431f6ad49c4")
}

/// The first byte of a write decides what the unit takes it for (frame-codebase, `bluetooth.c`, `luaport.c`).
enum LuaSignal {
    /// In front of a message, in both directions.
    static let message: UInt8 = 0x01
    /// Raises an error in the Lua code that runs.
    static let interrupt: UInt8 = 0x03
    /// At the prompt: a new Lua state, in which `main.lua` runs.
    static let reset: UInt8 = 0x04
}

public enum LuaNotification: Sendable, Hashable {
    /// What the program sent, without the 0x01 in front of it.
    case message([UInt8])
    /// What was printed, or the text of an error that nobody caught. Untrusted.
    case text([UInt8])

    public init(_ bytes: [UInt8]) {
        self = bytes.first == LuaSignal.message ? .message(Array(bytes.dropFirst())) : .text(bytes)
    }
}
