import Bluetooth

/// The service of Frame's Lua (frame-codebase, `bluetooth.c`).
public enum LuaService {
    public static let service = AttributeID("7a230001-5475-a6a4-654c-8431f6ad49c4")
    /// Host to unit: write, and write without response, both over an encrypted link only.
    public static let receive = AttributeID("7a230002-5475-a6a4-654c-8431f6ad49c4")
    /// Unit to host: a notification for each print or message.
    public static let transmit = AttributeID("7a230003-5475-a6a4-654c-8431f6ad49c4")
}

/// The first byte of a write decides its kind (frame-codebase, `bluetooth.c`, `luaport.c`).
enum LuaSignal {
    /// Precedes a message, in both directions.
    static let message: UInt8 = 0x01
    /// Raises an error in the running Lua code.
    static let interrupt: UInt8 = 0x03
    /// At the prompt: starts a new Lua state, which runs `main.lua`.
    static let reset: UInt8 = 0x04
}

public enum LuaNotification: Sendable, Hashable {
    /// Sent by the program; without the leading 0x01.
    case message([UInt8])
    /// Printed text, or an uncaught error. Untrusted.
    case text([UInt8])

    public init(_ bytes: [UInt8]) {
        self = bytes.first == LuaSignal.message ? .message(Array(bytes.dropFirst())) : .text(bytes)
    }
}
