import Support

extension BlueZError {
    /// Reads an error reply. The names are BlueZ's (doc/org.bluez.*.rst, src/error.c) and the D-Bus specification's.
    init(name: String, text: String) {
        let text = PrintableText.ascii(text)
        if let match = name.wholeMatch(of: /org\.bluez\.Error\.(.*)/) {
            self = Self.bluez(match.1, text)
        } else if let match = name.wholeMatch(of: /org\.freedesktop\.DBus\.Error\.(.*)/) {
            self = Self.bus(match.1, text)
        } else if name.hasPrefix("org.freedesktop.systemd1.") {
            // systemd's answer when D-Bus asks it to start the service.
            self = .daemonNotRunning(text)
        } else {
            self = .unknown(name, text)
        }
    }

    private static func unknown(_ name: some StringProtocol, _ text: String) -> BlueZError {
        .unintelligible("\(PrintableText.ascii(String(name))): \(text)")
    }

    /// The bus could not be opened. Here AccessDenied is the socket's EACCES (libdbus names system errors so), not the bus's policy.
    static func unopened(_ name: String, _ text: String) -> BlueZError {
        let text = PrintableText.ascii(text)
        return switch name {
        case "org.freedesktop.DBus.Error.AccessDenied", "org.freedesktop.DBus.Error.AuthFailed": .busRefusesUser(text)
        case "org.freedesktop.DBus.Error.LimitsExceeded", "org.freedesktop.DBus.Error.NoMemory": .busOverloaded(text)
        default: .busUnreachable(text)
        }
    }

    private static func bus(_ name: Substring, _ text: String) -> BlueZError {
        switch name {
        case "AccessDenied": .accessDenied(text)
        case "ServiceUnknown", "NameHasNoOwner": .daemonNotRunning(text)
        case _ where name.hasPrefix("Spawn."): .daemonNotRunning(text)
        case "NoReply", "Timeout", "TimedOut": .daemonSilent
        case "Disconnected": .busLost
        case "UnknownMethod", "UnknownInterface", "UnknownProperty": unknownMember(text)
        case "UnknownObject": .doesNotExist
        case "LimitsExceeded", "NoMemory": .busOverloaded(text)
        case "NotSupported": .notSupported
        case "Failed": .failed(text)
        default: unknown(name, text)
        }
    }

    /// bluetoothd also answers UnknownMethod for a missing object. Old versions lack these members: AcquireWrite and AcquireNotify came
    /// with BlueZ 5.46, at first as an experiment to switch on (its ChangeLog).
    private static func unknownMember(_ text: String) -> BlueZError {
        let quoted = text.firstMatch(of: /"(AcquireWrite|AcquireNotify|SetDiscoveryFilter)"/)
        return quoted.map { .daemonTooOld(method: String($0.1)) } ?? .doesNotExist
    }

    private static func bluez(_ name: Substring, _ text: String) -> BlueZError {
        switch name {
        case "Failed": operationFailed(text)
        case "NotReady": .notReady
        case "NoSuchAdapter": .noAdapter(nil)
        case "Blocked": .adapterSoftBlocked(text)
        case "InProgress", "Busy": .inProgress
        case "NotSupported", "Unsupported": .notSupported
        case "NotPermitted": text == "Not paired" ? .failed(text) : .notPermitted(text)
        case "NotAuthorized": .notAuthorized
        case "NotAvailable": .notAvailable
        case "NotConnected": .notConnected
        case "AlreadyConnected": .alreadyConnected
        case "AlreadyExists": .alreadyExists
        case "DoesNotExist": .doesNotExist
        case "AuthenticationFailed", "AuthenticationRejected", "Rejected": .pairingFailed
        case "AuthenticationCanceled", "AuthenticationTimeout": .pairingBrokeOff(text)
        case "AgentNotAvailable": .agentMissing
        case "ConnectionAttemptFailed": .attemptFailed(text)
        case "Canceled": .canceled
        // An attribute's refusal (src/gatt-client.c); the documentation promises InvalidValueLength.
        case "InvalidArguments" where text == "Invalid Length" || text == "Invalid offset": .notPermitted(text)
        case "InvalidLength", "InvalidValueLength", "InvalidOffset": .notPermitted(text)
        default: unknown(name, text)
        }
    }

    /// The texts of org.bluez.Error.Failed (BlueZ's src/error.h; the same set for `br-` and `le-`).
    private static func operationFailed(_ text: String) -> BlueZError {
        switch text.wholeMatch(of: /(?:le|br)-connection-(.*)/)?.1 {
        case "abort-by-local", "aborted-by-local": .abortedByLocal
        case "abort-by-remote", "aborted-by-remote": .abortedByRemote
        case "canceled": .canceled
        case "timeout", "page-timeout": .attemptTimedOut
        case "refused": .attemptRefused
        case "busy", "memory-allocation": .controllerBusy(text)
        case "concurrent-connection-limit": .linkLimit
        case "adapter-not-powered": .notReady
        case "already-connected": .alreadyConnected
        case "not-supported": .notSupported
        case "invalid-arguments", "invalid-argument": unknown("Failed", text)
        case "link-layer-protocol-error", "lmp-protocol-error": .linkProtocolError
        case .some: .attemptFailed(text)
        case nil: failedWithoutReason(text)
        }
    }

    private static func failedWithoutReason(_ text: String) -> BlueZError {
        switch text {
        case "Not connected", "Not Connected", "No ATT transport": .notConnected
        case "Blocked through rfkill": .adapterSoftBlocked(text)
        case "Resource Not Ready": .notReady
        default: .failed(text)
        }
    }
}
