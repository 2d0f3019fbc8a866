import Cryptography
import Synchronization

/// Our Python code that stays on a unit as one global: a class that is built piece by piece and finally replaced by its only
/// instance.
///
/// The Monocle keeps a whole piece, then parses and compiles it, in a heap of 40,884 bytes (monocle-micropython, `main.c`). A
/// helper's mark, a digest of its code, is set once all pieces were taken, so half an upload or another version is uploaded again.
package struct RemoteHelper: Sendable {
    package static let pieceLimit = 450
    /// The base class of all helpers; `_nr()` makes an instance for a single question.
    package static let ground = RemoteHelper("_nr", builtFrom: [groundPieces], on: [])

    let name: String
    /// The later ones add to what the first ones made.
    private let stages: [[String]]
    /// How many stages are needed.
    private let depth: Int
    /// All code below it; empty for the base class.
    private let base: [String]
    /// Of the helper with so many stages.
    private let marks: [String]

    /// - Parameters:
    ///   - name: the helper's global. Its pieces define a class of that name, the first one derived from `_nr`.
    ///   - more: what its ``beginning`` does without: an upload takes half a second.
    package init(_ name: String, pieces: [String], more: [String] = []) {
        self.init(name, builtFrom: more.isEmpty ? [pieces] : [pieces, more], on: Self.ground.upload(after: 0))
    }

    private init(_ name: String, builtFrom stages: [[String]], on base: [String]) {
        (self.name, self.stages, self.base, depth) = (name, stages, base, stages.count)
        marks = stages.indices.map { SHA256.check(of: (base + stages[...$0].joined()).joined().utf8) }
    }

    private init(beginningOf helper: RemoteHelper) {
        (name, stages, base, marks, depth) = (helper.name, helper.stages, helper.base, helper.marks, 1)
    }

    /// The helper as its first pieces make it. A whole one serves as well.
    package var beginning: RemoteHelper { RemoteHelper(beginningOf: self) }

    /// The code that uploads the helper to a unit which has its base.
    /// - Parameter present: how many stages the unit has.
    private func upload(after present: Int) -> [String] {
        (present > 0 ? [reopening] : []) + stages[present..<max(present, depth)].joined() + [ending(depth)]
    }

    /// Makes a class of the instance, for more pieces.
    private var reopening: String { "\(name)=type(\(name))" }

    private func ending(_ depth: Int) -> String {
        let mark = marks[depth - 1]
        return base.isEmpty ? "\(name).g='\(mark)'" : "\(name)=\(name)()\n\(name).v='\(mark)'"
    }

    package var sentCode: [String] { [probe, removal, reopening] + base + stages.joined() + stages.indices.map { ending($0 + 1) } }

    /// Takes its mark and that of its base away.
    private var removal: String { "try:\n _nr.g=''\n \(name).v=''\nexcept(NameError,AttributeError):\n pass" }

    /// Has the helper and its base uploaded anew.
    package func discard(on repl: PythonREPL, within limit: Duration) async throws {
        _ = try await repl.run(PythonCode(removal), within: limit)
        repl.state.withLock { ($0.helpers[name], $0.helpers[Self.ground.name]) = (nil, nil) }
    }

    private var probe: String {
        let own = base.isEmpty ? "" : "\n _n[1]=\(name).v"
        return "_n=['','']\ntry:\n _n[0]=_nr.g\(own)\nexcept(NameError,AttributeError):\n pass\nprint('helper',*_n)"
    }

    /// Uploads the helper, or the missing parts of it.
    ///
    /// Asks the unit once. The session remembers the answer until it has to find the prompt again or code raises: a restart of
    /// Python, which removes all helpers, causes one of the two.
    /// - Parameter asksAnew: for a caller that draws conclusions from the helper's presence.
    /// - Throws: ``REPLError/lacking(_:)`` when the unit's firmware lacks what the helper needs.
    package func ensure(on repl: PythonREPL, within limit: Duration, asksAnew: Bool = false) async throws {
        if !asksAnew, repl.remembers(self) { return }
        let known = asksAnew ? nil : repl.state.withLock { standing(in: $0) }
        let found = if let known { known } else { try await ask(repl, within: limit) }
        let parts = (found.hasGround ? [] : [base]) + (found.stages < depth ? [upload(after: found.stages)] : [])
        do {
            // A mark that followed a lost piece at once would be set without it.
            for code in [parts.flatMap { $0.dropLast() }, parts.compactMap(\.last)] where !code.isEmpty {
                try await repl.pipeline(try code.map { try PythonCode($0) }, within: limit) { _, _ in }
            }
        } catch REPLError.exception(let exception) {
            // What was remembered may have gone in a restart.
            if known != nil { return try await ensure(on: repl, within: limit, asksAnew: true) }
            throw REPLError.lacking(in: exception) ?? .exception(exception)
        }
        repl.state.withLock { state in
            if !found.hasGround { state.lacksOthers = true }
            if !base.isEmpty { state.helpers[Self.ground.name] = 1 }
            state.helpers[name] = max(found.stages, depth)
        }
    }

    /// - Returns: `nil` while nothing is known.
    private func standing(in state: PythonREPL.State) -> (hasGround: Bool, stages: Int)? {
        let own = state.helpers[name]
        return own == nil && !state.lacksOthers ? nil : (own != nil || state.helpers[Self.ground.name] != nil, own ?? 0)
    }

    private func ask(_ repl: PythonREPL, within limit: Duration) async throws -> (hasGround: Bool, stages: Int) {
        let found = try await repl.runText(probe, within: limit).split(separator: " ").dropFirst().map(String.init)
        guard let ground = found.first, ground == (base.isEmpty ? marks : Self.ground.marks).last else { return (false, 0) }
        return (true, marks.firstIndex { $0 == (base.isEmpty ? ground : found.last) }.map { $0 + 1 } ?? 0)
    }

    fileprivate func isRemembered(_ helpers: [String: Int]) -> Bool { helpers[name, default: 0] >= depth }
}

extension PythonREPL {
    /// Whether the unit has reported the helper since the prompt was found.
    func remembers(_ helper: RemoteHelper) -> Bool { state.withLock { helper.isRemembered($0.helpers) } }
}

extension RemoteHelper {
    /// `get` imports a module even if a user's file has its name: with an empty `sys.path` only built-in modules are found, as
    /// `uos` where a firmware still looks for files then. A module that a program loaded under that name stays in `sys.modules`
    /// but is not trusted. `use` takes a module's attribute from the first of several paths; `upd` finds `update` only among
    /// the frozen modules. `x` writes hexadecimal, `c` is the check of a piece of data, `say` answers with one
    /// (``CheckedAnswer``).
    private static let groundPieces = [
        """
        import sys
        class _nr:
         def get(s,n,f):
          m=sys.modules
          p=sys.path[:]
          q=m.pop(n,None)
          sys.path.clear()
          sys.path.extend(f)
          try:
           if not f:
            try:
             return __import__('u'+n)
            except ImportError:
             pass
           return __import__(n)
          finally:
           sys.path.clear()
           sys.path.extend(p)
           if q:
            m[n]=q
        """,
        """
        class _nr(_nr):
         def use(s,n,a,*f):
          for p in f or((),):
           try:
            return getattr(s.get(n,p),a)
           except(ImportError,AttributeError):
            pass
          raise NotImplementedError('no '+n+'.'+a)
         def upd(s,a):
          return s.use('update',a,('.frozen',),[p for p in sys.path if p])
        """,
        """
        class _nr(_nr):
         def x(s,b):
          return '%02x'*len(b)%tuple(b)
         def d(s,b):
          return s.H(b).digest()[:4]
         def c(s,b):
          return int.from_bytes(s.d(b),'big')
         def say(s,t):
          print(t,s.x(s.d(t.encode())))
        _nr.H=_nr().use('hashlib','sha256')
        """,
    ]

    /// Gets `micropython` or `Fpga` from the firmware's frozen module `update`; part of `_nr` from its first piece on.
    package static func update(_ attribute: String) -> String { "_nr().upd('\(attribute)')" }
}
