import Support

public enum LuaEvaluation: Sendable, Hashable {
    /// What the statement printed, with its values on a line of their own; untrusted.
    case finished(output: [UInt8])
    case raised(LuaException, output: [UInt8])
    case incomplete(LuaException)
}

extension LuaREPL {
    /// `e` first evaluates a statement as an expression. Prints are collected, since the second of two prints in quick
    /// succession is lost (frame-codebase, `bluetooth.c`).
    private static let console = """
        function _nf.e(s)
        local o,P={},print
        local function w(...)
        local t=table.pack(...)
        for i=1,t.n do t[i]=tostring(t[i])end
        o[#o+1]=table.concat(t,"\\t")
        end
        local f,e=load("return "..s,"=console")
        if not f then f,e=load(s,"=console")end
        if not f then return(e:sub(-5)=="<eof>"and"?"or"-")..e.."\\1"end
        print=w
        local r=table.pack(pcall(f))
        print=P
        if r[1]then
        if r.n>1 then w(table.unpack(r,2,r.n))end
        return"+"..table.concat(o,"\\n")
        end
        return"-"..tostring(r[2]):gsub("\\1","").."\\1"..table.concat(o,"\\n")
        end
        """

    /// Uploads the evaluator. Call before the first ``evaluate(_:within:)``.
    public func prepareEvaluation(within: Duration) async throws {
        try await load("console", LuaCode(Self.console), within: within)
    }

    /// Evaluates a user's statement as at a prompt.
    /// - Throws: ``REPLError``, `LinkError`; not what the statement raises.
    public func evaluate(_ statement: String, within: Duration) async throws -> LuaEvaluation {
        try await prepareEvaluation(within: within)
        let answer = try await run(
            LuaCode(bytes: Array("return _nf.e(".utf8) + LuaLiteral.string(statement.utf8) + [UInt8(ascii: ")")]), within: within)
        let parts = answer.dropFirst().split(separator: 1, maxSplits: 1, omittingEmptySubsequences: false)
        return switch answer.first {
        case UInt8(ascii: "+"): .finished(output: Array(answer.dropFirst()))
        case UInt8(ascii: "?"): .incomplete(LuaException(parts.first ?? []))
        default: .raised(LuaException(parts.first ?? []), output: Array(parts.dropFirst().first ?? []))
        }
    }
}
