import Bluetooth

/// What can go wrong between this process and bluetoothd. A lost link is ``LinkError/disconnected(_:)`` instead.
///
/// Texts in the cases come from bluetoothd and hold printable characters only.
public enum BlueZError: Error, Hashable, Sendable {
    // The bus.
    case busUnreachable(String)
    case busRefusesUser(String)
    case accessDenied(String)
    case busOverloaded(String)
    case busLost
    // The daemon.
    case daemonNotRunning(String)
    case daemonSilent
    case daemonStopped
    case daemonTooOld(method: String)
    case unintelligible(String)
    // The adapter.
    case noAdapter(String?)
    case adapterOff(String)
    case adapterSoftBlocked(String)
    case adapterHardBlocked(String)
    case notReady
    case inProgress
    case linkLimit
    /// The adapters' names.
    case adaptersShareAddress(String)
    /// The name of one that the kernel has.
    case adapterNotShown(String)
    /// The adapter's name.
    case radioHangs(String)
    // A connection attempt.
    case abortedByLocal
    case abortedByRemote
    case canceled
    case attemptTimedOut
    case attemptRefused
    case attemptFailed(String)
    /// The controller takes no further attempt now.
    case controllerBusy(String)
    case alreadyConnected
    case notConnected
    case linkProtocolError
    // Pairing.
    case authenticationFailed
    case authenticationRejected
    case authenticationCanceled
    case authenticationTimedOut
    case agentMissing
    case adapterNotPairable(String)
    // An operation.
    case acquiredByAnother(String)
    case notPermitted(String)
    case notPaired
    case notAuthorized
    case notSupported
    case notAvailable
    case doesNotExist
    case alreadyExists
    case invalidArguments(String)
    case invalidLength
    case failed(String)
    case unexpected(name: String, text: String)
}

extension BlueZError {
    /// What an operation of ours should do after this error.
    enum Recovery: Equatable {
        /// The air's or the daemon's moment: try again at once.
        case again
        /// bluetoothd forgot the device: it has to be seen again.
        case rediscover
        /// The adapter or the daemon is away.
        case awaitAdapter
        /// The unit takes no pairing: once more, then it is believed.
        case pairAgain
        case giveUp
    }

    var recovery: Recovery {
        switch self {
        case .abortedByLocal, .abortedByRemote, .canceled, .attemptTimedOut, .attemptRefused, .attemptFailed, .controllerBusy, .inProgress,
            .linkLimit, .linkProtocolError, .daemonSilent, .notConnected, .notAvailable, .failed, .authenticationCanceled,
            .authenticationTimedOut:
            .again
        case .doesNotExist: .rediscover
        case .notReady, .adapterOff, .daemonStopped, .busLost: .awaitAdapter
        case .authenticationFailed, .authenticationRejected: .pairAgain
        case .busUnreachable, .busRefusesUser, .accessDenied, .busOverloaded, .daemonNotRunning, .daemonTooOld, .unintelligible, .noAdapter,
            .adapterSoftBlocked, .adapterHardBlocked, .adaptersShareAddress, .adapterNotShown, .radioHangs, .alreadyConnected, .agentMissing, .adapterNotPairable,
            .acquiredByAnother, .notPermitted, .notPaired, .notAuthorized, .notSupported, .alreadyExists, .invalidArguments, .invalidLength, .unexpected:
            .giveUp
        }
    }
}
