import Bluetooth
import DFU
import FPGA
import REPL
import ScriptBundle
import Support

/// What is done about a unit that failed, before it is asked again.
public enum Remedy: String, Sendable {
    case interrupt
    /// A fresh interpreter, which runs `main.py` until it is interrupted.
    case softReset = "soft-reset"
    /// A restart of the unit that leaves `main.py` out.
    case safeMode = "safe-mode"
    case reconnect

    /// What it is done by.
    public var words: String {
        switch self {
        case .interrupt: "an interrupt"
        case .softReset: "a restart of its Python"
        case .safeMode: "a restart into safe mode"
        case .reconnect: "a new link"
        }
    }
}

/// Chooses the remedy by the kind of the error: the mildest that may help first, each once before the next, and from the
/// beginning again when the run has come further.
struct Escalation {
    private enum Kind {
        /// The heap is full.
        case memory
        /// Something else came than was asked for.
        case garbage
        case silence
        /// Its program does not let itself be interrupted.
        case noPrompt
        case link

        var remedies: [Remedy] {
            switch self {
            case .memory: [.softReset, .safeMode, .safeMode]
            case .garbage: [.interrupt, .softReset, .reconnect, .safeMode]
            case .silence: [.interrupt, .reconnect, .safeMode]
            case .noPrompt: [.safeMode, .reconnect]
            case .link: [.reconnect, .reconnect]
            }
        }
    }

    /// A link that breaks for ever, always a little further on, ends here.
    private static let limit = 60
    /// Of one remedy without progress.
    private static let useLimit = 2

    private let mayRestartUnit: Bool
    /// Since the last progress: how far each ladder is climbed, and how often each remedy was used.
    private var climbed: [Kind: Int] = [:]
    private var used: [Remedy: Int] = [:]
    private var progress = 0
    private var count = 0

    /// - Parameter mayRestartUnit: safe mode is a remedy.
    init(mayRestartUnit: Bool) { self.mayRestartUnit = mayRestartUnit }

    /// - Parameters:
    ///   - progress: grows with what the run has achieved.
    ///   - hasLink: to the unit's application; without one there is nothing to interrupt.
    /// - Returns: `nil` when asking again would not help.
    mutating func remedy(for error: any Error, progress: Int, hasLink: Bool) -> Remedy? {
        guard var kind = Self.kind(of: error, isFirst: count == 0), count < Self.limit else { return nil }
        if !hasLink, kind != .noPrompt { kind = .link }
        count += 1
        if progress > self.progress {
            self.progress = progress
            (climbed, used) = ([:], [:])
        }
        for remedy in kind.remedies.dropFirst(climbed[kind, default: 0]) {
            climbed[kind, default: 0] += 1
            guard mayRestartUnit || remedy != .safeMode, used[remedy, default: 0] < Self.useLimit else { continue }
            used[remedy, default: 0] += 1
            return remedy
        }
        return nil
    }

    /// A refused package, a wrong version or a low battery stay what they are; a broken link or a garbled answer do not.
    private static func kind(of error: any Error, isFirst: Bool) -> Kind? {
        switch error {
        case let error as ProvisioningError:
            switch error {
            case .doesNotReturn, .staysInApplication: .link
            case .staysInBootloader(_, let transfers): transfers < MonocleRun.transferLimit ? .link : nil
            // A unit that was never seen is not there; one that was may be on its way back.
            case .unitNotFound: isFirst ? nil : .link
            default: nil
            }
        case let error as DFUError:
            if case .transfer = error { .link } else { error.diagnosis.code == "DFU-0B0C" ? .link : nil }
        case REPLError.exception(let exception) where exception.lastLine.hasPrefix("MemoryError"): .memory
        case REPLError.noPrompt: .noPrompt
        case REPLError.timedOut, LinkError.timedOut: .silence
        case let error as LinkError where error.demandsPairing: nil
        case REPLError.lacking, FPGAError.markerStays, ScriptError.noSpace, ScriptError.shadowed: nil
        case is REPLError, is FPGAError, is ScriptError: isFinal(error) ? nil : .garbage
        default: isFinal(error) ? nil : .link
        }
    }
}

extension Escalation {
    private static func isFinal(_ error: any Error) -> Bool {
        guard let diagnosis = (error as? any DiagnosableError)?.diagnosis else { return true }
        return [.badData, .missingInput, .usage, .permission].contains(diagnosis.category)
    }
}

/// A remedy that a run needed, and why.
public struct Recovery: Sendable {
    public var remedy: Remedy
    public var reason: Diagnosis

    public init(remedy: Remedy, reason: Diagnosis) {
        self.remedy = remedy
        self.reason = reason
    }
}
