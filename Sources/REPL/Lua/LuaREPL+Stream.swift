import Bluetooth
import Support
import Synchronization

extension LuaREPL {
    /// `u` takes a piece of a chunk, `i` compiles it under its file's name, `j` runs it; `G` removes a program's globals. A print goes out
    /// as a message and waits for its turn: the firmware drops a print that comes too soon, and refuses a message (frame-codebase,
    /// `luaport.c`, `bluetooth.c`).
    static let streaming = """
        function _nf.u(s)_nf.z=(_nf.z or"")..s end
        function _nf.i(n)
        local f,e=load(_nf.z or"","="..n)
        _nf.z,_nf.y=nil,f
        return e
        end
        function _nf.j(k,...)
        local P,b=print,frame.bluetooth
        local n=b.max_length()-#k-1
        local function w(t,s)
        repeat
        local m=k..t..s:sub(1,n)
        s=s:sub(n+1)
        while not pcall(b.send,m)and b.is_connected()do frame.sleep(.002)end
        until s==""
        end
        print=function(...)
        local r=table.pack(...)
        for i=1,r.n do r[i]=tostring(r[i])end
        w("o",table.concat(r,"\\t").."\\n")
        end
        local f=_nf.y
        _nf.y=nil
        local o,e=xpcall(f,function(e)return debug.traceback(tostring(e),2)end,...)
        print=P
        w("e",o and""or e)
        w(o and"."or"!","")
        end
        function _nf.G()
        local k={}
        for n in("\(globals)"):gmatch("%S+")do k[n]=1 end
        for n in pairs(_G)do if not k[n]then _G[n]=nil end end
        end
        """
    /// Those of a new Lua state (frame-codebase, `luaport.c`), and the helper.
    private static let globals =
        "_G _VERSION _nf assert collectgarbage coroutine debug dofile error frame getmetatable ipairs load loadfile math next pairs pcall "
        + "print rawequal rawget rawlen rawset require select setmetatable string table tonumber tostring type utf8 warn xpcall"
    /// Bytes of a file: the unit holds its text twice.
    public static let codeLimit = 49_152
    private static let loadTimeout = Duration.seconds(10)
    /// From a break to what the broken code says.
    private static let endTimeout = Duration.milliseconds(400)
    private static let ends = Array(".!".utf8)
    /// Bytes of a traceback.
    private static let tracebackLimit = 8192

    /// As ``PythonREPL/stream(_:within:output:)``. The file's name stands in its error messages. Behind its end the session is in step.
    /// - Parameter forgetsGlobals: those of an earlier program are gone, as in a new Lua state.
    /// - Returns: the error and the traceback, untrusted; `nil` when it ran to its end.
    /// - Throws: ``REPLError/lua(_:)`` for what is no Lua.
    public func stream(
        _ code: [UInt8], named name: String, arguments: [String], forgetsGlobals: Bool = false, output: ([UInt8]) -> Void
    ) async throws -> String? {
        guard code.count <= Self.codeLimit else { throw REPLError.codeTooLong(byteCount: code.count, limit: Self.codeLimit) }
        try await load("streaming", LuaCode(Self.streaming), within: Self.loadTimeout)
        var rest = code[...]
        while !rest.isEmpty {
            let piece = LuaLiteral.prefix(of: rest, room: callRoom - 4)
            try await call("u", LuaLiteral.string(piece), within: Self.loadTimeout)
            rest = rest.dropFirst(piece.count)
        }
        let chunk = LuaLiteral.string(name.utf8.prefix(40))
        let refusal = try await run(LuaCode(bytes: Array("return _nf.i(".utf8) + chunk + [UInt8(ascii: ")")]), within: Self.loadTimeout)
        guard refusal.isEmpty else { throw REPLError.lua(LuaException(refusal)) }
        let key = "\u{2}" + String(PythonREPL.randomNonce().prefix(6))
        let values = [key] + arguments
        let list = values.map { LuaLiteral.string($0.utf8) }.joined(separator: [UInt8(ascii: ",")])
        let call = Array((forgetsGlobals ? "_nf.G()" : "").utf8) + Array("_nf.j(".utf8) + list + [UInt8(ascii: ")")]
        let machine = state.withLock(\.machine)
        try await post(LuaCode(bytes: call), within: Self.loadTimeout)
        state.withLock { [now = clock.now] in $0.streamed = machine.map { Streamed(key: Array(key.utf8), machine: $0, begun: now) } }
        return try await heed(Array(key.utf8), output)
    }

    /// Code that says when it ends, after a break too: then the prompt is proven, with all that was loaded.
    struct Streamed {
        let key: [UInt8]
        let machine: LuaMachine
        let begun: SessionClock.Instant
        var hasEnded = false
    }

    private func endStream() {
        state.withLock { state in
            guard let streamed = state.streamed else { return }
            (state.machine, state.isInStep) = (streamed.machine, true)
            state.streamed?.hasEnded = true
        }
    }

    /// Breaks streamed code, unless it has ended.
    /// - Returns: `false` where the prompt has to be found in the long way.
    func leaveStream(before deadline: SessionClock.Instant) async throws -> Bool {
        let (streamed, isInStep) = state.withLock { state in
            defer { state.streamed = nil }
            return (state.streamed, state.isInStep)
        }
        guard let streamed else { return false }
        if streamed.hasEnded { return isInStep }
        // No command may come this close before a break.
        try await clock.sleep(until: streamed.begun.advanced(by: Self.breakPause))
        try await writer.send([LuaSignal.interrupt], deadline: deadline)
        let end = min(deadline, clock.deadline(in: Self.endTimeout))
        while clock.now < end, let notification = try await next(before: end) {
            guard case .message(let bytes) = notification, bytes.starts(with: streamed.key), bytes.count > streamed.key.count,
                Self.ends.contains(bytes[streamed.key.count])
            else { continue }
            state.withLock { ($0.machine, $0.isInStep) = (streamed.machine, true) }
            return true
        }
        return false
    }

    /// Without the frames of this helper, which called the chunk.
    private static func text(ofTraceback bytes: [UInt8]) -> String {
        let plain = bytes.flatMap { $0 == 0x09 ? Array("  ".utf8) : [$0] }
        let lines = PrintableText.of(plain, keepingLines: true).split(separator: "\n", omittingEmptySubsequences: false)
        return lines.prefix { $0 != "  [C]: in function 'xpcall'" }.joined(separator: "\n")
    }

    private func heed(_ key: [UInt8], _ output: ([UInt8]) -> Void) async throws -> String? {
        var traceback: [UInt8] = []
        while let notification = try await next(before: clock.deadline(in: .forever)) {
            guard case .message(let bytes) = notification, bytes.starts(with: key), let kind = bytes.dropFirst(key.count).first else {
                if case .text(let bytes) = notification { output(bytes + [0x0A]) }
                continue
            }
            let text = bytes.dropFirst(key.count + 1)
            switch kind {
            case UInt8(ascii: "o"): output(Array(text))
            case UInt8(ascii: "e"): traceback += text.prefix(Self.tracebackLimit - traceback.count)
            default:
                endStream()
                return kind == UInt8(ascii: ".") ? nil : Self.text(ofTraceback: traceback)
            }
        }
        throw REPLError.timedOut("the end of the code")
    }
}
