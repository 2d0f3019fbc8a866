import Bluetooth
import DFU
import FPGA
import REPL
import ScriptBundle
import Support

/// Chooses the remedy by the kind of the error: the mildest that may help first, each once before the next, and from the
/// beginning again when the run has come further.
struct RetryPolicy {
    private enum RetryReason {
        /// The heap is full.
        case memory
        /// Something else came than was asked for.
        case garbage
        case silence
        /// Its program does not let itself be interrupted.
        case noPrompt
        /// The link goes with the program that is interrupted, or by itself.
        case restart
        case link

        var remedies: [Remedy] {
            switch self {
            case .memory: [.softReset, .safeMode, .safeMode]
            case .garbage: [.interrupt, .softReset, .reconnect, .safeMode]
            case .silence: [.interrupt, .reconnect, .safeMode]
            case .noPrompt: [.safeMode, .reconnect]
            case .restart: [.reconnect, .safeMode, .reconnect]
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
    private var climbed: [RetryReason: Int] = [:]
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
        guard var reason = Self.reason(for: error, isFirst: count == 0), count < Self.limit else { return nil }
        if !hasLink, reason != .noPrompt, reason != .restart { reason = .link }
        count += 1
        if progress > self.progress {
            self.progress = progress
            (climbed, used) = ([:], [:])
        }
        for remedy in reason.remedies.dropFirst(climbed[reason, default: 0]) {
            climbed[reason, default: 0] += 1
            guard mayRestartUnit || remedy != .safeMode, used[remedy, default: 0] < Self.useLimit else { continue }
            used[remedy, default: 0] += 1
            return remedy
        }
        return nil
    }

    private static func reason(for error: any Error, isFirst: Bool) -> RetryReason? {
        guard let error = error as? any DiagnosableError else { return nil }
        // A unit that was never seen is not there; one that was may be on its way back.
        if case ProvisioningError.unitNotFound = error, isFirst { return nil }
        guard error.persistence != .permanent else { return nil }
        return switch error {
        case let error as REPLError where error.isOutOfMemory: .memory
        case REPLError.noPrompt, REPLError.programDoesNotStop, REPLError.programInTheWay, REPLError.lacking: .noPrompt
        case ProvisioningError.restartsWhenInterrupted: .restart
        case REPLError.timedOut, LinkError.timedOut: .silence
        case is REPLError, is FPGAError, is ScriptError: .garbage
        default: .link
        }
    }
}
