import REPL
import Support

/// What happens while an image is brought into the flash.
public enum FPGAEvent: Sendable, Hashable {
    case erasing
    case writing(bytesDone: Int, bytesTotal: Int)
    case proving(bytesDone: Int, bytesTotal: Int)
    case committing
    case notice(String)
}

/// How an update went.
public struct FPGAOutcome: Sendable, Hashable {
    /// The plan it began with; ``FPGAPlan/nothing`` when the flash was current.
    public let plan: FPGAPlan
    /// Bytes of the image that travelled.
    public let bytesWritten: Int
}

/// Brings an image into a unit's flash, proves every byte of it there and only then commits it.
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

    /// What would have to be done. Changes nothing.
    public func plan() async throws -> FPGAPlan {
        FPGAPlan(survey: try await survey { _ in }, image: image)
    }

    /// Brings the image into the flash: survey, erase or resume, write, prove, commit. The caller then resets the unit and asks for
    /// the version.
    /// - Parameter force: write even when the flash is current.
    /// - Throws: ``FPGAError``, `REPLError`, `LinkError`. Short of the commit the unit starts from its built-in image.
    public func update(force: Bool = false, onEvent: (FPGAEvent) -> Void = { _ in }) async throws -> FPGAOutcome {
        var survey = try await survey(onEvent)
        let initial = force ? .erase : FPGAPlan(survey: survey, image: image)
        guard initial != .nothing else { return FPGAOutcome(plan: .nothing, bytesWritten: 0) }
        try await stopFPGA(onEvent)
        var plan = initial
        var ledger = Ledger()
        for _ in 0..<Self.maximumRounds {
            do {
                try await carryOut(plan, after: survey, ledger: &ledger, onEvent: onEvent)
                return FPGAOutcome(plan: initial, bytesWritten: ledger.bytesWritten)
            } catch let setback as FPGASetback {
                plan = .erase
                try ledger.note(setback)
                onEvent(.notice("starting over: \(setback.explanation)"))
            } catch REPLError.exception(let exception) where exception.lastLine.hasPrefix("ValueError") {
                // The firmware's counter stands further than the helper knew: there is no room behind it.
                plan = .erase
                onEvent(.notice("starting over: \(FPGASetback.counterUnknown.explanation)"))
            } catch REPLError.exception(let exception) where exception.lastLine.hasPrefix("NameError") {
                onEvent(.notice("the unit restarted; looking at its flash again"))
                survey = try await self.survey(onEvent)
                try await stopFPGA(onEvent)
                plan = FPGAPlan(survey: survey, image: image)
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
        } catch is FPGASetback {
            throw FPGAError.markerStays
        }
        let marker = try await retrying(onEvent) { try await helper.askSafely("mark()", within: timing.command) }
        guard marker != HexText.encode(FPGALimits.marker) else { throw FPGAError.markerStays }
    }

    private func carryOut(
        _ plan: FPGAPlan, after survey: FPGASurvey, ledger: inout Ledger, onEvent: (FPGAEvent) -> Void
    ) async throws {
        let start: Int
        switch plan {
        case .erase, .nothing:
            try ledger.noteErase()
            onEvent(.erasing)
            try await erase(onEvent)
            start = 0
        case .resume(let from):
            onEvent(.notice("resuming at byte \(from)"))
            start = try await advance(to: from, from: survey.counter, ledger: &ledger, onEvent)
        case .commit:
            start = try await advance(to: FPGALimits.imageByteCount, from: survey.counter, ledger: &ledger, onEvent)
        }
        try await write(from: start, ledger: &ledger, onEvent)
        try await prove(onEvent)
        try await commit(onEvent)
    }

    /// What one update has used up.
    struct Ledger {
        var bytesWritten = 0
        private var eraseCount = 0
        private var hasFailedProof = false

        mutating func noteErase() throws {
            eraseCount += 1
            guard eraseCount <= FPGAUpdater.maximumErases else {
                throw FPGAError.writeFailed("it was begun \(FPGAUpdater.maximumErases) times")
            }
        }

        mutating func note(_ setback: FPGASetback) throws {
            guard case .flashDiffers(let pages) = setback else { return }
            if hasFailedProof { throw FPGAError.proofFailed(pages: pages) }
            hasFailedProof = true
        }
    }
}

extension FPGASetback {
    var explanation: String {
        switch self {
        case .chunkRefused: "the unit refused a piece of the image"
        case .counterUnknown: "the unit does not know where it stopped writing"
        case .flashDiffers(let pages): "\(pages.count) pages of the flash differ from what was written"
        }
    }
}
