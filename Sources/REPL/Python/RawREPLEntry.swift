import Support

/// Brings a unit to its raw prompt and proves it with code that prints a new word. A prompt alone proves nothing: output of an
/// earlier connection arrives on the next one.
struct RawREPLEntry: Sendable {
    enum Action: Sendable, Hashable {
        case send([UInt8])
        /// Ask again soon, unless more comes.
        case wait
        case proven
    }

    private enum State: Sendable {
        case polling(tail: [UInt8])
        case proving(expected: [UInt8], tail: [UInt8])
        case proven
    }

    private var state = State.polling(tail: [])
    private var mayHurry = true

    /// The bytes that ask for the prompt, to be repeated every few hundred milliseconds: the unit misses what arrives in its
    /// first 0.1 s, and each running program may use up one ^C. An interrupted program's ^C also leaves a stale byte, behind which the
    /// friendly prompt takes ^A for "start of line" (monocle-micropython, `main.c`), so there it is asked again soon: not at
    /// once, since the raw prompt may be on its way.
    mutating func poll() -> [UInt8] {
        state = .polling(tail: [])
        return Control.poll
    }

    /// Prints a word, after deleting globals of an interrupted program that hide built-in functions: `print`, `len`,
    /// `__import__`.
    static func proof(_ word: String) -> String {
        """
        import builtins as _n
        try:
         for _k in _n.list(_n.globals()):_k!='__name__'and _n.hasattr(_n,_k)and _n.globals().pop(_k,0)
        except _n.MemoryError:
         pass
        _n.print('\(word)',end='')
        """
    }

    mutating func receive(_ bytes: [UInt8], nonce: () -> String) -> Action? {
        switch state {
        case .polling(let tail):
            let seen = tail + bytes
            guard seen.suffix(Control.banner.count) == Control.banner[...] else {
                state = .polling(tail: seen.suffix(Control.banner.count))
                guard mayHurry, seen.contains(bytes: Control.friendlyPrompt.utf8) else { return nil }
                mayHurry = false
                return .wait
            }
            let word = nonce()
            state = .proving(expected: Array("OK\(word)\u{4}\u{4}>".utf8), tail: [])
            return .send(Array("\(Self.proof(word))\u{4}".utf8))
        case .proving(let expected, let tail):
            let seen = tail + bytes
            guard seen.contains(bytes: expected) else {
                state = .proving(expected: expected, tail: seen.suffix(expected.count))
                return nil
            }
            state = .proven
            return .proven
        case .proven:
            return nil
        }
    }
}
