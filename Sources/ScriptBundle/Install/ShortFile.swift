import Cryptography
import REPL
import Support

/// The replacement of a short file on a unit whose Python was just restarted: in one go, without the helper, which alone takes longer.
///
/// As with the helper the copy is read back and digested before it takes the file's place. The digest covers its name, too: none of the
/// commands has a check of its own.
struct ShortFile {
    /// Bytes that take as long as the helper.
    static let byteLimit = 4096
    private static let done = Array("True".utf8)

    let file: ScriptSet.File

    static func opening(_ copyName: String) -> String {
        """
        import uos as _o,uhashlib as _h
        _o.chdir('/')
        _n=\(ScriptHelper.literal(copyName))
        _f=open(_n,'wb')
        """
    }

    static func closing(_ digest: [UInt8]) -> [UInt8] {
        Array(
            """
            _f.close()
            _h=_h.sha256(_n.encode())
            _f=open(_n,'rb')
            _d=_f.read(512)
            while _d:
             _h.update(_d)
             _d=_f.read(512)
            _f.close()
            if _h.digest()==
            """.utf8) + PythonLiteral.bytes(digest)
            + Array(":\n _o.rename(_n,_n[:-\(ScriptSet.copySuffix.utf8.count)])\n print(True)".utf8)
    }

    /// What is open would be in the way of the helper's copy.
    static let abandoning = "try:\n _f.close()\nexcept(NameError,AttributeError,OSError):\n pass"

    static var sentCode: [String] {
        [opening("a"), String(decoding: closing(Array("of the name and the content".utf8)), as: UTF8.self), abandoning]
    }

    private var commands: [PythonCode] {
        get throws {
            let name = file.copyName
            var codes = [Array(Self.opening(name).utf8)]
            var rest = file.bytes[...]
            while !rest.isEmpty {
                let piece = PythonLiteral.prefix(of: rest, room: PythonCode.maximumPipelinedByteCount - 13)
                codes.append(Array("_f.write(".utf8) + PythonLiteral.bytes(piece) + [UInt8(ascii: ")")])
                rest = rest[piece.endIndex...]
            }
            return try (codes + [Self.closing(SHA256.of(Array(name.utf8) + file.bytes))]).map { try PythonCode(bytes: $0) }
        }
    }

    /// - Returns: whether the file is in its place. Otherwise the helper has to do it.
    func replace(over session: HelperSession) async throws -> Bool {
        guard file.bytes.count <= Self.byteLimit, session.repl.lacksHelpers else { return false }
        do {
            var answer: [UInt8] = []
            try await session.repl.pipeline(try commands, within: session.patience) { answer = $1 }
            return answer.prefix(Self.done.count) == Self.done[...]
        } catch where session.isTransient(error) {
            try await session.retrying({ _ in }) {
                if !session.repl.isInStep { try await session.repl.recover(within: HelperSession.recoveryTimeout) }
                _ = try await session.repl.run(PythonCode(Self.abandoning), within: session.patience)
            }
            return false
        }
    }
}
