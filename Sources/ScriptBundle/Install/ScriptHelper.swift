import REPL
import Support

struct RemoteFile: Sendable, Hashable {
    /// Empty where its length is another than was asked about.
    let sha256: [UInt8]
    let byteCount: Int
}

/// The helper on the unit, the global `_ns`: it hashes files and appends to one new file at a time, checking each piece by
/// offset and digest first.
struct ScriptHelper: Sendable {
    static let answerTimeout = Duration.seconds(6)
    /// To read and digest a byte on the unit, twice as long as on the virtual one.
    private static let digestTime = Duration.microseconds(16)
    /// The file system has 147 blocks, so a longer list is damaged.
    private static let nameLimit = 1024
    /// Bytes: far above the file system's 147 blocks of 4096 (monocle-micropython, `mpconfigport.h`).
    private static let sizeLimit = 1 << 24
    /// Bytes: above any disk.
    private static let spaceLimit = 1 << 56
    /// Their answers of 90 bytes stay below the unit's ring together.
    private static let digestsInFlight = 8

    static let remote = RemoteHelper("_ns", pieces: [reading, digesting], more: [room, writing, closing, reception, taking] + input)
    private static let input = InputPiece.helper("_ns")

    /// `o` is the firmware's `os`. `top` undoes a program's `chdir`: all names here are relative to the root. `dig` digests a file, if
    /// it has `e` bytes and is not open: until an open one is closed, its old content can be read (littlefs).
    private static let reading = """
        class _ns(_nr):
         def top(s):
          s.o.chdir('/')
         def dig(s,p,e):
          s.top()
          if s.f and s.p==p:
           return':0'
          try:
           n=s.o.stat(p)[6]
           if n!=e:
            return':'+str(n)
           f=open(p,'rb')
          except OSError:
           return'-'
          h=s.H()
          try:
           s.red(f,h)
          finally:
           f.close()
          return s.x(h.digest())+':'+str(n)
        _ns.o=_nr().get('os',())
        _ns.f=0
        """

    /// `ls` lists files and folders (ending in `/`) from number `k` on: at most 900 digits, so that the answer stays below 1000 bytes with
    /// one of `free`; `+` if there are more.
    private static let digesting = """
        class _ns(_ns):
         def red(s,f,h):
          b=bytearray(512)
          k=f.readinto(b)
          while k:
           h.update(b if k==512 else b[:k])
           k=f.readinto(b)
         def sha(s,p,e):
          s.say(s.dig(p,e))
         def ls(s,k):
          s.top()
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
        """

    /// `free` also says how much of the heap is.
    private static let room = """
        class _ns(_ns):
         I=getattr(getattr(sys,'stdin',0),'readinto',0)
         def free(s):
          import gc
          gc.collect()
          v=s.o.statvfs(s.o.getcwd())
          s.say('%d %d %d'%(v[0],v[0]*v[3],gc.mem_free()if s.I else 0))
        """

    private static let writing = """
        class _ns(_ns):
         f=None
         n=-1
         def at(s):
          s.say(str(s.n))
         def beg(s,p):
          s.end()
          s.top()
          s.f=open(p,'wb')
          s.p=p
          s.n=0
         def new(s,p):
          s.beg(p)
          s.at()
         def a(s,o,c,d):
          if s.n==o and s.c(d)==c:
           s.app(d)
          s.at()
         def app(s,d):
          n=s.n
          s.n=-1
          s.f.write(d)
          s.n=n+len(d)
         def cont(s,p):
          if not(s.f and s.p==p and s.n>=0):
           s.beg(p)
         def on(s,p):
          s.cont(p)
          s.at()
        """

    /// `place` removes `m` and puts copies in the place of their files, in order. What is open is not whole.
    private static let closing = """
        class _ns(_ns):
         def end(s):
          if s.f:
           s.f.close()
          s.f=None
          s.n=-1
         def drop(s,p):
          s.top()
          try:
           s.o.remove(p)
          except OSError:
           pass
         def place(s,m,*a):
          s.top()
          if s.f and s.p in[p+'\(ScriptSet.copySuffix)'for p in a]:
           raise ValueError
          if m:
           s.drop(m)
          for p in a:
           s.o.rename(p+'\(ScriptSet.copySuffix)',p)
        """

    /// What ``InputPiece/helper(_:)`` calls: it takes pieces of several files, each named with its length,
    /// and answers with their digests and how many are missing. It writes what the ring held at once: while the flash erases, the ring
    /// fills again.
    private static let reception = """
        class _ns(_ns):
         def seed(s,*a):
          s.q=list(a)
          s.t=''
          return s.next()
         def next(s):
          while s.q:
           p,s.e=s.q[0]
           s.cont(p)
           if s.n<s.e:
            s.m=s.n
            s.b=[]
            return p+str(s.n)
           s.end()
           s.t+=s.dig(p,s.e)+' '
           s.q.pop(0)
          return''
         def fin(s):
          s.say(s.t+str(len(s.q)))
        """

    private static let taking = """
        class _ns(_ns):
         def dec(s,B,X):
          n=0
          for i in range(0,len(X),2):
           n+=X[i]-32
           B[n]=X[i+1]-32
          return bytes(B)
         def take(s,d):
          s.b.append(d)
          s.m+=len(d)
          if s.m-s.n>900 or s.m>=s.e:
           s.app(b''.join(s.b))
           s.b=[]
           if s.n>=s.e:
            s.next()
        """

    let session: HelperSession
    /// To digest and to list.
    let reader: HelperSession

    let way: FileWay

    init(repl: PythonREPL, way: FileWay = .input) {
        self.way = way
        func session(of helper: RemoteHelper) -> HelperSession {
            HelperSession(of: helper, on: repl, answerTimeout: Self.answerTimeout, lastingExceptions: ["OSError"])
        }
        (self.session, reader) = (session(of: Self.remote), session(of: Self.remote.beginning))
    }

    /// What the unit holds in the place of a file, or of its new copy.
    func file(_ file: ScriptSet.File, isCopy: Bool = false) async throws -> RemoteFile? { try await files([file], areCopies: isCopy)[0] }

    /// As many as files.
    /// - Parameter call: made before, in the same round trip.
    func files(_ files: [ScriptSet.File], areCopies: Bool = false, after call: String? = nil) async throws -> [RemoteFile?] {
        let calls = files.map { Self.digestCall($0, isCopy: areCopies) }
        let longest = files.map(\.bytes.count).max() ?? 0
        return try await session.ask(
            calls, after: call, atOnce: Self.digestsInFlight, within: session.patience + Self.digestTime * longest
        ).map(Self.file(from:))
    }

    static func digestCall(_ file: ScriptSet.File, isCopy: Bool) -> String {
        "sha(\(literal(isCopy ? file.copyName : file.name)),\(file.bytes.count))"
    }

    static func file(from answer: String) throws -> RemoteFile? {
        if answer == "-" { return nil }
        let parts = answer.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let digest = HexText.decode(parts[0]), let byteCount = Int(parts[1]),
            (0...sizeLimit).contains(byteCount)
        else { throw REPLError.garbage("a file's digest") }
        return RemoteFile(sha256: digest, byteCount: byteCount)
    }

    static let spaceCall = "free()"

    /// Names of all files and folders, read in pages. Bytes that are not UTF-8 are dropped.
    func names() async throws -> [String] { try await names(after: session.ask("ls(0)")) }

    /// In one round trip, where the names fill no more than a page.
    func namesAndSpace() async throws -> ([String], Space) {
        let answers = try await session.ask(["ls(0)", Self.spaceCall], atOnce: 2)
        return (try await names(after: answers[0]), try Space(from: answers[1]))
    }

    private func names(after firstPage: String) async throws -> [String] {
        var (page, names): (String, [String]) = (firstPage, [])
        while names.count < Self.nameLimit {
            if !names.isEmpty { page = try await session.ask("ls(\(names.count))") }
            let words = page.split(separator: " ")
            let hasMore = words.last == "+"
            let entries = words.dropLast(hasMore ? 1 : 0)
            names += try entries.map { word in
                guard let bytes = HexText.decode(word) else { throw REPLError.garbage("a list of files") }
                return String(decoding: bytes, as: UTF8.self)
            }
            if !hasMore { return names }
            if entries.isEmpty { break }
        }
        throw REPLError.garbage("a list of files")
    }

    struct Space: Sendable {
        let blockByteCount, freeByteCount: Int
        /// Of the heap; 0 where the firmware's Python does not read its input as bytes.
        let memoryByteCount: Int

        init(from answer: String) throws {
            let parts = answer.split(separator: " ").compactMap { Int($0) }
            guard parts.count == 3, (1...sizeLimit).contains(parts[0]), (0...spaceLimit).contains(parts[1]),
                (0...sizeLimit).contains(parts[2])
            else { throw REPLError.garbage("the free space") }
            (blockByteCount, freeByteCount, memoryByteCount) = (parts[0], parts[1], parts[2])
        }
    }

    static func position(from text: String) throws -> Int? {
        guard let value = Int(text), (-1...sizeLimit).contains(value) else { throw REPLError.garbage("a position") }
        return value < 0 ? nil : value
    }

    static func literal(_ name: String) -> String { String(decoding: PythonLiteral.string(name), as: UTF8.self) }
}
