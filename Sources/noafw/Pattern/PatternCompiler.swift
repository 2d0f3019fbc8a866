/// Lays a tree out as instructions; a counted repetition stands there as often as it counts.
struct PatternCompiler {
    private(set) var program: [TextPattern.Instruction] = []
    /// Repetitions of nothing take time, too.
    private var stepCount = 0

    mutating func emit(_ node: PatternParser.Node) throws(TextPattern.Fault) {
        stepCount += 1
        guard program.count < TextPattern.programLimit, stepCount < 4 * TextPattern.programLimit else {
            throw TextPattern.Fault(reason: "it is too long")
        }
        switch node {
        case .empty: break
        case .one(let set): program.append(.one(set))
        case .at(let boundary): program.append(.at(boundary))
        case .sequence(let nodes): for node in nodes { try emit(node) }
        case .choice(let branches): try emit(choiceOf: branches[...])
        case .repeated(let node, let least, let most):
            for _ in 0..<least { try emit(node) }
            if let most {
                for _ in least..<most { try emit(optional: node) }
            } else {
                try emit(endless: node)
            }
        }
    }

    private mutating func emit(choiceOf branches: ArraySlice<PatternParser.Node>) throws(TextPattern.Fault) {
        var ends: [Int] = []
        for branch in branches.dropLast() {
            let fork = reserve()
            try emit(branch)
            ends.append(reserve())
            program[fork] = .either(fork + 1, program.count)
        }
        if let last = branches.last { try emit(last) }
        for end in ends { program[end] = .jump(program.count) }
    }

    private mutating func emit(optional node: PatternParser.Node) throws(TextPattern.Fault) {
        let fork = reserve()
        try emit(node)
        program[fork] = .either(fork + 1, program.count)
    }

    private mutating func emit(endless node: PatternParser.Node) throws(TextPattern.Fault) {
        let fork = reserve()
        try emit(node)
        program.append(.jump(fork))
        program[fork] = .either(fork + 1, program.count)
    }

    /// A place that is filled once it is known how far it leads.
    private mutating func reserve() -> Int {
        program.append(.jump(program.count))
        return program.count - 1
    }
}
