import REPL

/// What a unit says of one of its files.
struct RemoteFile: Sendable, Hashable {
    let sha256: [UInt8]
    let byteCount: Int
}

/// The helper that runs on the unit, as the global `_ns`: it hashes files in pieces and appends to one new file at a time, each
/// piece checked by offset and CRC-32 first.
struct ScriptHelper: Sendable {
    static let command = Duration.seconds(10)

    private static let source = #"""
        import os,binascii,hashlib
        class NoaScripts:
         def __init__(s):
          s.f=None
          s.n=-1
         def say(s,x):
          print(x,binascii.crc32(x.encode()))
         def at(s):
          s.say(str(s.n))
         def sha(s,p):
          try:
           f=open(p,'rb')
          except OSError:
           return s.say('-')
          h=hashlib.sha256()
          n=0
          d=f.read(512)
          while d:
           h.update(d)
           n+=len(d)
           d=f.read(512)
          f.close()
          s.say(binascii.hexlify(h.digest()).decode()+' '+str(n))
         def ls(s):
          s.say(' '.join([binascii.hexlify(e[0].encode()).decode() for e in os.ilistdir() if e[1]==0x8000]))
         def free(s):
          v=os.statvfs(os.getcwd())
          s.say(str(v[0])+' '+str(v[0]*v[3]))
         def new(s,p):
          s.end()
          s.f=open(p,'wb')
          s.p=p
          s.n=0
          s.at()
         def a(s,o,c,d):
          if s.n==o and binascii.crc32(d)==c:
           s.n=-1
           s.f.write(d)
           s.n=o+len(d)
          s.at()
         def cur(s):
          s.say(s.p if s.f else '')
         def end(s):
          if s.f:
           s.f.close()
          s.f=None
          s.n=-1
         def drop(s,p):
          try:
           os.remove(p)
          except OSError:
           pass
         def move(s,p):
          os.rename(p+'.new',p)
        _ns=NoaScripts()
        _ns.v=1
        """#

    let repl: PythonREPL

    func ensure() async throws {
        let probe = "try:\n v=_ns.v\nexcept (NameError,AttributeError):\n v=0\nprint('helper',v)"
        if try await repl.runText(probe, within: Self.command) == "helper 1" { return }
        _ = try await repl.run(PythonCode(Self.source), within: Self.command)
    }

    /// Runs a method that answers nothing.
    func tell(_ call: String) async throws {
        _ = try await repl.run(PythonCode("_ns.\(call)"), within: Self.command)
    }

    /// Runs a method that changes nothing, or nothing the second time, and returns its answer.
    func ask(_ call: String) async throws -> String {
        try await CheckedAnswer.insisting {
            try CheckedAnswer.decode(await repl.run(PythonCode("_ns.\(call)"), within: Self.command))
        }
    }

    /// `nil` when there is no such file.
    func file(_ name: String) async throws -> RemoteFile? {
        let answer = try await ask("sha(\(Self.literal(name)))")
        if answer == "-" { return nil }
        let parts = answer.split(separator: " ")
        guard parts.count == 2, let digest = HexText.decode(parts[0]), let byteCount = Int(parts[1]) else {
            throw REPLError.garbage("a file's digest")
        }
        return RemoteFile(sha256: digest, byteCount: byteCount)
    }

    /// Names of all files; a name that is not UTF-8 loses the bytes that are not.
    func names() async throws -> [String] {
        try await ask("ls()").split(separator: " ").map { word in
            guard let bytes = HexText.decode(word) else { throw REPLError.garbage("a list of files") }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// The size of a block and the bytes in free ones.
    func space() async throws -> (blockByteCount: Int, freeByteCount: Int) {
        let parts = try await ask("free()").split(separator: " ").compactMap { Int($0) }
        guard parts.count == 2, parts[0] > 0 else { throw REPLError.garbage("the free space") }
        return (parts[0], parts[1])
    }

    /// Where the file under way stands; `nil` when there is none.
    func position() async throws -> Int? {
        try Self.position(from: await ask("at()"))
    }

    static func position(from text: String) throws -> Int? {
        guard let value = Int(text) else { throw REPLError.garbage("a position") }
        return value < 0 ? nil : value
    }

    static func literal(_ name: String) -> String {
        String(decoding: PythonLiteral.string(name), as: UTF8.self)
    }
}
