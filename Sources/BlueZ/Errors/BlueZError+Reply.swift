import Bluetooth
import Support

extension BlueZError {
    /// Reads an error reply. The names are BlueZ's (doc/org.bluez.*.rst, src/error.c) and the D-Bus specification's.
    init(name: String, text: String) {
        let text = PrintableText.ascii(text)
        let bluez = "org.bluez.Error."
        let bus = "org.freedesktop.DBus.Error."
        if name.hasPrefix(bluez) {
            self = Self.bluez(String(name.dropFirst(bluez.count)), text)
        } else if name.hasPrefix(bus) {
            self = Self.bus(String(name.dropFirst(bus.count)), text)
        } else if name.hasPrefix("org.freedesktop.systemd1.") {
            // systemd answers for a service that D-Bus asked it to start.
            self = .daemonNotRunning(text)
        } else {
            self = .unexpected(name: PrintableText.ascii(name), text: text)
        }
    }

    init(_ failure: BusFailure) {
        switch failure {
        case .refused(let name, let text): self.init(name: name, text: text)
        case .unopened(let name, let text): self = Self.unopened(name, PrintableText.ascii(text))
        case .gone: self = .busLost
        case .unanswered: self = .daemonSilent
        }
    }

    /// AccessDenied is the socket's EACCES here (libdbus names system errors so), not the bus's policy.
    private static func unopened(_ name: String, _ text: String) -> BlueZError {
        switch name {
        case "org.freedesktop.DBus.Error.AccessDenied", "org.freedesktop.DBus.Error.AuthFailed": .busRefusesUser(text)
        case "org.freedesktop.DBus.Error.LimitsExceeded", "org.freedesktop.DBus.Error.NoMemory": .busOverloaded(text)
        default: .busUnreachable(text)
        }
    }

    private static func bus(_ name: String, _ text: String) -> BlueZError {
        switch name {
        case "AccessDenied": .accessDenied(text)
        case "ServiceUnknown", "NameHasNoOwner": .daemonNotRunning(text)
        case _ where name.hasPrefix("Spawn."): .daemonNotRunning(text)
        case "NoReply", "Timeout", "TimedOut": .daemonSilent
        case "Disconnected": .busLost
        case "UnknownMethod", "UnknownInterface", "UnknownProperty": unknownMember(text)
        case "UnknownObject": .doesNotExist
        case "InvalidArgs", "InvalidSignature": .invalidArguments(text)
        case "LimitsExceeded", "NoMemory": .busOverloaded(text)
        case "NotSupported": .notSupported
        case "Failed": .failed(text)
        default: .unexpected(name: PrintableText.ascii(name), text: text)
        }
    }

    /// bluetoothd answers with UnknownMethod when the object is not there (any more), too.
    private static func unknownMember(_ text: String) -> BlueZError {
        guard let quoted = text.split(separator: "\"", omittingEmptySubsequences: false).dropFirst().first else {
            return .doesNotExist
        }
        return optionalMembers.contains(String(quoted)) ? .daemonTooOld(method: String(quoted)) : .doesNotExist
    }

    /// Members that old bluetoothds lack: AcquireWrite and AcquireNotify came with BlueZ 5.46, at first as an experiment that
    /// has to be switched on (its ChangeLog).
    private static let optionalMembers: Set<String> = ["AcquireWrite", "AcquireNotify", "SetDiscoveryFilter"]

    private static func bluez(_ name: String, _ text: String) -> BlueZError {
        switch name {
        case "Failed": operationFailed(text)
        case "NotReady": .notReady
        case "NoSuchAdapter": .noAdapter(nil)
        case "Blocked": .adapterSoftBlocked(text)
        case "InProgress", "Busy": .inProgress
        case "NotSupported", "Unsupported": .notSupported
        case "NotPermitted": operationNotPermitted(text)
        case "NotAuthorized": .notAuthorized
        case "NotAvailable": .notAvailable
        case "NotConnected": .notConnected
        case "AlreadyConnected": .alreadyConnected
        case "AlreadyExists": .alreadyExists
        case "DoesNotExist": .doesNotExist
        case "AuthenticationFailed": .authenticationFailed
        case "AuthenticationRejected", "Rejected": .authenticationRejected
        case "AuthenticationCanceled": .authenticationCanceled
        case "AuthenticationTimeout": .authenticationTimedOut
        case "AgentNotAvailable": .agentMissing
        case "ConnectionAttemptFailed": .attemptFailed(text)
        case "Canceled": .canceled
        // What an attribute refuses (src/gatt-client.c): its documentation promises InvalidValueLength.
        case "InvalidArguments" where text == "Invalid Length" || text == "Invalid offset": .invalidLength
        case "InvalidArguments", "InvalidArgs": .invalidArguments(text)
        case "InvalidLength", "InvalidValueLength", "InvalidOffset": .invalidLength
        default: .unexpected(name: PrintableText.ascii("org.bluez.Error.\(name)"), text: text)
        }
    }

    private static func operationNotPermitted(_ text: String) -> BlueZError {
        switch text {
        case "Write acquired", "Notify acquired": .acquiredByAnother(text)
        case "Not paired": .notPaired
        default: .notPermitted(text)
        }
    }

    /// The texts of org.bluez.Error.Failed (BlueZ's src/error.h; the same set for `br-` and `le-`).
    private static func operationFailed(_ text: String) -> BlueZError {
        let reason = text.hasPrefix("le-connection-") || text.hasPrefix("br-connection-") ? text.dropFirst(14) : ""
        return switch reason {
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
        case "invalid-arguments", "invalid-argument": .invalidArguments(text)
        case "link-layer-protocol-error", "lmp-protocol-error": .linkProtocolError
        case "": failedWithoutReason(text)
        default: .attemptFailed(text)
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

    /// The ATT error in a failed operation's text, such as `Operation failed with ATT error: 0x0e` (src/gatt-client.c).
    /// "Not paired" is bluetoothd's word for insufficient authentication.
    var attributeError: UInt8? {
        if self == .notPaired { return 0x05 }
        guard case .failed(let text) = self, let mark = text.firstRange(of: "ATT error: 0x") else { return nil }
        return UInt8(text[mark.upperBound...].prefix { $0.isHexDigit }, radix: 16)
    }
}
