import REPL
import Support

extension ScriptInstaller {
    private static let prefix = Array("ARGPT_VERSION=\"".utf8)

    /// The version in `main.py`'s first line, or else the global of the running program, which is still the old one while
    /// scripts are being replaced. Untrusted but printable.
    public static func installedVersion(_ repl: PythonREPL) async throws -> String? {
        let head = try await value(of: headCode, repl)
        if head.isEmpty { return nil }
        if head.starts(with: prefix), let end = head.dropFirst(prefix.count).firstIndex(of: UInt8(ascii: "\"")) {
            return PrintableText.of(head[prefix.count..<end])
        }
        return try await runningVersion(repl)
    }

    /// The global `ARGPT_VERSION` of the program that ran last. Untrusted but printable.
    public static func runningVersion(_ repl: PythonREPL) async throws -> String? {
        let version = PrintableText.of(try await value(of: globalCode, repl))
        return version.isEmpty ? nil : version
    }

    /// A program may have changed the folder.
    private static let headCode = """
        _nr().use('os','chdir')('/')
        try:
         _n=open('main.py','rb')
         _k=_n.read(160)
         _n.close()
        except OSError:
         _k=b''
        """ + answerCode
    private static let globalCode = """
        try:
         _k=str(ARGPT_VERSION).encode()[:160]
        except NameError:
         _k=b''
        """ + answerCode
    private static let answerCode = "\n_n=_nr()\n_n.say(_n.x(_k))"

    /// All code that this module sends to a unit, except calls of the helper's methods.
    package static var sentCode: [String] {
        ScriptHelper.remote.sentCode + PythonFiles.remote.sentCode + ShortFile.sentCode + [headCode, globalCode]
    }

    private static func value(of code: String, _ repl: PythonREPL) async throws -> [UInt8] {
        let source = try PythonCode(code)
        let session = HelperSession(of: .ground, on: repl, answerTimeout: ScriptHelper.answerTimeout)
        let text = try await session.using {
            try await session.insisting { try CheckedAnswer.decode(await repl.run(source, within: session.answerTimeout)) }
        }
        guard let bytes = HexText.decode(text) else { throw REPLError.garbage("a version") }
        return bytes
    }
}
