import Support

/// The helper on a unit while a host is at its prompt: the global `_nf`, which runs numbered commands and gives numbered
/// answers.
///
/// A command may overwrite the previous one before that ran, and a print that follows another too soon is dropped
/// (frame-codebase, `luaport.c`, `bluetooth.c`). So a command without an answer is sent again under its number: the unit runs
/// it once and keeps its answer.
enum LuaHelper {
    static let name = "_nf"
    /// What Lua calls the code that came in pieces.
    private static let chunk = "noafw"
    /// Bytes of a call besides its function name and arguments, and of an answer besides its text; numbers have up to 7 digits.
    static let callOverhead = 19
    private static let answerOverhead = 56
    static let leastPayload = 97

    /// The answer of a Lua state without the helper.
    static let absence = Array("(global '\(name)')".utf8)

    /// - Returns: what an answer with an error means. Code that does not parse, near a token as Lua says, was damaged on its way.
    static func error(in exception: LuaException) -> REPLError {
        exception.message.hasPrefix("\(chunk):") && exception.message.contains(" near ") ? .damaged : .lua(exception)
    }

    /// `h` is CRC-32, a half byte at a time; `p` prints a piece of the last answer; `r` calls a function once for each number;
    /// `s` takes a piece of code; `x` takes the last piece and runs the code. The answer `?` means that the command was
    /// interrupted.
    static func source(key: String, payloadSize: Int) -> String {
        """
        _nf={k="\(key)",n=\(max(1, payloadSize - answerOverhead)),c=0,t=""}
        local t={}
        for i=0,15 do
        local x=i
        for _=1,4 do x=x&1>0 and x>>1~0xEDB88320 or x>>1 end
        t[i]=x
        end
        function _nf.h(s)
        local c=0xffffffff
        for i=1,#s do
        c=c~s:byte(i)
        c=c>>4~t[c&15]
        c=c>>4~t[c&15]
        end
        return("%08x"):format(c~0xffffffff)
        end
        function _nf.p(i)
        local a,n=_nf.a or"?",_nf.n
        a=_nf.k.." ".._nf.c.." "..i.." "..#a.." "..a:sub(n*i-n+1,n*i)
        print(a.." ".._nf.h(a))
        end
        function _nf.r(c,f,...)
        if c~=_nf.c then
        _nf.c,_nf.a=c,nil
        local o,v=pcall(f,...)
        _nf.a=(o and"+"or"-")..(v==nil and""or tostring(v))
        end
        _nf.p(1)
        end
        function _nf.s(s)_nf.t=_nf.t..s end
        function _nf.x(s)
        local f,e=load(_nf.t..s,"=\(chunk)")
        _nf.t=""
        if f then return f()end
        error(e,0)
        end
        """
    }

    /// Commands that install the helper. Each is sent until it is confirmed, and may run twice. A file that an earlier session
    /// left open is closed first: the unit hangs when the collector finds one (frame-codebase, `file.c`).
    static func installation(key: String, payloadSize: Int) -> [[UInt8]] {
        let text = Array(source(key: key, payloadSize: payloadSize).utf8)
        var commands = [Array("if _nf then pcall(function()_nf.f:close()end)end _nf={}".utf8)]
        var rest = text[...]
        while !rest.isEmpty {
            let head = Array("_nf[\(commands.count)]=".utf8)
            let piece = LuaLiteral.prefix(of: rest, room: payloadSize - head.count - confirmation(key, commands.count).count - 2)
            commands.append(head + LuaLiteral.string(piece))
            rest = rest.dropFirst(piece.count)
        }
        commands.append(Array("load(table.concat(_nf))()".utf8))
        return commands.enumerated().map { $1 + confirmation(key, $0) }
    }

    static func confirmed(_ key: String, _ index: Int) -> [UInt8] { Array("\(key) \(index)".utf8) }

    private static func confirmation(_ key: String, _ index: Int) -> [UInt8] { Array(" print(\"\(key) \(index)\")".utf8) }
}
