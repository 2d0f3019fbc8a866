import Bluetooth

/// The service of the REPL, after Nordic's UART example (monocle-micropython, `main.c`).
public enum REPLService {
    public static let service = AttributeID("6e400001-b5a3-f393-e0a9-e50e24dcca9e")
    public static let receive = AttributeID("6e400002-b5a3-f393-e0a9-e50e24dcca9e")
    /// Unit to host: notifications that split the output at any byte.
    public static let transmit = AttributeID("6e400003-b5a3-f393-e0a9-e50e24dcca9e")
}

/// The control characters of MicroPython's REPL (micropython, `shared/runtime/pyexec.c`).
enum Control {
    static let enterRaw: UInt8 = 0x01
    static let leaveRaw: UInt8 = 0x02
    static let interrupt: UInt8 = 0x03
    /// Runs the code sent so far, or soft-resets if there is none.
    static let execute: UInt8 = 0x04
    /// Asks for raw-paste mode when `A` and ^A follow.
    static let paste: UInt8 = 0x05
    /// The Monocle reboots into safe mode when it receives this byte anywhere.
    static let safeMode: UInt8 = 0x1C

    static let enter: UInt8 = 0x0D

    static let friendlyPrompt = ">>> "
    static let pastePrompt = "=== "
    static let banner = Array("raw REPL; CTRL-B to exit\r\n>".utf8)

    /// Sent until the unit is at its raw prompt. A ^C that interrupts running code leaves a stale byte from 1024 bytes earlier
    /// in the unit's ring: at the friendly prompt it makes ^A the start of a line, and a stale ^D restarts Python. So each
    /// packet has only one ^C: the next packet's, an ordinary byte at a prompt, clears what this one leaves
    /// (monocle-micropython, `main.c`).
    static let poll: [UInt8] = [interrupt, enterRaw]
}
