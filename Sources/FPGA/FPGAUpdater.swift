import REPL
import Support

public enum FPGAEvent: Sendable, Hashable {
    case erasing
    case writing(bytesDone: Int, bytesTotal: Int)
    case verifying(bytesDone: Int, bytesTotal: Int)
    case committing
    case notice(String)
}

public struct FPGAFinding: Sendable, Hashable {
    public let plan: FPGAPlan
    /// See ``FlashState/counter``.
    let counter: Int?
}

/// Writes an image to a unit's flash, verifies every byte there and only then commits it.
///
/// Each piece names its offset, and the helper on the unit refuses a piece that does not match its counter. After any loss the
/// unit is asked for its counter.
public struct FPGAUpdater: Sendable {
    /// Erases in one update: the planned one and two restarts from scratch.
    private static let maximumErases = 3
    /// New plans in one update.
    private static let maximumRounds = 6

    let image: FPGAImage
    let transport: any FPGATransport
    let probe: FPGAProbe
    var helper: FlashHelper { probe.helper }
    var session: HelperSession { helper.session }

    public init(repl: PythonREPL, image: FPGAImage) { self.init(repl: repl, image: image, transport: InputTransport()) }

    init(
        repl: PythonREPL, image: FPGAImage, answerTimeout: Duration = FlashHelper.answerTimeout,
        transport: any FPGATransport = LiteralTransport()
    ) {
        (self.image, self.transport) = (image, transport)
        probe = FPGAProbe(repl: repl, answerTimeout: answerTimeout)
    }

    /// All code that this module sends to a unit, except calls of the helper's methods.
    package static var sentCode: [String] {
        FlashHelper.remote.sentCode + [FPGAProbe.registersCode, FPGAProbe.runCode, stopCode]
    }

    /// Finds out what has to be done. If the FPGA runs the wanted version, one digest over the whole flash may be enough; if it
    /// runs another version from a committed flash, the marker is. Otherwise every page is read.
    /// - Parameter running: the version that the FPGA reports.
    public func inspect(running: String?, wanted: String) async throws -> FPGAFinding {
        // In one go the helper leaves fewer gaps in the unit's heap.
        let reader = running == wanted ? helper.reader : session
        if let running, try await retrying({ _ in }, { try await probe.isCommitted(by: reader) }) {
            if running != wanted { return FPGAFinding(plan: .erase, counter: nil) }
            if try await retrying({ _ in }, { try await probe.digest() }) == image.sha256 {
                return FPGAFinding(plan: .nothing, counter: nil)
            }
        }
        return try await look()
    }

    /// Like ``inspect(running:wanted:)``, but reads every page.
    func look(_ onEvent: (FPGAEvent) -> Void = { _ in }) async throws -> FPGAFinding {
        let survey = try await survey(onEvent)
        return FPGAFinding(plan: FPGAPlan(survey: survey, image: image), counter: survey.counter)
    }

    /// Erases or resumes, writes, verifies, commits. The caller then resets the unit and asks for the version. Until the commit
    /// the unit starts from its built-in image.
    /// - Parameter known: the result of ``inspect(running:wanted:)`` since the unit's last restart.
    /// - Returns: the first plan.
    @discardableResult
    public func update(
        after known: FPGAFinding, force: Bool = false, onEvent: (FPGAEvent) -> Void = { _ in }
    ) async throws -> FPGAPlan {
        var found = known
        let initial = force ? .erase : found.plan
        guard initial != .nothing else { return .nothing }
        try await stopFPGA(onEvent)
        var plan = initial
        var eraseCount = 0
        var hasFailedVerification = false
        for _ in 0..<Self.maximumRounds {
            do {
                if plan == .erase { eraseCount += 1 }
                guard eraseCount <= Self.maximumErases else {
                    throw FPGAError.writeFailed("it was begun \(Self.maximumErases) times")
                }
                try await carryOut(plan, from: found.counter, onEvent)
                return initial
            } catch let reason as RetryReason {
                plan = .erase
                if case .flashDiffers(let pages) = reason {
                    if hasFailedVerification { throw FPGAError.verificationFailed(pages: pages) }
                    hasFailedVerification = true
                }
                onEvent(.notice("starting over: \(reason.explanation)"))
            } catch REPLError.exception(let exception) where exception.lastLine.hasPrefix("ValueError") {
                // The firmware's counter is further than the helper knew, so the space after it is too small.
                plan = .erase
                onEvent(.notice("starting over: \(RetryReason.counterUnknown.explanation)"))
            } catch REPLError.exception(let exception) where exception.lastLine.hasPrefix("NameError") {
                onEvent(.notice("the unit restarted; looking at its flash again"))
                found = try await look(onEvent)
                try await stopFPGA(onEvent)
                plan = found.plan == .nothing ? .erase : found.plan
            }
        }
        throw FPGAError.writeFailed("the unit restarts again and again")
    }

    /// Erases the image and its marker, so that the unit starts its built-in image from its next reset on.
    public func withdraw(onEvent: (FPGAEvent) -> Void = { _ in }) async throws {
        try await stopFPGA(onEvent)
        do {
            try await erase(onEvent)
        } catch is RetryReason {
            throw FPGAError.markerStays
        }
        let marker = try await retrying(onEvent) { try await session.ask("mark()") }
        guard marker != HexText.encode(FPGALimits.marker) else { throw FPGAError.markerStays }
    }

    private func carryOut(_ plan: FPGAPlan, from counter: Int?, _ onEvent: (FPGAEvent) -> Void) async throws {
        let start: Int
        switch plan {
        case .erase, .nothing:
            async let prepared: Void = transport.prepare(image)
            try await erase(onEvent)
            await prepared
            start = 0
        case .resume(let from):
            onEvent(.notice("resuming at byte \(from)"))
            start = try await advance(to: from, from: counter, onEvent)
        case .commit:
            start = try await advance(to: FPGALimits.imageByteCount, from: counter, onEvent)
        }
        try await write(from: start, onEvent)
        try await verify(onEvent)
        try await commit(onEvent)
    }
}
