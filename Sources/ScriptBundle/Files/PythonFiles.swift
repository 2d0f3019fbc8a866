import FoundationEssentials
import REPL
import Support

/// A unit's files through its Python, as their owner uses them: any bytes, in folders.
///
/// The helper `_nu` lists and reads, ``ScriptHelper`` writes and digests. All steps but the removal of a file may be repeated.
public struct PythonFiles: Sendable {
    /// Bytes of a piece of a file: two answers in base64 are below 1000 bytes together.
    private static let (pieceByteCount, piecesInFlight, piecesAtOnce) = (360, 2, 12)
    /// Far above the file system's 147 blocks.
    private static let (fileLimit, entryLimit) = (1 << 20, 1024)

    static let remote = RemoteHelper("_nu", pieces: [listing, reading, changing])

    /// `ls` lists a folder from its entry number `k` on: a name in hexadecimal with its length, or `/` for a folder; `+` if there is more.
    private static let listing = """
        class _nu(_nr):
         def ls(s,p,k):
          s.o.chdir('/')
          t=''
          if p:
           s.o.chdir(p)
          for e in s.o.ilistdir():
           k-=1
           if k<0:
            x=s.x(e[0].encode())+('/'if e[1]==0x4000 else':'+str(s.o.stat(e[0])[6]))
            if len(t)+len(x)>900:
             t+='+'
             break
            t+=x+' '
          s.say(t)
        _nu.o=_nr().get('os',())
        """

    /// `rd` reads `n` bytes from `k` on. The file stays open up to its end: to open it takes the unit longer than to read.
    private static let reading = """
        class _nu(_nu):
         p=0
         def end(s):
          if s.p:
           s.p=0
           s.f.close()
         def rd(s,p,k,n):
          if not k or s.p!=p:
           s.end()
           s.o.chdir('/')
           s.f=open(p,'rb')
           s.p=p
          s.f.seek(k)
          d=s.f.read(n)
          if len(d)<n:
           s.end()
          s.say(s.a.b2a_base64(d).decode().strip())
        _nu.a=_nr().get('binascii',())
        """

    private static let changing = """
        class _nu(_nu):
         def mk(s,p):
          s.o.chdir('/')
          s.o.mkdir(p)
         def rm(s,p,d):
          s.o.chdir('/')
          (s.o.rmdir if d else s.o.remove)(p)
         def df(s):
          v=s.o.statvfs(s.o.getcwd())
          s.say('%d %d %d'%(v[0],v[2],v[3]))
        """

    private let session: HelperSession
    private let writer: ScriptHelper

    public init(repl: PythonREPL) { self.init(repl: repl, way: .input) }

    init(repl: PythonREPL, way: FileWay) {
        session = HelperSession(of: Self.remote, on: repl, answerTimeout: ScriptHelper.answerTimeout, lastingExceptions: ["OSError"])
        writer = ScriptHelper(repl: repl, way: way)
    }

    private func ask(_ call: String, about path: UnitPath) async throws -> String {
        try await Self.explaining(path) { try await session.using { try await session.ask(call) } }
    }

    /// Sorted by name.
    public func list(_ folder: UnitPath) async throws -> [UnitFile] {
        var files: [UnitFile] = []
        while files.count <= Self.entryLimit {
            let words = try await ask("ls(\(Self.literal(folder)),\(files.count))", about: folder).split(separator: " ")
            let hasMore = words.last == "+"
            let page = try words.dropLast(hasMore ? 1 : 0).map { try Self.entry($0, in: folder) }
            files += page
            guard hasMore else { return files.sorted { $0.name < $1.name } }
            if page.isEmpty { break }
        }
        throw UnitFileError.tooMany("\(folder)", limit: Self.entryLimit)
    }

    private static func entry(_ word: Substring, in folder: UnitPath) throws -> UnitFile {
        let parts = word.split(separator: ":", omittingEmptySubsequences: false)
        let isFolder = word.last == "/"
        guard let name = HexText.decode(isFolder ? word.dropLast() : parts[0]),
            let byteCount = isFolder ? 0 : parts.count == 2 ? Int(parts[1]) : nil, (0...fileLimit).contains(byteCount)
        else { throw REPLError.garbage("a list of files") }
        return UnitFile(name, in: folder, isFolder: isFolder, byteCount: byteCount)
    }

    /// Whether the file has these bytes, by their SHA-256.
    public func holds(_ bytes: [UInt8], at path: UnitPath) async throws -> Bool {
        let file = ScriptSet.File(name: path.text, bytes: bytes)
        return try await writer.session.using { try await writer.file(file) } == file.expectation
    }

    /// Exact bytes, proved by their SHA-256.
    public func read(_ path: UnitPath, byteCount: Int, report: (Int) -> Void) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < byteCount {
            let end = min(byteCount, bytes.count + Self.pieceByteCount * Self.piecesAtOnce)
            let calls = stride(from: bytes.count, to: end, by: Self.pieceByteCount).map {
                // One more than there are, at the file's end.
                "rd(\(Self.literal(path)),\($0),\(min(Self.pieceByteCount, byteCount + 1 - $0)))"
            }
            let texts = try await Self.explaining(path) {
                try await session.using { try await session.ask(calls, atOnce: Self.piecesInFlight) }
            }
            bytes += texts.flatMap { Data(base64Encoded: $0) ?? Data() }
            guard bytes.count == end else { throw UnitFileError.damaged("\(path)") }
            report(bytes.count)
        }
        guard try await holds(bytes, at: path) else { throw UnitFileError.damaged("\(path)") }
        return bytes
    }

    /// Writes a new copy beside the file, proves it, and puts it in the file's place: after any interruption the old file is there, or the
    /// new one. A copy that was begun is continued.
    public func write(_ bytes: [UInt8], to path: UnitPath, report: (Int) -> Void) async throws {
        guard bytes.count <= Self.fileLimit else {
            throw UnitFileError.tooLong("\(path)", byteCount: bytes.count, limit: Self.fileLimit)
        }
        let file = ScriptSet.File(name: path.text, bytes: bytes)
        try await Self.explaining(path, byteCount: bytes.count) {
            if try await ShortFile(file: file).replace(over: writer.session) { return report(bytes.count) }
            try await writer.session.retrying({ _ in }) { try await writer.session.ensure() }
            try await writer.replace(file) { if case .uploading(let done, _) = $0 { report(done) } }
        }
    }

    /// A file, or an empty folder.
    public func remove(_ path: UnitPath, isFolder: Bool) async throws {
        try await tell("rm(\(Self.literal(path)),\(isFolder ? 1 : 0))", about: path)
    }

    /// In a folder that is there.
    public func makeFolder(_ path: UnitPath) async throws { try await tell("mk(\(Self.literal(path)))", about: path) }

    private func tell(_ call: String, about path: UnitPath) async throws {
        try await Self.explaining(path) { try await session.using { try await session.tell(call) } }
    }

    public func space() async throws -> UnitSpace {
        let parts = try await ask("df()", about: .root).split(separator: " ").compactMap { Int($0) }
        guard parts.count == 3, parts.allSatisfy({ (0...1 << 31).contains($0) }), parts[2] <= parts[1] else {
            throw REPLError.garbage("the free space")
        }
        return UnitSpace(used: parts[0] * (parts[1] - parts[2]), total: parts[0] * parts[1])
    }

    private static func literal(_ path: UnitPath) -> String { ScriptHelper.literal(path.text) }

    /// Puts the unit's OSError into words.
    private static func explaining<Value>(
        _ path: UnitPath, byteCount: Int = 0, _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch REPLError.exception(let exception) where exception.lastLine.hasPrefix("OSError") {
            let name = "\(path)"
            throw switch exception.lastLine.firstMatch(of: /[0-9]+/).flatMap({ Int($0.0) }) {
            case 2: UnitFileError.missing(name)
            case 20: UnitFileError.isFile(name)
            case 21: UnitFileError.isFolder(name)
            case 28: UnitFileError.noSpace(name, byteCount: byteCount)
            case 39: UnitFileError.notEmpty(name)
            default: UnitFileError.refused(name, reason: exception.lastLine)
            }
        } catch ScriptError.uploadFailed {
            throw UnitFileError.damaged("\(path)")
        }
    }
}
