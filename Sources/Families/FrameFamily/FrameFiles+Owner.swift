import Provisioning
import REPL
import ScriptBundle
import Support

/// A Frame's files as their owner uses them.
extension FrameFiles: UnitFiles {
    private static let blocks = FileBlocks(size: 4096, cacheSize: 32)
    /// The name of a new folder until it is where it belongs.
    private static let newFolder = "folder" + ScriptSet.copySuffix

    /// `b` begins to read a file, `g` returns its next bytes, up to some 2,500 of `n`: 0 bytes and backslashes are escaped, since a print
    /// may end at a 0 byte. `l` makes a folder: `mkdir` makes each part of a path, and fails at one that is there (frame-codebase,
    /// `file.c`), so a folder within another is made in the root and then moved. `Q` returns the size of a folder's
    /// file.
    static let ownerLibrary = """
        function _nf.b(p)
        _nf.e()
        _nf.f=frame.file.open(p,"r")
        end
        function _nf.g(n)
        local r,c={},0
        while c<n and c<2048 do
        local s=_nf.f:read()
        if not s then break end
        if#s<512 and c+#s<n then s=s.."\\n"end
        c=c+#s
        r[#r+1]=s
        end
        return(table.concat(r):gsub("[\\0\\\\]",{["\\0"]="\\\\0",["\\\\"]="\\\\\\\\"}))
        end
        function _nf.l(p)
        if not p:find("/")then return frame.file.mkdir(p)end
        pcall(frame.file.mkdir,"\(newFolder)")
        frame.file.rename("\(newFolder)",p)
        end
        function _nf.Q(d,m)
        local o,l=pcall(frame.file.listdir,d)
        for _,e in ipairs(o and l or{})do
        if e.name==m and e.type==1 then return e.size end
        end
        end
        """

    private func run(_ code: String, about path: UnitPath, byteCount: Int = 0) async throws -> [UInt8] {
        try await load()
        try await repl.load("owner's files", try LuaCode(Self.ownerLibrary), within: Self.loadTimeout)
        return try await explaining(path, byteCount: byteCount) { try await repl.run(try LuaCode(code), within: Self.surveyTimeout) }
    }

    func list(_ folder: UnitPath) async throws -> [UnitFile] {
        try await explaining(folder) { try await entries("return _nf.v(0,{},\(Self.literal("/" + folder.text)))") }
            .map { UnitFile($0.name, in: folder, isFolder: $0.file.isFolder, byteCount: $0.file.byteCount) }.sorted { $0.name < $1.name }
    }

    func holds(_ bytes: [UInt8], at path: UnitPath) async throws -> Bool {
        guard try await byteCount(of: path.text, in: path.parent) == bytes.count else { return false }
        return try await isCopy(of: bytes, path.text)
    }

    /// `nil` where there is no such file.
    private func byteCount(of name: String, in folder: UnitPath) async throws -> Int? {
        let own = name.split(separator: "/").last.map(String.init) ?? name
        let answer = try await run("return _nf.Q(\(Self.literal("/" + folder.text)),\(Self.literal(own)))", about: folder)
        if answer.isEmpty { return nil }
        guard let count = Int(String(decoding: answer, as: UTF8.self)), (0...Self.fileLimit).contains(count) else {
            throw REPLError.garbage("a file's size")
        }
        return count
    }

    private func isCopy(of bytes: some Collection<UInt8>, _ name: String) async throws -> Bool {
        try await load()
        let seed = Int64(bitPattern: SessionRandom.bits())
        let code = try LuaCode("return _nf.d(\(Self.literal(name)),\(bytes.count),\(seed))")
        let digest = try await repl.run(code, within: Self.surveyTimeout)
        return digest.elementsEqual(FrameDigest.of(bytes, seed: seed).utf8)
    }

    func read(_ path: UnitPath, byteCount: Int, report: (Int) -> Void) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        _ = try await run("_nf.b(\(Self.literal(path.text)))", about: path)
        while bytes.count < byteCount {
            let answer = try await run("return _nf.g(\(byteCount - bytes.count))", about: path)
            guard let piece = Self.unescaped(answer), !piece.isEmpty, piece.count <= byteCount - bytes.count else { break }
            bytes += piece
            report(bytes.count)
        }
        try await close()
        guard bytes.count == byteCount, try await isCopy(of: bytes, path.text) else { throw UnitFileError.damaged("\(path)") }
        return bytes
    }

    private static func unescaped(_ answer: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = answer[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            guard let escaped = rest.popFirst() else { return nil }
            bytes.append(escaped == UInt8(ascii: "0") ? 0 : escaped)
        }
        return bytes
    }

    /// As ``PythonFiles/write(_:to:report:)``.
    func write(_ bytes: [UInt8], to path: UnitPath, report: (Int) -> Void) async throws {
        guard bytes.count <= Self.fileLimit else {
            throw UnitFileError.tooLong("\(path)", byteCount: bytes.count, limit: Self.fileLimit)
        }
        let copy = path.text + ScriptSet.copySuffix
        for start in [try await begun(bytes, copy, in: path.parent), 0] {
            var end = start
            do {
                try await explaining(path, byteCount: bytes.count) {
                    try await send(bytes, as: copy, from: start) {
                        end = $0
                        report($0)
                    }
                }
            } catch let error as UnitFileError {
                try? await close()
                try? await remove(copy)
                // The firmware up to v24.248 takes no 0 byte.
                guard case .noSpace = error, bytes.dropFirst(end).prefix(repl.callRoom).contains(0) else { throw error }
                throw FrameError.zeroByte("\(path)")
            }
            guard try await isCopy(of: bytes, copy) else { continue }
            try await putInPlace([path.text])
            guard try await holds(bytes, at: path) else { break }
            return
        }
        throw UnitFileError.damaged("\(path)")
    }

    /// Correct bytes of a copy that an earlier run began.
    private func begun(_ bytes: [UInt8], _ copy: String, in folder: UnitPath) async throws -> Int {
        guard let count = try await byteCount(of: copy, in: folder), (1...max(1, bytes.count)).contains(count),
            try await isCopy(of: bytes.prefix(count), copy)
        else { return 0 }
        return count
    }

    func remove(_ path: UnitPath, isFolder: Bool) async throws {
        _ = try await run("frame.file.remove(\(Self.literal(path.text)))", about: path)
    }

    func makeFolder(_ path: UnitPath) async throws { _ = try await run("_nf.l(\(Self.literal(path.text)))", about: path) }

    /// Counted from the files: the firmware has no call for it.
    func space() async throws -> UnitSpace {
        let found = try await tree(.root)
        let folders = [UnitPath.root] + found.filter(\.isFolder).compactMap(\.path)
        let count = folders.reduce(0) { sum, folder in
            let inner = found.filter { $0.path?.parent == folder }
            return sum + Self.blocks.count(ofFolder: inner.map { ($0.name, $0.byteCount) })
                + inner.reduce(0) { $0 + ($1.isFolder ? 0 : Self.blocks.count(of: $1.byteCount)) }
        }
        return UnitSpace(used: count * Self.blocks.size, total: nil)
    }

    /// Puts the firmware's errors into words.
    private func explaining<Value>(_ path: UnitPath, byteCount: Int = 0, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch REPLError.lua(let exception) {
            let (name, message) = ("\(path)", exception.message)
            if message.hasSuffix("error writing to file") { throw UnitFileError.noSpace(name, byteCount: byteCount) }
            if message.hasSuffix("directory not found") || message.contains("cannot open file") { throw UnitFileError.missing(name) }
            throw message.contains("error ") ? UnitFileError.refused(name, reason: message) : REPLError.lua(exception)
        }
    }
}
