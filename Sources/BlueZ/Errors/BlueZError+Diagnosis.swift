import Bluetooth
import Support

extension BlueZError: DiagnosableError {
    private static let again = "bring the unit closer, keep other radios away, and run the same command again"
    private static let remove = "run: bluetoothctl remove ADDRESS; then the same command again"
    private static let report = "run the same command again; if it fails again, report this with the output of -v"

    /// One table, so that the compiler misses no case.
    public var diagnosis: Diagnosis {
        switch self {
        // The bus.
        case .busUnreachable(let text):
            station("BLZ-0001", .unavailable, "cannot reach the D-Bus system bus" + detail(text),
                cause: "D-Bus is not running, or a container does not share its socket",
                remedy: "run: systemctl start dbus")
        case .busRefusesUser(let text):
            station("BLZ-0002", .permission, "the D-Bus system bus refuses this user" + detail(text),
                cause: "the user has no access to the bus's socket",
                remedy: "run as a user of this machine (in a container: with the host's user id), or as root")
        case .accessDenied(let text):
            station("BLZ-0003", .permission, "this user may not talk to bluetoothd" + detail(text),
                cause: "D-Bus's policy for org.bluez: many systems admit every user, stricter ones only root and a group",
                remedy: "look for a group in bluetooth.conf (/etc/dbus-1/system.d or /usr/share/dbus-1/system.d); if it names one such "
                    + "as bluetooth, run: sudo usermod -aG bluetooth $USER; then log in again; if it names none, run as root")
        case .busOverloaded(let text):
            station("BLZ-0004", .tryAgain, "the D-Bus system bus is at its limit" + detail(text),
                cause: "too many programs, connections or match rules at once",
                remedy: "end other Bluetooth programs and run the same command again")
        case .busLost:
            station("BLZ-0005", .tryAgain, "the connection to the D-Bus system bus was lost",
                cause: "D-Bus was restarted", remedy: "run the same command again; it continues where it stopped")
        // The daemon.
        case .daemonNotRunning(let text):
            station("BLZ-0006", .unavailable, "bluetoothd is not running" + detail(text),
                cause: "the Bluetooth service is stopped, disabled or not installed",
                remedy: "run: systemctl start bluetooth")
        case .daemonSilent:
            station("BLZ-0007", .tryAgain, "bluetoothd does not answer", cause: "it hangs, or the adapter does",
                remedy: "run: systemctl restart bluetooth; then the same command again")
        case .daemonTooOld(let method):
            station("BLZ-0009", .unavailable, "this bluetoothd lacks \(method)",
                cause: "this BlueZ is far older than noafw needs", remedy: "install BlueZ 5.62 or newer")
        case .unintelligible(let what):
            station("BLZ-0010", .inputOutput, "bluetoothd's answer cannot be understood" + detail(what),
                cause: "noafw does not know this version of BlueZ",
                remedy: "report this with the output of -v and of: bluetoothctl --version")
        case .daemonStopped:
            station("BLZ-0008", .tryAgain, "bluetoothd stopped", cause: "it was restarted, or it crashed",
                remedy: "run the same command again; if it fails again, read: journalctl -u bluetooth")
        // The adapter.
        case .noAdapter(let name):
            station("BLZ-0011", .unavailable, name.map { "there is no Bluetooth adapter \($0)" } ?? "there is no Bluetooth adapter",
                cause: "it is not plugged in, or its driver or firmware is missing",
                remedy: "plug in an adapter; check with: bluetoothctl list; read: dmesg | grep -i bluetooth")
        case .adapterOff(let name):
            station("BLZ-0012", .unavailable, "the Bluetooth adapter \(name) is switched off",
                cause: "it was powered off by a program or a setting", remedy: "run: bluetoothctl power on")
        case .adapterSoftBlocked(let name):
            station("BLZ-0013", .unavailable, "the Bluetooth adapter is blocked by software" + detail(name),
                cause: "aeroplane mode is on, or rfkill restored a saved state", remedy: "run: rfkill unblock bluetooth")
        case .adapterHardBlocked(let name):
            station("BLZ-0014", .unavailable, "the Bluetooth adapter is blocked by a switch" + detail(name),
                cause: "a switch or key of this machine turns its radio off",
                remedy: "use the machine's radio switch; run: rfkill list bluetooth")
        case .notReady:
            station("BLZ-0015", .tryAgain, "the Bluetooth adapter is not ready",
                cause: "it is being switched on or off", remedy: "run: bluetoothctl power on; then the same command again")
        case .inProgress:
            station("BLZ-0016", .tryAgain, "bluetoothd is busy with the same operation",
                cause: "another program works on this adapter or this unit",
                remedy: "end other Bluetooth programs and run the same command again")
        case .linkLimit:
            station("BLZ-0017", .tryAgain, "the adapter holds as many links as it can",
                cause: "its firmware allows a few links at once (2 to 10)",
                remedy: "disconnect a device (bluetoothctl devices Connected lists them), and use fewer units at once")
        case .adaptersShareAddress(let names):
            station("BLZ-0018", .unavailable, "Bluetooth adapters share one address (\(names))",
                cause: "some makes give all their adapters the same address; bluetoothd keeps keys and attribute tables by it, and mixes theirs up",
                remedy: "take out all of them but one, or use adapters with an address of their own")
        case .adapterNotShown(let name):
            station("BLZ-0053", .unavailable, "bluetoothd does not show the Bluetooth adapter \(name)",
                cause: "it passes over an adapter that has the address of another one, as some makes give all of theirs the same; or its firmware is missing",
                remedy: "take the other one out, or use an adapter with an address of its own; read: journalctl -u bluetooth; dmesg | grep -i bluetooth")
        case .radioHangs(let name):
            station("BLZ-0019", .tryAgain, "the radio of adapter \(name) hangs: it hears nothing, and its discovery was started anew twice",
                cause: "the adapter or bluetoothd hangs, which happens after hours of scanning; or nothing at all is on the air",
                remedy: "run: systemctl restart bluetooth; if that does not help, plug the adapter in again; then the same command again")
        // A connection attempt.
        case .abortedByLocal:
            radio("BLZ-0020", "this host gave up the connection attempt (le-connection-abort-by-local)",
                cause: "the air is crowded, or the unit stopped advertising", remedy: Self.again)
        case .abortedByRemote:
            radio("BLZ-0021", "the unit ended the connection attempt",
                cause: "it serves another host, or it restarted", remedy: "close the phone app and run the same command again")
        case .canceled:
            radio("BLZ-0022", "the connection attempt was cancelled (br-connection-canceled)",
                cause: "the air is crowded, or another program disconnected the unit", remedy: Self.again)
        case .attemptTimedOut:
            radio("BLZ-0023", "the unit did not answer the connection attempt", cause: "it is off or out of range",
                remedy: "wake the unit and run the same command again")
        case .attemptRefused:
            radio("BLZ-0024", "the connection attempt was refused", cause: "the unit serves another host",
                remedy: "close the phone app and run the same command again")
        case .attemptFailed(let text):
            radio("BLZ-0025", "the connection attempt failed" + detail(text), cause: "the air is crowded, or the adapter failed", remedy: Self.again)
        case .controllerBusy(let text):
            radio("BLZ-0029", "the adapter begins no connection attempt now" + detail(text), cause: "it is at work on another one, or at its limit", remedy: Self.again)
        case .alreadyConnected:
            station("BLZ-0026", .tryAgain, "the unit is connected already", cause: "another program of this machine holds it",
                remedy: "run: bluetoothctl disconnect; then the same command again")
        case .notConnected:
            radio("BLZ-0027", "the unit is not connected", cause: "the link was lost meanwhile", remedy: Self.again)
        case .linkProtocolError:
            radio("BLZ-0028", "the unit and the adapter do not understand each other",
                cause: "one of them broke the rules of the link layer", remedy: "power-cycle the unit and run the same command again")
        // Pairing.
        case .authenticationFailed:
            unit("BLZ-0030", .tryAgain, "pairing with the unit failed",
                cause: "the unit is bonded to another host, or the link was lost", remedy: Self.again)
        case .authenticationRejected:
            unit("BLZ-0031", .tryAgain, "the unit rejected the pairing",
                cause: "it is paired with another host, or not in pairing mode",
                remedy: "reset the unit's pairing and run the same command again")
        case .authenticationCanceled:
            unit("BLZ-0032", .tryAgain, "the pairing was cancelled", cause: "the link was lost, or another program ended it", remedy: Self.again)
        case .authenticationTimedOut:
            unit("BLZ-0033", .tryAgain, "the unit did not answer the pairing", cause: "it is busy or out of range",
                remedy: "bring the unit closer and run the same command again")
        case .agentMissing:
            station("BLZ-0034", .tryAgain, "bluetoothd has no pairing agent", cause: "the agent of this process was lost",
                remedy: "run the same command again")
        case .adapterNotPairable(let name):
            station("BLZ-0035", .unavailable, "the Bluetooth adapter \(name) makes no bonds", cause: "it is set not to be paired, and that cannot be changed",
                remedy: "run: bluetoothctl pairable on; then the same command again")
        // An operation.
        case .acquiredByAnother(let text):
            station("BLZ-0040", .tryAgain, "another program holds the unit's characteristic" + detail(text),
                cause: "a second noafw or another Bluetooth program works on this unit",
                remedy: "end it, or run: bluetoothctl disconnect; then the same command again")
        case .notPermitted(let text):
            unit("BLZ-0041", .unitFailed, "the unit does not permit the operation" + detail(text),
                cause: "the characteristic does not allow it, so the firmware is not the expected one",
                remedy: "check the unit's firmware with: noafw verify")
        case .notPaired:
            unit("BLZ-0042", .tryAgain, "the unit wants to be paired first",
                cause: "one of the two sides has lost the pairing key", remedy: "run: bluetoothctl remove ADDRESS; then the same command again")
        case .notAuthorized:
            station("BLZ-0043", .permission, "the operation is not authorised", cause: "the unit or bluetoothd's agent declined it",
                remedy: "pair the unit again; run: bluetoothctl remove ADDRESS; then the same command again")
        case .notSupported:
            station("BLZ-0044", .unavailable, "the operation is not supported",
                cause: "the adapter has no Bluetooth LE, or the characteristic lacks it",
                remedy: "check the adapter with: bluetoothctl show; use one with Bluetooth 4.2 or newer")
        case .notAvailable:
            station("BLZ-0045", .tryAgain, "the operation is not available now", cause: "the adapter or the unit is busy",
                remedy: "run the same command again")
        case .doesNotExist:
            station("BLZ-0046", .tryAgain, "bluetoothd no longer knows the unit",
                cause: "it forgets a device that it has not seen for half a minute", remedy: "wake the unit and run the same command again")
        case .alreadyExists:
            station("BLZ-0047", .tryAgain, "bluetoothd has this already", cause: "an earlier run left it behind", remedy: Self.report)
        case .invalidArguments(let text):
            station("BLZ-0048", .inputOutput, "bluetoothd rejects the request" + detail(text),
                cause: "this BlueZ differs from what noafw knows", remedy: Self.report)
        case .invalidLength:
            unit("BLZ-0049", .unitFailed, "the unit rejects the length of a value",
                cause: "the firmware is not the expected one", remedy: "check the unit's firmware with: noafw verify")
        case .failed(let text):
            station("BLZ-0051", .inputOutput, "bluetoothd reports a failure" + detail(text),
                cause: "the adapter or the unit failed the operation", remedy: "run: systemctl restart bluetooth; then the same command again")
        case .unexpected(let name, let text):
            station("BLZ-0052", .inputOutput, "bluetoothd reports \(name)" + detail(text),
                cause: "noafw does not know this error", remedy: Self.report)
        }
    }

    private func detail(_ text: String) -> String { text.isEmpty ? "" : " (\(text))" }

    private func station(_ code: String, _ category: Diagnosis.Category, _ message: String, cause: String, remedy: String) -> Diagnosis {
        Diagnosis(code: code, category: category, fault: .station, message: message, cause: cause, remedy: remedy)
    }

    private func unit(_ code: String, _ category: Diagnosis.Category, _ message: String, cause: String, remedy: String) -> Diagnosis {
        Diagnosis(code: code, category: category, fault: .unit, message: message, cause: cause, remedy: remedy)
    }

    private func radio(_ code: String, _ message: String, cause: String, remedy: String) -> Diagnosis {
        Diagnosis(code: code, category: .tryAgain, fault: .radio, message: message, cause: cause, remedy: remedy)
    }
}
