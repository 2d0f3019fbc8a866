import Bluetooth
import Provisioning
import Support

/// How a stay at a unit's prompt ended.
struct OwnerVerdict: Verdict {
    var passed = true
}

/// One run of a verb that works at the prompt of a unit for its owner: an exit code.
struct OwnerRun: Sendable {
    let context: CommandContext
    let unit: UnitOptions
    let limit: TimeLimit
    /// As an error names it.
    let verb: String
    /// The unit stays as the verb leaves it.
    var leavesProgram = false
    /// A lost link begins `body` anew.
    var isRepeatable = true
    /// How a signal leaves things.
    var interruption = FileState.complete.diagnosis

    /// - Parameters:
    ///   - progress: grows with what `body` achieves.
    ///   - body: at the unit's prompt.
    ///   - conclude: shows the result.
    func run<Value: Sendable>(
        progress: @escaping @Sendable () -> Int = { 0 },
        _ body: @escaping @Sendable (any ProgramConsole) async throws -> Value,
        conclude: @escaping @Sendable (Value) throws -> Bool
    ) async -> Int32 {
        await run { unit in
            let visit = try UnitVisit(
                family: unit.family, central: unit.central, address: unit.address, leavesProgram: leavesProgram, notice: context.note)
            let value = try await visit.run(progress: progress, isRepeatable: isRepeatable, body)
            return OwnerVerdict(passed: try conclude(value))
        }
    }

    /// The same for a verb with its own course at the unit.
    func run(_ body: @escaping @Sendable (StationUnit) async throws -> OwnerVerdict) async -> Int32 {
        context.interrupts.grace.waitForUnits()
        let conclusion = Conclusion()
        context.interrupts.exitReport.set { conclusion.say { explain(interruption) } }
        defer { context.interrupts.exitReport.set(nil) }
        let outcome = await Supervisor(context: context, tick: nil, timeoutSeconds: limit.timeout).run {
            try await context.services.withUnit(
                unit.value, search: context.assetSearch(nil), stateFolder: try context.stateFolder(),
                events: { $0.notice.map(context.note) }
            ) { unit in
                guard unit.support.prompt != nil else { throw CommandError.unsupported(verb, family: unit.family.id) }
                return try await body(unit)
            }
        }
        let error: Diagnosis
        switch outcome {
        case .finished(let verdict), .interrupted(let verdict?): return verdict.passed ? 0 : Diagnosis.Category.unitFailed.rawValue
        case .failed(let reason): error = diagnose(reason)
        case .interrupted(nil): error = interruption
        }
        conclusion.say { explain(error) }
        return error.category.rawValue
    }

    private func explain(_ error: Diagnosis) {
        context.explain(error)
        if ErrorDocument.isWanted(context.arguments) { context.output.writeLine(ErrorDocument.text(error)) }
    }
}
