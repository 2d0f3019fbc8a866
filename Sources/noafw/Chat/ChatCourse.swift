import ArgumentParser
import Assistant
import Bluetooth
import Provisioning
import Support

/// The course of one `noafw chat`: check what was given, prove the unit, converse.
struct ChatCourse: Sendable {
    let command: ChatVerb
    let context: CommandContext
    /// The limit of ``ChatReportOptions/timeout`` is for everything from here on.
    private let start: SessionClock.Instant

    init(command: ChatVerb, context: CommandContext) {
        (self.command, self.context) = (command, context)
        start = context.clock.now
    }

    /// An end before the conversation; without an error it was explained already.
    private struct Stop: Error {
        let code: Int32
        var error: Diagnosis?
    }

    /// What is known before a unit is touched.
    private struct Plan: Sendable {
        var choice: AssistantChoice
        var script: ChatScript?
        var recorder: ChatRecorder
        var inputs: AssetInputs
        var stateFolder: String
    }

    private var isAtTerminal: Bool {
        context.input.isTerminal && context.output.isTerminal && !context.isDumbTerminal && !command.report.json
            && command.query == nil && command.script == nil
    }

    func run() async -> Int32 {
        let plan: Plan
        do {
            plan = try self.plan()
        } catch {
            let diagnosis = CommandError.explain(error)
            if command.report.json { context.output.writeLine(ChatJSON.end(nil, error: diagnosis).text) }
            explain(diagnosis)
            return diagnosis.category.rawValue
        }
        plan.recorder.begin(unit: command.unit.value.target, assistant: plan.choice.name, mode: command.assistant.mode)
        let conclusion = Conclusion()
        let end: @Sendable (ChatVerdict?, Diagnosis?) -> Void = { verdict, error in
            conclusion.say {
                plan.recorder.end(verdict, error: error)
                if let error = error ?? verdict?.failure { explain(error) }
            }
        }
        context.interrupts.lastWords.set { end(nil, CommandError.chatInterrupted.diagnosis) }
        defer { context.interrupts.lastWords.set(nil) }
        do {
            let verdict = try await converse(try await provedUnit(plan), plan)
            if let display = verdict.display, !command.report.json { printer.show(display: display) }
            end(verdict, nil)
            return verdict.failure?.category.rawValue ?? 0
        } catch let stop as Stop {
            end(nil, stop.error)
            return stop.code
        } catch {
            let diagnosis = CommandError.explain(error)
            end(nil, diagnosis)
            return diagnosis.category.rawValue
        }
    }

    private func stop(_ error: Diagnosis) -> Stop { Stop(code: error.category.rawValue, error: error) }

    private func explain(_ error: Diagnosis) {
        for line in ErrorText.lines(error, style: context.style(for: context.diagnostics)) { context.diagnostics.writeLine(line) }
    }

    private func plan() throws -> Plan {
        let isVirtual = if case .virtual = command.unit.value { true } else { false }
        let choice = try command.assistant.choice(context.environment)
        if command.unit.speed == .maximum {
            guard case .echo = choice, !isAtTerminal else { throw CommandError.noRealTime }
        }
        let script = try command.script.map { try ChatScript.load(context.absolute($0), isVirtual: isVirtual) }
        if let transcript = command.report.transcript {
            try OutputGuard.check(context.absolute(transcript), inputs: [command.script.map(context.absolute)])
        }
        if case .server(let settings) = choice { for notice in settings.notices { note(notice) } }
        let search = AssetSearch(
            given: command.assets, environment: context.environment, currentDirectory: context.currentDirectory,
            executable: context.executable)
        return Plan(
            choice: choice, script: script,
            recorder: try ChatRecorder(
                context, transcript: command.report.transcript, media: command.report.saveMedia, json: command.report.json),
            inputs: AssetInputs(search: search), stateFolder: try context.stateFolder())
    }

    private func note(_ text: String) {
        context.diagnostics.writeLine(
            context.style(for: context.diagnostics).paint("note:", .careful) + " " + UntrustedText.escape(text))
    }

    // MARK: - Proof

    /// The unit to converse with: the very one that was looked at.
    private func provedUnit(_ plan: Plan) async throws -> UnitSelection {
        if command.noVerify { return command.unit.value }
        let request = VerifyRequest(
            unit: command.unit.value, inputs: plan.inputs, parts: Set(Part.allCases), isDeep: false, stateFolder: plan.stateFolder)
        let renderer = ProgressRenderer(context: context, isVerbose: command.report.verbose)
        let tick = renderer.isLive ? { @Sendable in renderer.tick() } : nil
        let report = try await supervised(tick: tick) { () async throws -> VerifyReport in
            do {
                let report = try await context.runner.verify(request) { renderer.handle($0) }
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
        return .radio(RadioSelection(wish: .address(address), adapter: selection.adapter))
    }

    /// On a terminal the unit may be flashed now; elsewhere the command to run ends the course.
    private func offerFlash(_ parts: [Part], _ unit: UnitSelection, _ plan: Plan) async throws {
        let differs = CommandError.differs(parts: parts, repair: flashCommand(parts, unit))
        guard context.input.isTerminal, context.diagnostics.isTerminal, !command.report.json else { throw stop(differs.diagnosis) }
        note(differs.diagnosis.message)
        context.diagnostics.write("flash now? [y/N] ")
        let answer = try await supervised { try await Answer.read(context) }
        guard answer.isYes else { throw stop(differs.diagnosis) }
        var options = FlashOptions()
        options.parts = Set(parts)
        let request = FlashRequest(unit: unit, inputs: plan.inputs, options: options, stateFolder: plan.stateFolder)
        let session = RunSession(
            context: context, report: try ReportOptions.parse([]), verb: .flash(isDryRun: false),
            presentation: FlashPresentation(target: unit.target, isDryRun: false))
        let code = await session.run { events in try await context.runner.flash(request, events: events) }
        guard code == 0 else { throw Stop(code: code) }
    }

    private func flashCommand(_ parts: [Part], _ unit: UnitSelection) -> String {
        var arguments = ["flash"]
        switch unit {
        case .virtual(let unit): arguments += ["--virtual", unit.name.description]
        case .radio(let selection):
            if case .address(let address) = selection.wish { arguments += ["--device", address.description] }
            if let adapter = selection.adapter { arguments += ["--adapter", adapter] }
        }
        if let assets = command.assets { arguments += ["--assets", assets] }
        return CommandLineText.same(arguments + ["--only", parts.map(\.rawValue).joined(separator: ",")])
    }

    // MARK: - Conversation

    private func converse(_ unit: UnitSelection, _ plan: Plan) async throws -> ChatVerdict {
        let request = ChatRequest(
            unit: unit, inputs: plan.inputs, assistant: plan.choice, mode: command.assistant.mode, stateFolder: plan.stateFolder,
            notice: { note($0) })
        return try await supervised {
            try await context.runner.chat(request) { bench in try await lead(bench, plan, unit.target) }
        }
    }

    private var printer: PlainPrinter {
        PlainPrinter(
            output: context.output, diagnostics: context.diagnostics, style: context.style(for: context.diagnostics),
            isVerbose: command.report.verbose)
    }

    private func lead(_ bench: ChatBench, _ plan: Plan, _ target: ReportTarget) async throws -> ChatVerdict {
        let drive = ChatDrive(bench: bench, recorder: plan.recorder)
        if isAtTerminal {
            let status = ChatStatus(
                unit: target.id ?? target.family, assistant: plan.choice.name, mode: command.assistant.mode)
            let history = HistoryFile(stateFolder: plan.stateFolder)
            let lead = TerminalLead(context: context, status: status, history: history, isVerbose: command.report.verbose)
            return try await drive.run(show: { _, _ in }, lead: lead.lead)
        }
        let printer = self.printer
        let isQuiet = command.report.json
        let show: @Sendable (ChatEvent, String?) -> Void = { if !isQuiet { printer.show($0, photoFile: $1) } }
        if let script = plan.script { return try await drive.run(show: show, lead: ScriptLead(script: script, bench: bench).lead) }
        if let query = command.query { return try await drive.run(show: show, lead: QuestionLead(text: query, bench: bench).lead) }
        return try await drive.run(show: show, lead: LinesLead(context: context, bench: bench).lead)
    }

    /// Runs one step until it ends, the whole course's time limit passes, or a signal asks for the end.
    private func supervised<Report: RunVerdict>(
        tick: (@Sendable () -> Void)? = nil, _ step: @escaping @Sendable () async throws -> Report
    ) async throws -> Report {
        let left = command.report.timeout.map { max(0, $0 - start.duration(to: context.clock.now).inSeconds) }
        switch await Supervisor(context: context, tick: tick, timeoutSeconds: left).run(step) {
        case .finished(let report): return report
        case .failed(CommandError.timedOut): throw CommandError.timedOut(seconds: command.report.timeout ?? 0)
        case .failed(let error): throw error
        case .interrupted(let report?) where report.passed: return report
        case .interrupted: throw CommandError.chatInterrupted
        }
    }
}

/// A person's yes or no.
private struct Answer: RunVerdict {
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
            let piece = try await pieces.next(before: context.clock.deadline(in: ChatTime.forever), on: context.clock)
            guard let bytes = piece ?? nil else { break }
            line += bytes
        }
        let text = String(decoding: line, as: UTF8.self).lowercased().filter { !$0.isWhitespace }
        return Answer(isYes: text == "y" || text == "yes")
    }
}
