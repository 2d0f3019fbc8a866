import Assistant
import Bluetooth
import OpenAI
import Provisioning
import Support

/// Runs `noafw chat`: checks the input, verifies the unit, converses.
struct ChatRunner: Sendable {
    let command: ChatCommand
    let context: CommandContext
    /// ``ChatReportOptions/timeout`` counts from here.
    private let start: SessionClock.Instant

    init(command: ChatCommand, context: CommandContext) {
        (self.command, self.context) = (command, context)
        start = context.clock.now
    }

    /// Ends the command before the conversation.
    struct Stop: DiagnosableError { let diagnosis: Diagnosis }

    /// Determined before a unit is touched.
    private struct Plan: Sendable {
        var request: ChatRequest
        var script: ChatScript?
        var recorder: ChatRecorder
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
            if command.report.json { context.output.writeLine(JSONWriter.text(ChatDocument.end(nil, error: diagnosis))) }
            context.explain(diagnosis)
            return diagnosis.category.rawValue
        }
        plan.recorder.begin(unit: command.unit.value.target, assistant: plan.request.assistant.name, mode: command.assistant.mode)
        let conclusion = Conclusion()
        let end: @Sendable (ChatVerdict?, Diagnosis?) -> Void = { verdict, error in
            conclusion.say {
                plan.recorder.end(verdict, error: error)
                if let error { context.explain(error) }
            }
        }
        context.interrupts.exitReport.set { end(nil, CommandError.chatInterrupted.diagnosis) }
        defer { context.interrupts.exitReport.set(nil) }
        do {
            let verdict = try await converse(plan)
            if !command.report.json {
                for soak in verdict.soaks { context.output.writeLine(soak.summary) }
                if let display = verdict.display { printer.show(display: display) }
            }
            end(verdict, verdict.failure)
            return verdict.failure?.category.rawValue ?? 0
        } catch {
            let diagnosis = diagnose(error)
            end(nil, diagnosis)
            return diagnosis.category.rawValue
        }
    }

    private func plan() throws -> Plan {
        var unit = command.unit.value
        if case .one(.only) = unit.units, !command.noKeep { unit.resumes = try unfinished().cutOff }
        let isVirtual = if case .virtual = unit.units { true } else { false }
        let assistant = try command.assistant.choice(context.environment)
        if command.unit.virtualSpeed == .maximum {
            guard case .echo = assistant, !isAtTerminal else { throw CommandError.noRealTime }
        }
        let takesPictures = unit.families.contains { $0.chat?.makeRelay().takesPictures == true }
        let script = try command.script.map { try ChatScript.load(context.path($0), isVirtual: isVirtual, takesPictures: takesPictures) }
        if case .server(let settings) = assistant { settings.notices.forEach(context.note) }
        let recorder = try ChatRecorder(
            context, transcript: command.report.transcript, media: command.report.saveMedia, json: command.report.json)
        let request = ChatRequest(
            unit: unit, inputs: command.inputs.value(in: context), stateFolder: try context.stateFolder(),
            records: try command.record.value(with: command.server, in: context), assistant: assistant, mode: command.assistant.mode)
        return Plan(request: request, script: script, recorder: recorder)
    }

    /// Verifies and converses until the end, the time limit, or a signal.
    private func converse(_ plan: Plan) async throws -> ChatVerdict {
        let progress = CurrentRenderer()
        let left = command.report.timeout.map { max(0, $0 - start.duration(to: context.clock.now).inSeconds) }
        let outcome = await Supervisor(context: context, tick: { progress.tick() }, timeoutSeconds: left).run {
            try await context.services.withChatUnit(plan.request, notice: context.note) { unit in
                if !command.noVerify { try await verify(unit, progress) }
                return try await unit.converse { try await drive($0, plan) }
            }
        }
        switch outcome {
        case .finished(let verdict): return verdict
        case .failed(CommandError.timedOut): throw CommandError.timedOut(seconds: command.report.timeout ?? 0)
        case .failed(let error): throw error
        case .interrupted(let verdict?) where verdict.passed: return verdict
        case .interrupted: throw CommandError.chatInterrupted
        }
    }

    private var printer: PlainPrinter {
        PlainPrinter(
            output: context.output, diagnostics: context.diagnostics, style: context.style(for: context.diagnostics),
            isVerbose: command.report.verbose)
    }

    private func drive(_ environment: ChatEnvironment, _ plan: Plan) async throws -> ChatVerdict {
        let controller = ChatController(environment: environment, recorder: plan.recorder, keeper: try await keeper(of: environment))
        if isAtTerminal {
            let status = ChatStatus(
                unit: plan.request.unit.target.id ?? environment.family.rawValue, assistant: plan.request.assistant.name,
                mode: plan.request.mode)
            let history = HistoryFile(stateFolder: plan.request.stateFolder)
            let driver = TerminalDriver(context: context, status: status, history: history, isVerbose: command.report.verbose)
            return try await controller.run(show: { _, _ in }, driver: driver.drive)
        }
        let driver: ChatController.Driver = if let script = plan.script {
            ScriptDriver(script: script, environment: environment).drive
        } else if let query = command.query {
            QuestionDriver(text: query, environment: environment).drive
        } else {
            LinesDriver(context: context, environment: environment).drive
        }
        let (printer, isQuiet) = (printer, command.report.json)
        return try await controller.run(show: { if !isQuiet { printer.show($0, photoFile: $1) } }, driver: driver)
    }
}

// What an earlier conversation left.
extension ChatRunner {
    private func unfinished() throws -> UnfinishedChats { UnfinishedChats(stateFolder: try context.stateFolder(), now: context.date) }

    /// Says which answers the unit has not got; a person at a terminal decides.
    private func keeper(of environment: ChatEnvironment) async throws -> AnswerKeeper? {
        guard !command.noKeep, let address = environment.address else { return nil }
        let keeper = AnswerKeeper(
            try unfinished(), unit: address, isResumable: environment.sensors == nil,
            keepsAnswers: command.query == nil && command.script == nil, tell: context.note)
        let waiting = keeper.waiting
        guard !waiting.isEmpty else { return keeper }
        let (subject, object, verb) = waiting.count == 1 ? ("an answer", "it", "it is") : ("\(waiting.count) answers", "them", "they are")
        context.note("\(subject) of an earlier chat did not reach the unit")
        guard isAtTerminal else { return keeper }
        for answer in waiting { context.diagnostics.writeLine("  \(UntrustedText.escape(answer.text))") }
        context.diagnostics.write("show \(object) on the unit now? Otherwise \(verb) dropped. [y/N] ")
        if try await !Answer.read(context).isYes { keeper.drop() }
        return keeper
    }
}
