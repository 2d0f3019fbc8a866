import REPL

extension ScriptInstaller {
    private static let prefix = Array("ARGPT_VERSION=\"".utf8)

    /// The version of the scripts in the unit's file system: that of `main.py`'s first line, or the global of a program that
    /// sets it elsewhere. `nil` when there is neither. Untrusted, but printable.
    ///
    /// The file comes first: while scripts are being replaced the global is still that of the program that ran before.
    public static func installedVersion(_ repl: PythonREPL) async throws -> String? {
        let code = "try:\n v=open('main.py','rb')\n b=v.read(160)\n v.close()\nexcept OSError:\n b=b''"
        let head = try await value(of: "b", after: code, repl)
        if head.isEmpty { return nil }
        if head.starts(with: prefix), let end = head.dropFirst(prefix.count).firstIndex(of: UInt8(ascii: "\"")) {
            return UnitText.printable(head[prefix.count..<end])
        }
        return try await runningVersion(repl)
    }

    /// The global `ARGPT_VERSION` of the program that ran last; `nil` when there is none. Untrusted, but printable.
    public static func runningVersion(_ repl: PythonREPL) async throws -> String? {
        let code = "try:\n b=str(ARGPT_VERSION)[:160].encode()\nexcept NameError:\n b=b''"
        let version = UnitText.printable(try await value(of: "b", after: code, repl))
        return version.isEmpty ? nil : version
    }

    private static func value(of name: String, after code: String, _ repl: PythonREPL) async throws -> [UInt8] {
        let print = "\nimport binascii\nb=binascii.hexlify(\(name)).decode()\nprint(b,binascii.crc32(b.encode()))"
        let source = try PythonCode(code + print)
        let text = try await CheckedAnswer.insisting {
            try CheckedAnswer.decode(await repl.run(source, within: ScriptHelper.command))
        }
        guard let bytes = HexText.decode(text) else { throw REPLError.garbage("a version") }
        return bytes
    }
}
