/// What can go wrong between this process and bluetoothd. A lost link is ``LinkError/disconnected(_:)``. Texts come from bluetoothd and
/// are printable.
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
    /// The kernel's name of the adapter.
    case adapterNotShown(String)
    case radioHangs(String)
    // A connection attempt.
    case abortedByLocal
    case abortedByRemote
    case canceled
    case attemptTimedOut
    case attemptRefused
    case attemptFailed(String)
    /// The controller cannot start another attempt now.
    case controllerBusy(String)
    case alreadyConnected
    case notConnected
    case linkProtocolError
    // Pairing.
    case pairingFailed
    case pairingBrokeOff(String)
    case agentMissing
    case adapterNotPairable(String)
    // An operation.
    case notPermitted(String)
    case notAuthorized
    case notSupported
    case notAvailable
    case doesNotExist
    case alreadyExists
    case failed(String)
}

extension BlueZError {
    /// The next step after this error.
    enum Recovery {
        case again
        /// bluetoothd forgot the device: discover it again.
        case rediscover
        /// The adapter or the daemon is missing.
        case awaitAdapter
        /// The unit refuses to pair: final the second time.
        case pairAgain
        case giveUp
    }

    var recovery: Recovery {
        switch self {
        case .abortedByLocal, .abortedByRemote, .canceled, .attemptTimedOut, .attemptRefused, .attemptFailed, .controllerBusy, .inProgress,
            .linkLimit, .linkProtocolError, .daemonSilent, .notConnected, .notAvailable, .failed, .pairingBrokeOff:
            .again
        case .doesNotExist: .rediscover
        case .notReady, .adapterOff, .daemonStopped, .busLost: .awaitAdapter
        case .pairingFailed: .pairAgain
        case .busUnreachable, .busRefusesUser, .accessDenied, .busOverloaded, .daemonNotRunning, .daemonTooOld, .unintelligible, .noAdapter,
            .adapterSoftBlocked, .adapterHardBlocked, .adaptersShareAddress, .adapterNotShown, .radioHangs, .alreadyConnected,
            .agentMissing, .adapterNotPairable, .notPermitted, .notAuthorized, .notSupported, .alreadyExists:
            .giveUp
        }
    }

    /// Whether an adapter with other links may report in this way that it is full.
    ///
    /// The limit cannot be queried, and each firmware answers differently (HCI status, then the kernel's errno in net/bluetooth/lib.c,
    /// then bluetoothd's text in src/error.c): 0x09 and 0x0a, EMLINK, `concurrent-connection-limit`; 0x0d, ECONNREFUSED, `refused`; 0x0c,
    /// EBUSY, `busy`; 0x07, ENOMEM, `memory-allocation`; an LL code, EPROTO, `link-layer-protocol-error`. Or the device's object is gone.
    var mayMeanFullAdapter: Bool {
        switch self {
        case .linkLimit, .attemptRefused, .controllerBusy, .linkProtocolError, .doesNotExist: true
        default: false
        }
    }

    /// Another program, or an earlier socket of ours, holds the characteristic.
    var isAcquired: Bool { self == .notPermitted("Write acquired") || self == .notPermitted("Notify acquired") }

    /// The ATT error in a failed operation's text, such as `Operation failed with ATT error: 0x0e` (src/gatt-client.c). bluetoothd says
    /// "Not paired" for insufficient authentication.
    var attributeError: UInt8? {
        guard case .failed(let text) = self else { return nil }
        if text == "Not paired" { return 0x05 }
        return text.firstMatch(of: /ATT error: 0x([0-9A-Fa-f]+)/).flatMap { UInt8($0.1, radix: 16) }
    }
}
