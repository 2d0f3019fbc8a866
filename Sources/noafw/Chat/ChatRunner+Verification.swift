import Bluetooth
import Provisioning
import Support
import Synchronization

// Verifies the unit before the conversation.
extension ChatRunner {
    func verify(_ unit: any ChatUnit, _ progress: CurrentRenderer) async throws {
        let compared = try await progress.drawing(context, isVerbose: command.report.verbose) { renderer in
            try await unit.compareVersions { renderer.handle($0) }
        }
        if let error = compared.report.error { throw Stop(diagnosis: error) }
        let drifted = compared.report.drifted
        guard !drifted.isEmpty else { return }
        let advice = compared.advice.text(flashCommand(drifted, compared.report.identity.address))
        let differs = Stop(diagnosis: CommandError.differs(parts: drifted, from: compared.expectation, advice: advice).diagnosis)
        guard case .flash = compared.advice else { throw differs }
        try await offerFlash(drifted, of: unit, differs, progress)
    }

    /// At a terminal, offers to flash the unit; elsewhere ends the run with the command that does.
    private func offerFlash(
        _ components: [Component], of unit: any ChatUnit, _ differs: Stop, _ progress: CurrentRenderer
    ) async throws {
        guard context.input.isTerminal, context.diagnostics.isTerminal, !command.report.json else { throw differs }
        context.note(differs.diagnosis.message)
        context.diagnostics.write("flash now? [y/N] ")
        guard try await Answer.read(context).isYes else { throw differs }
        context.interrupts.grace.waitForUnits()
        let start = context.clock.now
        let (report, model) = try await progress.drawing(context, isVerbose: command.report.verbose) { renderer in
            do {
                return (try await unit.update(Set(components)) { renderer.handle($0) }, renderer.progress.single)
            } catch is CancellationError {
                throw Stop(diagnosis: renderer.progress.single.interruption(mayChangeUnit: true, arguments: context.arguments))
            }
        }
        let unit = FleetUnit(id: "\(report.identity.address)", address: report.identity.address, family: report.family)
        let entry = FleetEntry(unit: unit, report: report)
        let result = FleetRunResult(
            report: FleetReport(entries: [entry]), seconds: start.duration(to: context.clock.now).inSeconds, known: [unit.id: model])
        let presentation = FlashPresentation(single: command.unit.value.target)
        for line in presentation.summary(result, style: context.style(for: context.output)) { context.output.writeLine(line) }
        if let error = presentation.error(of: result) { throw Stop(diagnosis: error) }
    }

    private func flashCommand(_ parts: [Component], _ address: DeviceAddress) -> String {
        let selection = command.unit.value
        let unit = if case .virtual(let names, _) = selection.units {
            names.flatMap { ["--virtual", $0.description] }
        } else {
            ["--device", address.description] + (selection.family.map { ["--family", $0.rawValue] } ?? [])
                + selection.adapters.flatMap { ["--adapter", $0] }
        }
        return CommandLineText.flash(unit, command.inputs.arguments, parts)
    }
}

/// The current renderer, for the tick that keeps its display alive.
final class CurrentRenderer: Sendable {
    private let renderer = Mutex<RunRenderer?>(nil)

    func tick() {
        guard let renderer = renderer.withLock(\.self), renderer.isLive else { return }
        renderer.tick()
    }

    func drawing<Value: Sendable>(
        _ context: CommandContext, isVerbose: Bool, _ body: (RunRenderer) async throws -> Value
    ) async throws -> Value {
        let new = RunRenderer(context: context, isVerbose: isVerbose, isSingle: true)
        renderer.withLock { $0 = new }
        defer {
            renderer.withLock { $0 = nil }
            new.finish()
        }
        return try await body(new)
    }
}
