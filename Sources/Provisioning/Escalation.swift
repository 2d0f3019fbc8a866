import Bluetooth
import DFU
import FPGA
import REPL
import ScriptBundle

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

    private let mayRestartUnit: Bool
    private var tried: [Kind: Int] = [:]
    private var furthest = 0
    private var count = 0

    /// - Parameter mayRestartUnit: safe mode is a remedy.
    init(mayRestartUnit: Bool) { self.mayRestartUnit = mayRestartUnit }

    /// - Parameter progress: grows with what the run has achieved.
    /// - Returns: `nil` when asking again would not help.
    mutating func remedy(for error: any Error, progress: Int) -> Remedy? {
        guard let kind = Self.kind(of: error, isFirst: count == 0), count < Self.limit else { return nil }
        count += 1
        if progress > furthest {
            furthest = progress
            tried = [:]
        }
        let remedies = kind.remedies.filter { mayRestartUnit || $0 != .safeMode }
        let next = tried[kind, default: 0]
        tried[kind] = next + 1
        return next < remedies.count ? remedies[next] : nil
    }

    /// A refused package, a wrong version or a low battery stay what they are; a broken link or a garbled answer do not.
    private static func kind(of error: any Error, isFirst: Bool) -> Kind? {
        switch error {
        case let error as ProvisioningError:
            switch error {
            case .doesNotReturn, .staysInApplication: .link
            // A unit that was never seen is not there; one that was may be on its way back.
            case .unitNotFound: isFirst ? nil : .link
            default: nil
            }
        case let error as DFUError:
            if case .transfer = error { .link } else { error.diagnosis.code == "DFU-0B0C" ? .link : nil }
        case REPLError.exception(let exception) where exception.lastLine.hasPrefix("MemoryError"): .memory
        case REPLError.noPrompt: .noPrompt
        case REPLError.timedOut, LinkError.timedOut: .silence
        case REPLError.lacking, FPGAError.silent, ScriptError.noSpace: nil
        case is LinkError: .link
        case let error as any DiagnosableError:
            [.badData, .missingInput, .usage, .permission].contains(error.diagnosis.category) ? nil : .garbage
        default: nil
        }
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
