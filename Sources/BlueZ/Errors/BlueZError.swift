/// What can go wrong between this process and bluetoothd. A lost link is ``LinkError/disconnected(_:)``. Texts come from bluetoothd and
/// are printable.
public enum BlueZError: Error, Hashable, Sendable {
    // The bus.
    /// No D-Bus system bus, with libdbus' words.
    case busUnreachable(String)
    /// The bus's socket lets this user not in.
    case busRefusesUser(String)
    /// The bus's policy keeps this user from bluetoothd.
    case accessDenied(String)
    /// A limit of the bus: connections, match rules, messages.
    case busOverloaded(String)
    /// The bus closed this process's connection.
    case busLost
    // The daemon.
    /// Nobody owns the name `org.bluez`.
    case daemonNotRunning(String)
    /// A call got no answer within its deadline.
    case daemonSilent
    /// bluetoothd left the bus while it was used.
    case daemonStopped
    /// A method that bluetoothd has from 5.62 on is missing.
    case daemonTooOld(method: String)
    /// An answer of another form than BlueZ documents.
    case unintelligible(String)
    // The adapter.
    /// The adapter asked for, or any where `nil`, is not there.
    case noAdapter(String?)
    /// Not powered, by its name.
    case adapterOff(String)
    /// Blocked by a setting, by the switch's name.
    case adapterSoftBlocked(String)
    /// Blocked by a switch or key of the machine, by the switch's name.
    case adapterHardBlocked(String)
    /// The adapter is being switched on or off.
    case notReady
    /// Another program does the same with the adapter or the unit.
    case inProgress
    /// The controller holds as many links as it can.
    case linkLimit
    /// The adapters' names.
    case adaptersShareAddress(String)
    /// The kernel's name of the adapter.
    case adapterNotShown(String)
    /// Discovery was restarted and still hears nothing, by the adapter's name.
    case radioHangs(String)
    // A connection attempt.
    /// This host gave the attempt up.
    case abortedByLocal
    /// The unit ended the attempt.
    case abortedByRemote
    /// Another program ended the attempt, or the air is crowded.
    case canceled
    /// The unit did not answer.
    case attemptTimedOut
    /// The unit refused the link.
    case attemptRefused
    /// Any other reason, in bluetoothd's words.
    case attemptFailed(String)
    /// The controller cannot start another attempt now.
    case controllerBusy(String)
    /// Another program of this machine holds the link.
    case alreadyConnected
    /// The link was lost meanwhile.
    case notConnected
    /// One side broke the link layer's rules.
    case linkProtocolError
    // Pairing.
    /// Refused, or the keys did not match.
    case pairingFailed
    /// Ended before it was decided, in bluetoothd's words.
    case pairingBrokeOff(String)
    /// bluetoothd has no agent to ask.
    case agentMissing
    /// The adapter makes no bonds, by its name.
    case adapterNotPairable(String)
    // An operation.
    /// The characteristic does not allow it, in bluetoothd's words.
    case notPermitted(String)
    /// The unit or an agent declined.
    case notAuthorized
    /// Neither the adapter nor the characteristic can do it.
    case notSupported
    /// Not now.
    case notAvailable
    /// bluetoothd has forgotten the object.
    case doesNotExist
    /// bluetoothd has the object already.
    case alreadyExists
    /// Any other error, in bluetoothd's words.
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
        case .notReady, .adapterOff, .noAdapter, .daemonStopped, .busLost: .awaitAdapter
        case .pairingFailed: .pairAgain
        case .busUnreachable, .busRefusesUser, .accessDenied, .busOverloaded, .daemonNotRunning, .daemonTooOld, .unintelligible,
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
