import REPL
import Support

struct RemoteFile: Sendable, Hashable {
    let sha256: [UInt8]
    let byteCount: Int
}

/// The helper on the unit, the global `_ns`: it hashes files and appends to one new file at a time, checking each piece by
/// offset and digest first.
struct ScriptHelper: Sendable {
    static let answerTimeout = Duration.seconds(6)
    /// The file system has 147 blocks, so a longer list is damaged.
    private static let nameLimit = 1024
    /// Bytes: far above the file system's 147 blocks of 4096 (monocle-micropython, `mpconfigport.h`).
    private static let sizeLimit = 1 << 24
    /// Bytes: above any disk.
    private static let spaceLimit = 1 << 56
    /// Their answers of 90 bytes stay below the unit's ring together.
    private static let digestsInFlight = 8

    static let remote = RemoteHelper("_ns", pieces: [reading, listing, writing, closing])

    /// `o` is the firmware's `os`.
    private static let reading = """
        class _ns(_nr):
         def sha(s,p):
          try:
           f=open(p,'rb')
          except OSError:
           return s.say('-')
          h=s.H()
          n=0
          try:
           d=f.read(512)
           while d:
            h.update(d)
            n+=len(d)
            d=f.read(512)
          finally:
           f.close()
          s.say(s.x(h.digest())+' '+str(n))
        _ns.o=_nr().get('os',())
        """

    /// `top` undoes a program's `chdir`: all names here are relative to the root. `ls` lists files and folders (ending in `/`)
    /// from number `k` on: at most 900 digits, so that the answer stays below 1000 bytes; `+` if there are more.
    private static let listing = """
        class _ns(_ns):
         def top(s):
          s.o.chdir('/')
         def ls(s,k):
          t=''
          for e in s.o.ilistdir():
           k-=1
           if k<0:
            x=s.x((e[0]+('/'if e[1]==0x4000 else'')).encode())
            if len(t)+len(x)>900:
             t+='+'
             break
            t+=x+' '
          s.say(t)
         def free(s):
          v=s.o.statvfs(s.o.getcwd())
          s.say(str(v[0])+' '+str(v[0]*v[3]))
        """

    private static let writing = """
        class _ns(_ns):
         f=None
         n=-1
         def at(s):
          s.say(str(s.n))
         def new(s,p):
          s.end()
          s.f=open(p,'wb')
          s.p=p
          s.n=0
          s.at()
         def a(s,o,c,d):
          if s.n==o and s.c(d)==c:
           s.n=-1
           s.f.write(d)
           s.n=o+len(d)
          s.at()
         def on(s,p):
          if s.f and s.p==p and s.n>=0:
           return s.at()
          s.new(p)
        """

    private static let closing = """
        class _ns(_ns):
         def end(s):
          if s.f:
           s.f.close()
          s.f=None
          s.n=-1
         def drop(s,p):
          try:
           s.o.remove(p)
          except OSError:
           pass
         def move(s,p):
          s.o.rename(p+'\(ScriptSet.copySuffix)',p)
        """

    let session: HelperSession

    init(repl: PythonREPL) {
        session = HelperSession(
            of: Self.remote, on: repl, answerTimeout: Self.answerTimeout, preparation: "top()", lastingExceptions: ["OSError"])
    }

    func file(_ name: String) async throws -> RemoteFile? { try await files([name])[0] }

    /// As many files as names.
    func files(_ names: [String]) async throws -> [RemoteFile?] {
        try await session.ask(names.map { Self.digestCall($0) }, atOnce: Self.digestsInFlight).map(Self.file(from:))
    }

    static func digestCall(_ name: String) -> String { "sha(\(literal(name)))" }

    static func file(from answer: String) throws -> RemoteFile? {
        if answer == "-" { return nil }
        let parts = answer.split(separator: " ")
        guard parts.count == 2, let digest = HexText.decode(parts[0]), let byteCount = Int(parts[1]),
            (0...sizeLimit).contains(byteCount)
        else { throw REPLError.garbage("a file's digest") }
        return RemoteFile(sha256: digest, byteCount: byteCount)
    }

    /// Names of all files and folders, read in pages. Bytes that are not UTF-8 are dropped.
    func names() async throws -> [String] {
        var names: [String] = []
        while names.count < Self.nameLimit {
            let words = try await session.ask("ls(\(names.count))").split(separator: " ")
            let hasMore = words.last == "+"
            let page = words.dropLast(hasMore ? 1 : 0)
            names += try page.map { word in
                guard let bytes = HexText.decode(word) else { throw REPLError.garbage("a list of files") }
                return String(decoding: bytes, as: UTF8.self)
            }
            if !hasMore { return names }
            if page.isEmpty { break }
        }
        throw REPLError.garbage("a list of files")
    }

    func space() async throws -> (blockByteCount: Int, freeByteCount: Int) {
        let parts = try await session.ask("free()").split(separator: " ").compactMap { Int($0) }
        guard parts.count == 2, (1...Self.sizeLimit).contains(parts[0]), (0...Self.spaceLimit).contains(parts[1]) else {
            throw REPLError.garbage("the free space")
        }
        return (parts[0], parts[1])
    }

    /// Where a new file goes on, which is begun unless it is open.
    func position(of name: String) async throws -> Int? { try Self.position(from: await session.ask("on(\(Self.literal(name)))")) }

    static func position(from text: String) throws -> Int? {
        guard let value = Int(text), (-1...sizeLimit).contains(value) else { throw REPLError.garbage("a position") }
        return value < 0 ? nil : value
    }

    static func literal(_ name: String) -> String { String(decoding: PythonLiteral.string(name), as: UTF8.self) }
}
