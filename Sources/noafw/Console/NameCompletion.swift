import REPL
import Support

/// A name that a person has begun to type at a unit's prompt. Only names are followed, nothing is called.
struct NameCompletion: Sendable, Hashable {
    /// What the name belongs to, such as `frame.bluetooth`; empty for a name of its own.
    let owner: String
    let beginning: String
    let language: PromptLanguage

    private static let countLimit = 300

    /// - Parameter text: what stands before the cursor.
    /// - Returns: `nil` behind anything but a name.
    init?(_ text: some StringProtocol, _ language: PromptLanguage) {
        let marks = language == .lua ? ".:" : "."
        let typed = text.reversed().prefix { Self.isOfName($0) || marks.contains($0) }.reversed().map(String.init).joined()
        let parts = typed.split(omittingEmptySubsequences: false) { marks.contains($0) }
        guard let last = parts.last, !typed.isEmpty, parts.dropLast().allSatisfy({ Self.isName($0) }), last.isEmpty || Self.isName(last)
        else { return nil }
        (owner, beginning, self.language) = (parts.dropLast().joined(separator: "."), String(last), language)
    }

    private static func isOfName(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || character == "_")
    }

    private static func isName(_ text: some StringProtocol) -> Bool {
        text.first?.isNumber == false && text.allSatisfy { isOfName($0) }
    }

    /// - Parameter answer: what the unit has, in any order; untrusted.
    func names(in answer: [UInt8]) -> [String] {
        let words = String(decoding: answer, as: UTF8.self).split { $0.isWhitespace }.prefix(Self.countLimit)
        let all = Set(words.filter { Self.isName($0) }.map(String.init) + (owner.isEmpty ? language.keywords : []))
        return all.filter { $0.hasPrefix(beginning) && ($0.first != "_" || beginning.first == "_") && $0 != beginning }.sorted()
    }

    /// What all of the names go on with.
    static func common(_ names: [String]) -> String {
        names.dropFirst().reduce(names.first ?? "") { common, name in
            String(zip(common, name).prefix { $0 == $1 }.map(\.0))
        }
    }

    /// Prints the names of a Python unit.
    static func python(_ completion: NameCompletion) -> String {
        let (owner, beginning) = (completion.owner, completion.beginning)
        let list = owner.isEmpty ? "dir()+dir(__import__('builtins'))" : "dir(\(owner))"
        return "print(' '.join(n for n in \(list) if n.startswith('\(beginning)')))"
    }
}

extension LuaREPL {
    /// It walks tables, without their metamethods.
    private static let names = """
        function _nf.names(p,w)
        local t,o,b=_G,{},0
        for k in p:gmatch("[^.]+")do
        if type(t)=="string"then t=string end
        t=type(t)=="table"and rawget(t,k)or nil
        end
        if type(t)=="string"then t=string end
        if type(t)~="table"then return""end
        for k in next,t do
        if type(k)=="string"and k:sub(1,#w)==w and b<2000 then
        o[#o+1]=k
        b=b+#k
        end
        end
        return table.concat(o," ")
        end
        """

    fileprivate func names(_ completion: NameCompletion, within: Duration) async throws -> [UInt8] {
        try await load("names", LuaCode(Self.names), within: within)
        return try await run(LuaCode("return _nf.names('\(completion.owner)','\(completion.beginning)')"), within: within)
    }
}

extension ConsolePrompt {
    private static let namesTimeout = Duration.seconds(5)

    /// - Returns: none where the unit has no such names.
    func names(_ completion: NameCompletion) async throws -> [String] {
        do {
            let answer = switch self {
            case .python(let repl): try await repl.run(PythonCode(NameCompletion.python(completion)), within: Self.namesTimeout)
            case .lua(let repl): try await repl.names(completion, within: Self.namesTimeout)
            }
            return completion.names(in: answer)
        } catch REPLError.exception {
            return []
        } catch REPLError.lua {
            return []
        }
    }
}
