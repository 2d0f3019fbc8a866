import Bluetooth
import KeyboardFamily
import Provisioning
import Support

/// One run of `type`: plans, types, proves; gives the result as text or document, and the exit code.
struct TypeRun: Sendable {
    let context: CommandContext
    let wish: TypeWish
    let isJSON: Bool
    let timeout: Double?
    private let progress: TypeProgress

    /// A virtual unit starts with the command; until then it is in no network.
    private static let virtualStart = Duration.seconds(10)

    init(context: CommandContext, wish: TypeWish, isJSON: Bool, timeout: Double?) {
        (self.context, self.wish, self.isJSON, self.timeout) = (context, wish, isJSON, timeout)
        progress = TypeProgress(context: context)
    }

    func run() async -> Int32 {
        let conclusion = Conclusion()
        let start = context.clock.now
        context.interrupts.exitReport.set { conclusion.say { fail(progress.interruption, since: start) } }
        defer { context.interrupts.exitReport.set(nil) }
        let outcome = await Supervisor(context: context, tick: nil, timeoutSeconds: timeout).run { try await perform() }
        progress.finish()
        let error: Diagnosis
        switch outcome {
        case .finished(let report), .interrupted(let report?):
            conclusion.say { show(report, since: start) }
            return 0
        case .failed(CommandError.timedOut(let seconds, _, _)):
            error = CommandError.timedOut(seconds: seconds, state: progress.state, next: progress.interruption.remedy).diagnosis
        case .failed(let reason): error = diagnose(reason)
        case .interrupted(nil): error = progress.interruption
        }
        conclusion.say { fail(error, since: start) }
        return error.category.rawValue
    }

    private func perform() async throws -> TypeReport {
        guard !wish.follows else { return try await onUnit { try await follow($0) } }
        let text = TypingText(try await TypeInput.whole(wish.text, context), layout: wish.layout, magic: wish.magic)
        warn(of: text)
        guard text.missing.isEmpty else {
            throw KeyboardError.notTypeable(kinds: text.missing.count, count: text.missing.values.reduce(0, +), layout: wish.layout)
        }
        let items = text.items + wish.lastKeys
        let plan = TypePlan(text, items)
        progress.begin(plan)
        guard !wish.isDryRun else { return TypeReport(plan: plan, isDryRun: true) }
        return try await onUnit { unit in
            progress.begin(at: unit.address)
            return try await proving(unit, plan) { try await session(unit).type(items) }
        }
    }

    private func onUnit(_ body: @escaping @Sendable (StationUnit) async throws -> TypeReport) async throws -> TypeReport {
        try await context.services.withUnit(
            wish.unit.only([.keyboard]), search: context.assetSearch(nil), stateFolder: try context.stateFolder(),
            events: { if case .notice(let text) = $0.content { context.note(text) } }, body)
    }

    private func session(_ unit: StationUnit) -> TypingSession {
        TypingSession(address: unit.address, central: unit.central) { progress.take($0) }
    }

    private func follow(_ unit: StationUnit) async throws -> TypeReport {
        let wishes = Inbox<TypingSession.Wish>()
        let input = TypeInput.Lines(context: context, wish: wish) { warn(of: $0) }
        progress.begin(at: unit.address)
        return try await proving(unit, nil) {
            try await beside({ try await input.deliver(to: wishes) }, {
                try await session(unit).follow(wishes, on: context.clock, taken: { input.room.deliver(()) })
            })
        }
    }

    /// Compares the unit's own report with what was sent. Reads its page while the unit is on the air: a virtual unit disappears
    /// afterwards.
    private func proving(
        _ unit: StationUnit, _ plan: TypePlan?, _ type: () async throws -> TypingSession.Result
    ) async throws -> TypeReport {
        var page = wish.page
        if let place = unit.virtualPlace, page?.url == unit.family.network?.usualPlace { page = KeyboardPage(try place()) }
        if page != nil, unit.isVirtual { try await unit.central.clock.sleep(until: unit.central.clock.deadline(in: Self.virtualStart)) }
        let before = try await page?.trace(on: unit.central.clock)
        if let other = try await page?.layout(on: unit.central.clock), other != wish.layout.rawValue {
            throw KeyboardError.otherLayout(unit: other, wanted: wish.layout)
        }
        let result = try await type()
        if let before, let after = try await page?.trace(on: unit.central.clock) {
            try before.prove(result.commands, layout: wish.layout, next: after)
        }
        return TypeReport(address: unit.address, plan: plan, result: result, isProved: before != nil)
    }

    /// Names the characters, but not their places.
    private func warn(of text: TypingText) {
        let layout = wish.layout.rawValue
        let lines = progress.news(text).map { kind, characters in
            switch kind {
            case .missing: "the layout \(layout) has no \(characters)" + (wish.follows ? "; left out" : "")
            case .replaced: "typed in a plain form: \(characters)"
            case .dead: "the layout \(layout) makes these dead; typed with a space: \(characters)"
            case .mistaken: "the unit gets these wrong on a host with the layout \(layout): \(characters)"
            }
        }
        lines.forEach(context.note)
    }

    private func show(_ report: TypeReport, since start: SessionClock.Instant) {
        let sink = isJSON ? context.diagnostics : context.output
        let seconds = start.duration(to: context.clock.now).inSeconds
        let style = context.style(for: sink)
        for line in style.fitted([report.line(style, seconds: seconds)]) { sink.writeLine(line) }
        if isJSON {
            context.output.writeLine(JSONWriter.text(TypeDocument(report, wish.layout, confirmed: progress.confirmed, seconds: seconds)))
        }
    }

    private func fail(_ error: Diagnosis, since start: SessionClock.Instant) {
        context.explain(error)
        guard isJSON else { return }
        let seconds = start.duration(to: context.clock.now).inSeconds
        context.output.writeLine(
            JSONWriter.text(
                TypeDocument(
                    TypeReport(address: progress.address, plan: progress.plan, isDryRun: wish.isDryRun), wish.layout,
                    confirmed: progress.confirmed, seconds: seconds, error: error)))
    }
}
