import Assistant
import Bluetooth
import OpenAI
import Provisioning
import Support

/// Runs one `noafw chat`: checks what was given, verifies the unit, converses.
struct ChatRunner: Sendable {
    let command: ChatCommand
    let context: CommandContext
    /// ``ChatReportOptions/timeout`` counts from here.
    private let start: SessionClock.Instant

    init(command: ChatCommand, context: CommandContext) {
        (self.command, self.context) = (command, context)
        start = context.clock.now
    }

    /// An end before the conversation; without an error it was explained already.
    struct Stop: Error {
        let code: Int32
        var error: Diagnosis?
    }

    /// What is known before a unit is touched.
    struct Plan: Sendable {
        var choice: AssistantChoice
        var script: ChatScript?
        var recorder: ChatRecorder
        var inputs: AssetInputs
        var stateFolder: String
        var records: RecordInputs
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
            let diagnosis = diagnose(error)
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
        context.interrupts.exitReport.set { end(nil, CommandError.chatInterrupted.diagnosis) }
        defer { context.interrupts.exitReport.set(nil) }
        do {
            let verdict = try await converse(plan)
            if !command.report.json { for soak in verdict.soaks { context.output.writeLine(soak.summary) } }
            if let display = verdict.display, !command.report.json { printer.show(display: display) }
            end(verdict, nil)
            return verdict.failure?.category.rawValue ?? 0
        } catch let stop as Stop {
            end(nil, stop.error)
            return stop.code
        } catch {
            let diagnosis = diagnose(error)
            end(nil, diagnosis)
            return diagnosis.category.rawValue
        }
    }

    func stop(_ error: Diagnosis) -> Stop { Stop(code: error.category.rawValue, error: error) }

    private func explain(_ error: Diagnosis) {
        context.explain(error)
    }

    private func plan() throws -> Plan {
        let isVirtual = if case .virtual = command.unit.value { true } else { false }
        let choice = try command.assistant.choice(context.environment)
        if command.unit.speed == .maximum {
            guard case .echo = choice, !isAtTerminal else { throw CommandError.noRealTime }
        }
        let takesPictures = command.unit.value.families.contains { $0.chat?.makeRelay().takesPictures == true }
        let script = try command.script.map { try ChatScript.load(context.path($0), isVirtual: isVirtual, takesPictures: takesPictures) }
        if case .server(let settings) = choice { for notice in settings.notices { note(notice) } }
        return Plan(
            choice: choice, script: script,
            recorder: try ChatRecorder(
                context, transcript: command.report.transcript, media: command.report.saveMedia, json: command.report.json),
            inputs: command.inputs.value(in: context), stateFolder: try context.stateFolder(),
            records: try command.record.value(in: context))
    }

    func note(_ text: String) {
        context.diagnostics.writeLine(
            context.style(for: context.diagnostics).paint("note:", .careful) + " " + UntrustedText.escape(text))
    }

    // MARK: - Conversation

    private func converse(_ plan: Plan) async throws -> ChatVerdict {
        let preparation = ChatPreparation(unit: command.unit.value, inputs: plan.inputs, stateFolder: plan.stateFolder, records: plan.records)
        let progress = CurrentRenderer()
        return try await supervised(tick: { progress.tick() }) {
            try await context.services.withChatUnit(preparation, notice: { note($0) }) { unit in
                if !command.noVerify { try await verify(unit, progress) }
                let request = ChatRequest(assistant: plan.choice, mode: command.assistant.mode)
                return try await unit.converse(request) { environment in try await drive(environment, plan, preparation.unit.target) }
            }
        }
    }

    private var printer: PlainPrinter {
        PlainPrinter(
            output: context.output, diagnostics: context.diagnostics, style: context.style(for: context.diagnostics),
            isVerbose: command.report.verbose)
    }

    private func drive(_ environment: ChatEnvironment, _ plan: Plan, _ target: ReportTarget) async throws -> ChatVerdict {
        let controller = ChatController(environment: environment, recorder: plan.recorder)
        if isAtTerminal {
            let status = ChatStatus(
                unit: target.id ?? (environment.family ?? target.family)?.rawValue ?? "the unit", assistant: plan.choice.name, mode: command.assistant.mode)
            let history = HistoryFile(stateFolder: plan.stateFolder)
            let driver = TerminalDriver(context: context, status: status, history: history, isVerbose: command.report.verbose)
            return try await controller.run(show: { _, _ in }, driver: driver.drive)
        }
        let printer = self.printer
        let isQuiet = command.report.json
        return try await controller.run(
            show: { if !isQuiet { printer.show($0, photoFile: $1) } }, driver: plainDriver(environment, plan))
    }

    private func plainDriver(_ environment: ChatEnvironment, _ plan: Plan) -> ChatController.Driver {
        if let script = plan.script { return ScriptDriver(script: script, environment: environment).drive }
        if let query = command.query { return QuestionDriver(text: query, environment: environment).drive }
        return LinesDriver(context: context, environment: environment).drive
    }

    /// Runs it all until it ends, the time limit passes, or a signal asks for the end.
    private func supervised<Report: Verdict>(
        tick: @escaping @Sendable () -> Void, _ step: @escaping @Sendable () async throws -> Report
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
