import Bluetooth
import REPL
import Support

/// The way to a Monocle through the steps of one pass: a link is made when a step needs one, and serves the steps after it
/// until the unit leaves. A change of links costs seconds.
struct MonocleVisit {
    private let radio: MonocleRadio
    private var current: UnitSession?
    /// Over all links of the visit.
    let conduct = Conduct()

    init(_ radio: MonocleRadio) { self.radio = radio }

    /// Whether there is a link; a unit that has one is not seen.
    var hasLink: Bool { current != nil }

    /// The unit at its raw prompt.
    mutating func session() async throws -> UnitSession {
        if let current { return current }
        let session = try await radio.open(conduct)
        current = session
        return session
    }

    /// Ends the link, if there is one: the unit resets, or nothing more is wanted of it.
    mutating func end() async {
        await current?.close()
        current = nil
    }

    /// Brings the unit to where it may be asked again. What fails here is met again by the next question.
    mutating func apply(_ remedy: Remedy) async throws {
        do {
            switch (remedy, current) {
            case (.interrupt, let session?):
                try await session.repl.recover(within: MonocleRadio.promptPatience)
            case (.softReset, let session?):
                try await session.repl.recover(within: MonocleRadio.promptPatience)
                try await session.repl.softReset(within: MonocleRadio.promptPatience)
            case (.safeMode, _):
                await end()
                conduct.leavesOut()
                try await radio.restartInSafeMode()
            case (.reconnect, _), (_, nil):
                await end()
            }
        } catch {
            try Task.checkCancellation()
            await end()
        }
    }

    /// Ends early: a unit that was only looked at goes on with its program; one that was restarted without it gets a link for that.
    mutating func abandon() async {
        if current == nil, conduct.owesStart, conduct.hasLeftOut, !Task.isCancelled { current = try? await radio.open(conduct) }
        await current?.leaveAsFound()
        await end()
    }
}

extension MonocleRadio {
    /// A radio or a unit that fails at once, again and again, gets time to come back.
    private static let rest = Duration.seconds(2)

    /// Runs `body` with a way to the unit, which ends with it, as often as remedies promise that it helps.
    /// - Parameters:
    ///   - progress: grows with what `body` achieves.
    ///   - recovering: gets each remedy and its reason before it is used.
    /// - Returns: the error that no remedy was left for.
    /// - Throws: `CancellationError` alone.
    func visit(
        _ first: Escalation, progress: () -> Int = { 0 }, recovering: (Remedy, Diagnosis) -> Void,
        _ body: (inout MonocleVisit) async throws -> Void
    ) async throws -> (any Error)? {
        var escalation = first
        var visit = MonocleVisit(self)
        var began = clock.now
        var isFirst = true
        while true {
            do {
                try await body(&visit)
                await visit.end()
                return nil
            } catch {
                guard !(error is CancellationError), !Task.isCancelled,
                    let remedy = escalation.remedy(for: error, progress: progress(), hasLink: visit.hasLink)
                else {
                    await visit.abandon()
                    try Task.checkCancellation()
                    if error is CancellationError { throw error }
                    return error
                }
                recovering(remedy, diagnose(error))
                do {
                    if !isFirst, began.duration(to: clock.now) < Self.rest { try await clock.sleep(until: clock.deadline(in: Self.rest)) }
                    (began, isFirst) = (clock.now, false)
                    try await visit.apply(remedy)
                } catch {
                    await visit.abandon()
                    throw error
                }
            }
        }
    }
}
