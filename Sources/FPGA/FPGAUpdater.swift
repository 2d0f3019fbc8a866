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
    /// Where the next write would land, when the helper that did all writes since the last erase is still there.
    let counter: Int?
}

/// Brings an image into a unit's flash, verifies every byte of it there and only then commits it.
///
/// Each piece names the offset it belongs to, and the helper on the unit refuses what does not fit its counter. After any loss the
/// unit is asked where it stands.
public struct FPGAUpdater: Sendable {
    /// Erases of one update: the planned one and two fresh starts.
    private static let maximumErases = 3
    /// Fresh plans of one update.
    private static let maximumRounds = 6

    let image: FPGAImage
    let transport: any FPGATransport
    let probe: FPGAProbe
    var helper: FlashHelper { probe.helper }
    var session: HelperSession { helper.session }

    public init(repl: PythonREPL, image: FPGAImage) { self.init(repl: repl, image: image, transport: LiteralTransport()) }

    init(
        repl: PythonREPL, image: FPGAImage, answerTimeout: Duration = FlashHelper.answerTimeout,
        transport: any FPGATransport = LiteralTransport()
    ) {
        (self.image, self.transport) = (image, transport)
        probe = FPGAProbe(repl: repl, answerTimeout: answerTimeout)
    }

    /// All code that this module sends to a unit, calls of the helper's methods apart.
    package static var sentCode: [String] {
        FlashHelper.remote.sentCode + [FPGAProbe.registersCode, FPGAProbe.runCode, stopCode]
    }

    /// Finds out what has to be done. Where the FPGA runs the wanted version, one digest over the whole flash may be enough; where it
    /// runs another from a committed flash, the marker is. Only between the two every page is looked at.
    /// - Parameter running: the version that the FPGA says itself.
    public func inspect(running: String?, wanted: String) async throws -> FPGAFinding {
        if let running, try await retrying({ _ in }, { try await probe.isCommitted() }) {
            if running != wanted { return FPGAFinding(plan: .erase, counter: nil) }
            if try await retrying({ _ in }, { try await probe.digest() }) == image.sha256 {
                return FPGAFinding(plan: .nothing, counter: nil)
            }
        }
        return try await look()
    }

    /// As ``inspect(running:wanted:)``, by every page.
    func look(_ onEvent: (FPGAEvent) -> Void = { _ in }) async throws -> FPGAFinding {
        let survey = try await survey(onEvent)
        return FPGAFinding(plan: FPGAPlan(survey: survey, image: image), counter: survey.counter)
    }

    /// Erases or resumes, writes, verifies, commits. The caller then resets the unit and asks for the version. Short of the commit the
    /// unit starts from its built-in image.
    /// - Parameter known: what ``inspect(running:wanted:)`` has found since the unit's last restart.
    /// - Returns: the plan it began with.
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
                // The firmware's counter stands further than the helper knew: there is no room behind it.
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

    /// Takes the image and its marker away, so that the unit starts its built-in image from its next reset on.
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
            try await erase(onEvent)
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
