import Bluetooth

/// The service of the REPL, after Nordic's UART example (monocle-micropython, `main.c`).
public enum REPLService {
    public static let service = AttributeID("6e400001-b5a3-f393-e0a9-e50e24dcca9e")
    public static let receive = AttributeID("6e400002-b5a3-f393-e0a9-e50e24dcca9e")
    /// Unit to host: notifications that cut the output at any byte.
    public static let transmit = AttributeID("6e400003-b5a3-f393-e0a9-e50e24dcca9e")
}

/// The control characters of MicroPython's REPL (micropython, `shared/runtime/pyexec.c`).
enum Control {
    /// ^A: enter the raw REPL.
    static let enterRaw: UInt8 = 0x01
    /// ^B: leave it for the friendly one.
    static let leaveRaw: UInt8 = 0x02
    /// ^C: interrupt what runs, or forget the line that was begun.
    static let interrupt: UInt8 = 0x03
    /// ^D: run the code sent so far; soft reset when there is none.
    static let execute: UInt8 = 0x04
    /// ^E: asks for raw-paste mode when `A` and ^A follow.
    static let paste: UInt8 = 0x05
    /// The Monocle reboots into safe mode when it receives this byte anywhere.
    static let safeMode: UInt8 = 0x1C

    static let banner = Array("raw REPL; CTRL-B to exit\r\n>".utf8)

    /// What gets any unit to the raw prompt, sent again until it does (monocle-micropython, `main.c`).
    ///
    /// A ^C that interrupts running code leaves a stale byte in the unit's ring, whatever lay there 1024 bytes before: at the
    /// friendly prompt it makes ^A the start of a line, and a stale ^D restarts Python. So there is one ^C only: what it
    /// leaves is cleared by that of the next packet, which at a prompt is an ordinary byte.
    static let poll: [UInt8] = [interrupt, enterRaw]
}
