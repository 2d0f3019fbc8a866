import ArgumentParser
import Assistant
import Bluetooth
import Provisioning
import Support

// Before the conversation: is the unit what the catalogue says?
extension ChatRunner {
    /// The unit to converse with: the very one that was verified.
    func verifiedUnit(_ plan: Plan) async throws -> UnitSelection {
        if command.noVerify { return command.unit.value }
        let job = ChatPreparation(unit: command.unit.value, inputs: plan.inputs, stateFolder: plan.stateFolder)
        let renderer = ProgressRenderer(context: context, isVerbose: command.report.verbose)
        let tick = renderer.isLive ? { @Sendable in renderer.tick() } : nil
        let report = try await supervised(tick: tick) { () async throws -> VerifyReport in
            do {
                let report = try await context.services.compareVersions(job) { renderer.handle($0) }
                renderer.finish()
                return report
            } catch {
                renderer.finish()
                throw error
            }
        }
        if let error = report.error { throw stop(error) }
        let unit = pinned(report.identity.address)
        let drifted = report.findings.filter { !$0.value.matches }.map(\.key).sorted()
        if !drifted.isEmpty { try await offerFlash(drifted, unit, plan) }
        return unit
    }

    private func pinned(_ address: DeviceAddress) -> UnitSelection {
        guard case .radio(let selection) = command.unit.value else { return command.unit.value }
        return .radio(RadioSelection(selector: .address(address), adapter: selection.adapter))
    }

    /// Offers to flash the unit at a terminal; elsewhere ends the run with the command that does.
    private func offerFlash(_ parts: [Component], _ unit: UnitSelection, _ plan: Plan) async throws {
        let differs = CommandError.differs(parts: parts, repair: flashCommand(parts, unit))
        guard context.input.isTerminal, context.diagnostics.isTerminal, !command.report.json else { throw stop(differs.diagnosis) }
        note(differs.diagnosis.message)
        context.diagnostics.write("flash now? [y/N] ")
        let answer = try await supervised { try await Answer.read(context) }
        guard answer.isYes else { throw stop(differs.diagnosis) }
        let job = ChatPreparation(unit: unit, inputs: plan.inputs, stateFolder: plan.stateFolder)
        let session = RunSession(
            context: context, report: try ReportOptions.parse([]), mayChangeUnit: true,
            presentation: UnitReportPresentation(target: unit.target, isDryRun: false))
        let code = await session.run { events in try await context.services.update(Set(parts), job, events: events) }
        guard code == 0 else { throw Stop(code: code) }
    }

    private func flashCommand(_ parts: [Component], _ unit: UnitSelection) -> String {
        var arguments = ["flash"]
        switch unit {
        case .virtual(let unit): arguments += ["--virtual", unit.name.description]
        case .radio(let selection):
            if case .address(let address) = selection.selector { arguments += ["--device", address.description] }
            if let adapter = selection.adapter { arguments += ["--adapter", adapter] }
        }
        if let assets = command.assets { arguments += ["--assets", assets] }
        return CommandLineText.same(arguments + ["--only", parts.map(\.rawValue).joined(separator: ",")])
    }
}

/// A person's yes or no.
private struct Answer: Verdict {
    var isYes: Bool
    var passed: Bool { true }

    private static let limit = 1000

    static func read(_ context: CommandContext) async throws -> Answer {
        let pieces = Inbox<[UInt8]?>()
        let typed = try context.input.open(false) { pieces.deliver($0) }
        defer { typed.close() }
        var line: [UInt8] = []
        while line.count < limit, !line.contains(0x0A) {
            typed.more()
            let piece = try await pieces.next(before: context.clock.deadline(in: .forever), on: context.clock)
            guard let bytes = piece ?? nil else { break }
            line += bytes
        }
        let text = String(decoding: line, as: UTF8.self).lowercased().filter { !$0.isWhitespace }
        return Answer(isYes: text == "y" || text == "yes")
    }
}
