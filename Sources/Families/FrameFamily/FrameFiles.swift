import REPL
import ScriptBundle
import Support

struct FrameFile: Sendable, Hashable {
    var isFolder: Bool
    var byteCount: Int
    /// ``FrameDigest`` of the content as read back, if requested.
    var digest: String?
}

struct FrameFiles: Sendable {
    /// More files, or bytes in one, than any firmware's file system holds (frame-codebase, `file.c`).
    private static let entryLimit = 1024
    static let fileLimit = 65_536
    /// For digesting a whole file system of 278 kB, and erasing pages at 85 ms each.
    static let surveyTimeout = Duration.seconds(15)
    /// For one packet, and perhaps an erase.
    static let writeTimeout = Duration.seconds(6)
    static let loadTimeout = Duration.seconds(10)

    /// `d` returns the digest of a file of `n` bytes, `v` lists a folder (the root). The firmware's `read` returns 512 bytes or up to a
    /// line end, which it drops, and does not report the end of the file (frame-codebase, `file.c`), so the size is needed.
    private static let reading = """
        function _nf.d(p,n,h)
        local ok,f=pcall(frame.file.open,p,"r")
        if not ok then return"unopened"end
        local b=""
        local function mix(i)
        h=(h~string.unpack("<i8",b,i))*0x9E3779B97F4A7C15
        h=h~h>>29
        end
        ok=pcall(function()
        local left=n
        while left>0 do
        local s=f:read()
        if not s then error()end
        if#s<512 and#s<left then s=s.."\\n"end
        left=left-#s
        b=b..s
        local i=1
        while i+7<=#b do mix(i)i=i+8 end
        b=b:sub(i)
        end
        if left<0 then error()end
        if#b>0 then b=b..("\\0"):rep(8-#b)mix(1)end
        b=string.pack("<i8",n)mix(1)
        end)
        f:close()
        return ok and("%016x"):format(h)or"unread"
        end
        function _nf.v(h,w,p)
        local r={}
        for _,e in ipairs(frame.file.listdir(p or"/"))do
        if e.name~="."and e.name~=".."then
        r[#r+1]=e.type.." "..(e.size or 0).." "..(e.type==1 and w[e.name]and _nf.d(e.name,e.size,h)or"-").." "..e.name.."/"
        end
        end
        return table.concat(r)
        end
        """

    /// `o` begins a file, or continues after its `n` bytes; `w` appends a piece where the previous one ended; `e` closes.
    private static let writing = """
        function _nf.e()
        local f=_nf.f
        _nf.f=nil
        if f then f:close()end
        end
        function _nf.o(p,n)
        _nf.e()
        _nf.f=frame.file.open(p,n>0 and"a"or"w")
        _nf.q=n
        return n
        end
        function _nf.w(n,s)
        if n==_nf.q then
        _nf.f:write(s)
        _nf.q=n+#s
        end
        return _nf.q
        end
        function _nf.m(l)
        for _,p in ipairs(l)do frame.file.rename(p.."\(ScriptSet.copySuffix)",p)end
        end
        """

    /// The first function in use that a program has replaced: the firmware's own cannot be dumped. A program that also replaces
    /// `string.dump` goes unnoticed.
    private static let genuineness = """
        for n,t in pairs{["frame.file."]=frame.file,["string."]=string}do
        for _,f in ipairs{"open","listdir","remove","rename","unpack","pack","format"}do
        if t[f]and pcall(string.dump,t[f])then return n..f end
        end
        end
        """

    private static let library = reading + "\n" + writing

    static var sentCode: [String] { [library, genuineness, ownerLibrary] }

    let repl: LuaREPL

    func load() async throws {
        try await repl.load("files", try LuaCode(Self.library), within: Self.loadTimeout)
    }

    func checkFunctions() async throws {
        let name = try await repl.runText(Self.genuineness, within: Self.loadTimeout)
        guard name.isEmpty else { throw FrameError.functionReplaced(String(name.prefix(80))) }
    }

    /// Everything in the root by its printable name, with digests of the named files.
    func survey(_ names: [String], seed: Int64) async throws -> [String: FrameFile] {
        let wanted = names.map { "[\(Self.literal($0))]=1" }.joined(separator: ",")
        return Dictionary(
            try await entries("return _nf.v(\(seed),{\(wanted)})").map { (PrintableText.name($0.name), $0.file) },
            uniquingKeysWith: { $1 })
    }

    /// - Parameter code: a call of `_nf.v`.
    func entries(_ code: String) async throws -> [(name: ArraySlice<UInt8>, file: FrameFile)] {
        try await load()
        let entries = try await repl.run(try LuaCode(code), within: Self.surveyTimeout).split(separator: UInt8(ascii: "/"))
        guard entries.count <= Self.entryLimit else { throw REPLError.garbage("a list of files") }
        return try entries.map { entry in
            let parts = entry.split(separator: 0x20, maxSplits: 3, omittingEmptySubsequences: false)
            guard parts.count == 4, let byteCount = Int(String(decoding: parts[1], as: UTF8.self)), (0...Self.fileLimit).contains(byteCount)
            else { throw REPLError.garbage("a list of files") }
            return (parts[3], FrameFile(
                isFolder: parts[0] != [UInt8(ascii: "1")], byteCount: byteCount,
                digest: parts[2] == [UInt8(ascii: "-")] ? nil : String(decoding: parts[2], as: UTF8.self)))
        }
    }

    /// Begins a file, or continues it at its end.
    func open(_ name: String, at offset: Int) async throws {
        try await load()
        try await repl.call("o", Array("\(Self.literal(name)),\(offset)".utf8), within: Self.writeTimeout)
    }

    /// Appends as much of `bytes`, from `offset` on, as fits one command.
    /// - Returns: the file's new length.
    func append(_ bytes: [UInt8], from offset: Int) async throws -> Int {
        let head = Array("\(offset),".utf8)
        let piece = LuaLiteral.prefix(of: bytes[offset...], room: repl.callRoom - 1 - head.count - 2)
        let answer = try await repl.call("w", head + LuaLiteral.string(piece), within: Self.writeTimeout)
        guard let end = Int(String(decoding: answer, as: UTF8.self)), end == offset + piece.count else {
            throw REPLError.garbage("a position in a file")
        }
        return end
    }

    /// - Parameter progress: gets the file's length after each command.
    func send(_ bytes: [UInt8], as name: String, from start: Int, progress: (Int) -> Void) async throws {
        var end = start
        try await open(name, at: start)
        while end < bytes.count {
            end = try await append(bytes, from: end)
            progress(end)
        }
        try await close()
    }

    func close() async throws { try await repl.call("e", within: Self.writeTimeout) }

    func remove(_ name: String) async throws {
        try await repl.run(try LuaCode("pcall(frame.file.remove,\(Self.literal(name)))"), within: Self.writeTimeout)
    }

    /// A line for the unit's prompt.
    static func removal(of entries: [(name: String, isFolder: Bool)]) -> String {
        let removals = entries.map { ($0.isFolder ? "rm(" : "frame.file.remove(") + literal($0.name) + ")" }
        return ((entries.contains(where: \.isFolder) ? [removesTree] : []) + removals).joined(separator: " ")
    }

    private static let removesTree = "function rm(p)for _,e in ipairs(frame.file.listdir(p))do local q=p..\"/\"..e.name "
        + "if e.type==1 then frame.file.remove(q)elseif e.name~=\".\"and e.name~=\"..\"then rm(q)end end frame.file.remove(p)end"

    func putInPlace(_ names: [String]) async throws {
        try await load()
        let list = names.map(Self.literal).joined(separator: ",")
        try await repl.run(try LuaCode("_nf.m{\(list)}"), within: Self.surveyTimeout)
    }

    static func literal(_ name: String) -> String { String(decoding: LuaLiteral.string(name.utf8), as: UTF8.self) }
}
