import REPL
import Support

/// What happens while an image is brought into the flash.
public enum FPGAEvent: Sendable, Hashable {
    case erasing
    case writing(bytesDone: Int, bytesTotal: Int)
    case verifying(bytesDone: Int, bytesTotal: Int)
    case committing
    case notice(String)
}

/// What an update has to do.
public struct FPGAFinding: Sendable, Hashable {
    public let plan: FPGAPlan
    /// Where the next write would land, when the helper that did all writes since the last erase is still there.
    let counter: Int?
}

/// How an update went.
public struct FPGAOutcome: Sendable, Hashable {
    /// The plan it began with; ``FPGAPlan/nothing`` when the flash was current.
    public let plan: FPGAPlan
    /// Bytes of the image that travelled.
    public let bytesWritten: Int
}

/// Brings an image into a unit's flash, verifies every byte of it there and only then commits it.
///
/// Nothing is ever written twice blindly: each piece names the offset it belongs to, and the helper on the unit refuses what does
/// not fit its counter. After any loss the unit is asked where it stands.
public struct FPGAUpdater: Sendable {
    /// Erases of one update: the planned one and two fresh starts.
    static let maximumErases = 3
    /// Fresh plans of one update, for units that restart in the middle.
    static let maximumRounds = 6

    let repl: PythonREPL
    let image: FPGAImage
    let timing: FPGATiming
    let transport: any FPGATransport
    let helper: FlashHelper
    let probe: FPGAProbe
    var session: HelperSession { helper.session }

    /// - Parameter transport: `nil` for the plain way through the REPL.
    public init(
        repl: PythonREPL, image: FPGAImage, timing: FPGATiming = .init(), transport: (any FPGATransport)? = nil
    ) {
        self.repl = repl
        self.image = image
        self.timing = timing
        self.transport = transport ?? LiteralTransport(within: timing.command)
        helper = FlashHelper(repl: repl, timing: timing)
        probe = FPGAProbe(repl: repl, timing: timing)
    }

    /// All code that this module sends to a unit, calls of the helper's methods apart.
    package static var sentCode: [String] {
        FlashHelper.remote.sentCode + [FPGAProbe.registersCode, FPGAProbe.runCode, stopCode]
    }

    /// Finds out what has to be done. Changes nothing.
    ///
    /// Where the FPGA runs the wanted version, one digest over the whole flash may be enough; where it runs another from a
    /// committed flash, the marker is. Only between the two every page is looked at.
    /// - Parameters:
    ///   - running: the version that the FPGA says itself.
    ///   - wanted: the image's.
    public func inspect(running: String?, wanted: String) async throws -> FPGAFinding {
        if let running {
            let isCommitted = try await retrying({ _ in }, { try await probe.isCommitted() })
            if isCommitted, running != wanted { return FPGAFinding(plan: .erase, counter: nil) }
            if isCommitted, try await retrying({ _ in }, { try await probe.digest() }) == image.sha256 {
                return FPGAFinding(plan: .nothing, counter: nil)
            }
        }
        return try await survey()
    }

    /// As ``inspect(running:wanted:)``, by every page.
    public func survey() async throws -> FPGAFinding { finding(try await survey { _ in }) }

    private func finding(_ survey: FlashState) -> FPGAFinding {
        FPGAFinding(plan: FPGAPlan(survey: survey, image: image), counter: survey.counter)
    }

    /// Brings the image into the flash: survey, erase or resume, write, verify, commit. The caller then resets the unit and asks for
    /// the version.
    /// - Parameters:
    ///   - known: what ``inspect(running:wanted:)`` has found since the unit's last restart; `nil` to look now.
    ///   - force: write even when the flash is current.
    /// - Throws: ``FPGAError``, `REPLError`, `LinkError`. Short of the commit the unit starts from its built-in image.
    public func update(
        after known: FPGAFinding? = nil, force: Bool = false, onEvent: (FPGAEvent) -> Void = { _ in }
    ) async throws -> FPGAOutcome {
        var found = if let known { known } else { finding(try await survey(onEvent)) }
        let initial = force ? .erase : found.plan
        guard initial != .nothing else { return FPGAOutcome(plan: .nothing, bytesWritten: 0) }
        try await stopFPGA(onEvent)
        var plan = initial
        var budget = UpdateBudget()
        for _ in 0..<Self.maximumRounds {
            do {
                try await carryOut(plan, from: found.counter, budget: &budget, onEvent: onEvent)
                return FPGAOutcome(plan: initial, bytesWritten: budget.bytesWritten)
            } catch let reason as RetryReason {
                plan = .erase
                try budget.note(reason)
                onEvent(.notice("starting over: \(reason.explanation)"))
            } catch REPLError.exception(let exception) where exception.lastLine.hasPrefix("ValueError") {
                // The firmware's counter stands further than the helper knew: there is no room behind it.
                plan = .erase
                onEvent(.notice("starting over: \(RetryReason.counterUnknown.explanation)"))
            } catch REPLError.exception(let exception) where exception.lastLine.hasPrefix("NameError") {
                onEvent(.notice("the unit restarted; looking at its flash again"))
                found = finding(try await survey(onEvent))
                try await stopFPGA(onEvent)
                plan = found.plan
                if plan == .nothing { plan = .erase }
            }
        }
        throw FPGAError.writeFailed("the unit restarts again and again")
    }

    /// Takes the image and its marker away, so that the unit starts its built-in image from its next reset on.
    /// - Throws: ``FPGAError/markerStays``, `REPLError`, `LinkError`.
    public func withdraw(onEvent: (FPGAEvent) -> Void = { _ in }) async throws {
        try await stopFPGA(onEvent)
        onEvent(.erasing)
        do {
            try await erase(onEvent)
        } catch is RetryReason {
            throw FPGAError.markerStays
        }
        let marker = try await retrying(onEvent) { try await session.ask("mark()") }
        guard marker != HexText.encode(FPGALimits.marker) else { throw FPGAError.markerStays }
    }

    private func carryOut(
        _ plan: FPGAPlan, from counter: Int?, budget: inout UpdateBudget, onEvent: (FPGAEvent) -> Void
    ) async throws {
        let start: Int
        switch plan {
        case .erase, .nothing:
            try budget.noteErase()
            onEvent(.erasing)
            try await erase(onEvent)
            start = 0
        case .resume(let from):
            onEvent(.notice("resuming at byte \(from)"))
            start = try await advance(to: from, from: counter, budget: &budget, onEvent)
        case .commit:
            start = try await advance(to: FPGALimits.imageByteCount, from: counter, budget: &budget, onEvent)
        }
        try await write(from: start, budget: &budget, onEvent)
        try await verify(onEvent)
        try await commit(onEvent)
    }

    /// What one update has used up.
    struct UpdateBudget {
        var bytesWritten = 0
        private var eraseCount = 0
        private var hasFailedVerification = false

        mutating func noteErase() throws {
            eraseCount += 1
            guard eraseCount <= FPGAUpdater.maximumErases else {
                throw FPGAError.writeFailed("it was begun \(FPGAUpdater.maximumErases) times")
            }
        }

        mutating func note(_ reason: RetryReason) throws {
            guard case .flashDiffers(let pages) = reason else { return }
            if hasFailedVerification { throw FPGAError.verificationFailed(pages: pages) }
            hasFailedVerification = true
        }
    }
}

extension RetryReason {
    var explanation: String {
        switch self {
        case .chunkRefused: "the unit refused a piece of the image"
        case .counterUnknown: "the unit does not know where it stopped writing"
        case .flashDiffers(let pages): "\(pages.count) pages of the flash differ from what was written"
        }
    }
}
