import Assistant
import Bluetooth
import Support
import VirtualDevices

/// Drives a conversation by a script.
struct ScriptDriver: Sendable {
    let script: ChatScript
    let environment: ChatEnvironment

    private static let readyTimeout = Duration.seconds(60)
    private static let look = Duration.milliseconds(100)
    /// Lines that a failed expectation repeats.
    private static let seenLimit = 20

    /// Input of an expectation.
    private struct Seen {
        /// Since the last step that did something.
        var lines: [String] = []
        var displayBefore: [String]?
        /// Since the script began.
        var failure: Diagnosis?
        var soaks: [SoakResult] = []
    }

    func drive(_ commands: Inbox<SessionCommand>, _ inputs: Inbox<ChatInput>) async throws -> ChatVerdict {
        var seen = Seen()
        guard try await isReady(&seen, inputs) else {
            if let failed = verdict(seen) { return failed }
            return ChatVerdict(failure: CommandError.programIsSilent.diagnosis, display: environment.sensors?.display())
        }
        for step in script.steps {
            if let failed = verdict(seen) { return failed }
            if case .expect(let pattern, let seconds) = step.action {
                guard try await !meets(pattern, seconds, &seen, inputs) else { continue }
                if let failed = verdict(seen) { return failed }
                let shown = seen.lines.suffix(Self.seenLimit) + (environment.sensors.map { [Self.line(of: $0.display())] } ?? [])
                return ChatVerdict(
                    failure: ChatFailure.notSeen(line: step.line, pattern: pattern, seconds: seconds, seen: Array(shown)),
                    display: environment.sensors?.display(), soaks: seen.soaks)
            }
            while let input = inputs.poll() { note(input, &seen) }
            seen = Seen(displayBefore: environment.sensors?.display(), failure: seen.failure, soaks: seen.soaks)
            if case .soak(let plan) = step.action {
                try await soak(plan, &seen, commands, inputs)
            } else {
                try await perform(step.action, commands)
            }
        }
        let display = try await environment.settledDisplay(after: seen.lines.last ?? "")
        while let input = inputs.poll() { note(input, &seen) }
        return ChatVerdict(failure: seen.failure, display: display, soaks: seen.soaks)
    }

    private func soak(
        _ plan: SoakPlan, _ seen: inout Seen, _ commands: Inbox<SessionCommand>, _ inputs: Inbox<ChatInput>
    ) async throws {
        let result = try await SoakRun(
            plan: plan, clock: environment.clock, cut: { [sensors = environment.sensors] in sensors?.stimulate(.cut(.link)) }
        ).run(
            commands, inputs) { input in
            note(input, &seen)
            return seen.failure == nil
        }
        seen.soaks.append(result)
        seen.failure = seen.failure ?? result.failure
    }

    private func verdict(_ seen: Seen) -> ChatVerdict? {
        seen.failure.map { ChatVerdict(failure: $0, display: environment.sensors?.display(), soaks: seen.soaks) }
    }

    /// - Throws: when the link was lost and the unit did not return.
    private func isReady(_ seen: inout Seen, _ inputs: Inbox<ChatInput>) async throws -> Bool {
        let deadline = environment.clock.deadline(in: Self.readyTimeout)
        var absence = UnitAbsence()
        while seen.failure == nil, let input = try await inputs.next(before: absence.deadline ?? deadline, on: environment.clock) {
            note(input, &seen)
            guard case .event(let event, _) = input else { continue }
            absence.take(event, on: environment.clock)
            if case .ready = event { return true }
            if case .silent = event { return false }
        }
        if seen.failure == nil, absence.deadline != nil { throw absence.error }
        return false
    }

    private func perform(_ action: ChatScript.Action, _ commands: Inbox<SessionCommand>) async throws {
        switch action {
        case .send(let text): commands.deliver(.ask(text))
        case .tap(let pad): environment.sensors?.stimulate(.tap(pad))
        case .hold(let seconds):
            environment.sensors?.stimulate(.press(.B))
            try await environment.clock.sleep(until: environment.clock.deadline(in: .seconds(seconds)))
            environment.sensors?.stimulate(.release(.B))
        case .speak(let sound):
            try environment.sensors?.speak(sound)
            environment.sensors?.stimulate(.tap(.A))
        case .show(let picture): try environment.sensors?.show(picture)
        case .picture(let picture): commands.deliver(.show(picture))
        case .expect, .soak: break
        }
    }

    private func meets(_ pattern: String, _ seconds: Double, _ seen: inout Seen, _ inputs: Inbox<ChatInput>) async throws -> Bool {
        let pattern = try TextPattern(pattern)
        let deadline = environment.clock.deadline(in: .seconds(seconds))
        var checkedCount = 0
        var checkedDisplay: [String]?
        while true {
            while let input = inputs.poll() { note(input, &seen) }
            if seen.lines[checkedCount...].contains(where: pattern.isFound) { return true }
            checkedCount = seen.lines.count
            let shown = environment.sensors?.display()
            if let shown, shown != seen.displayBefore, shown != checkedDisplay {
                checkedDisplay = shown
                if pattern.isFound(in: Self.line(of: shown)) { return true }
            }
            guard environment.clock.now < deadline, seen.failure == nil else { return false }
            let next = min(deadline, environment.clock.deadline(in: Self.look))
            if let input = try await inputs.next(before: next, on: environment.clock) { note(input, &seen) }
        }
    }

    private func note(_ input: ChatInput, _ seen: inout Seen) {
        guard case .event(let event, let file) = input else { return }
        seen.failure = seen.failure ?? ChatFailure.ofUnit(event)
        guard let line = ChatFormatter.line(for: event, photoFile: file), line.kind != .console else { return }
        seen.lines.append(line.texts.joined(separator: "\n"))
    }

    /// Joins the rows: the display wraps an answer.
    private static func line(of display: [String]) -> String { display.joined(separator: " ") }
}
