import Support

extension BlueZError: DiagnosableError {
    private static let again = "bring the unit closer, keep other radios away, and run the same command again"

    /// What happened, the likely cause and the next action, with a stable code.
    public var diagnosis: Diagnosis {
        switch self {
        // The bus.
        case .busUnreachable(let text):
            Diagnosis("BLZ-0001", .unavailable, .station, "cannot reach the D-Bus system bus" + detail(text),
                cause: "D-Bus is not running, or a container does not share its socket", remedy: "run: systemctl start dbus")
        case .busRefusesUser(let text):
            Diagnosis("BLZ-0002", .permission, .station, "the D-Bus system bus refuses this user" + detail(text),
                cause: "the user has no access to the bus's socket",
                remedy: "run as a user of this machine (in a container: with the host's user id), or as root")
        case .accessDenied(let text):
            Diagnosis("BLZ-0003", .permission, .station, "this user may not talk to bluetoothd" + detail(text),
                cause: "D-Bus's policy for org.bluez: many systems admit every user, stricter ones only root and a group",
                remedy: "look for a group in bluetooth.conf (/etc/dbus-1/system.d or /usr/share/dbus-1/system.d); if it names one such "
                    + "as bluetooth, run: sudo usermod -aG bluetooth $USER; then log in again; if it names none, run as root")
        case .busOverloaded(let text):
            Diagnosis("BLZ-0004", .tryAgain, .station, "the D-Bus system bus is at its limit" + detail(text),
                cause: "too many programs, connections or match rules at once",
                remedy: "end other Bluetooth programs and run the same command again")
        case .busLost:
            Diagnosis("BLZ-0005", .tryAgain, .station, "the connection to the D-Bus system bus was lost",
                cause: "D-Bus was restarted", remedy: "run the same command again; it continues where it stopped")
        // The daemon.
        case .daemonNotRunning(let text):
            Diagnosis("BLZ-0006", .unavailable, .station, "bluetoothd is not running" + detail(text),
                cause: "the Bluetooth service is stopped, disabled or not installed", remedy: "run: systemctl start bluetooth")
        case .daemonSilent:
            Diagnosis("BLZ-0007", .tryAgain, .station, "bluetoothd does not answer",
                cause: "it hangs, or the adapter does", remedy: "run: systemctl restart bluetooth; then the same command again")
        case .daemonTooOld(let method):
            Diagnosis("BLZ-0009", .unavailable, .station, "this bluetoothd lacks \(method)",
                cause: "this BlueZ is far older than noafw needs", remedy: "install BlueZ 5.62 or newer")
        case .unintelligible(let what):
            Diagnosis("BLZ-0010", .inputOutput, .station, "bluetoothd's answer cannot be understood" + detail(what),
                cause: "noafw does not know this version of BlueZ",
                remedy: "report this with the output of -v and of: bluetoothctl --version")
        case .daemonStopped:
            Diagnosis("BLZ-0008", .tryAgain, .station, "bluetoothd stopped", cause: "it was restarted, or it crashed",
                remedy: "run the same command again; if it fails again, read: journalctl -u bluetooth")
        // The adapter.
        case .noAdapter(let name):
            Diagnosis("BLZ-0011", .unavailable, .station, "there is no Bluetooth adapter" + (name.map { " \($0)" } ?? ""),
                cause: "it is not plugged in, or its driver or firmware is missing",
                remedy: "plug in an adapter; check with: bluetoothctl list; read: dmesg | grep -i bluetooth")
        case .adapterOff(let name):
            Diagnosis("BLZ-0012", .unavailable, .station, "the Bluetooth adapter \(name) is switched off",
                cause: "it was powered off by a program or a setting", remedy: "run: bluetoothctl power on")
        case .adapterSoftBlocked(let name):
            Diagnosis("BLZ-0013", .unavailable, .station, "the Bluetooth adapter is blocked by software" + detail(name),
                cause: "aeroplane mode is on, or rfkill restored a saved state", remedy: "run: rfkill unblock bluetooth")
        case .adapterHardBlocked(let name):
            Diagnosis("BLZ-0014", .unavailable, .station, "the Bluetooth adapter is blocked by a switch" + detail(name),
                cause: "a switch or key of this machine turns its radio off",
                remedy: "use the machine's radio switch; run: rfkill list bluetooth")
        case .notReady:
            Diagnosis("BLZ-0015", .tryAgain, .station, "the Bluetooth adapter is not ready",
                cause: "it is being switched on or off", remedy: "run: bluetoothctl power on; then the same command again")
        case .inProgress:
            Diagnosis("BLZ-0016", .tryAgain, .station, "bluetoothd is busy with the same operation",
                cause: "another program works on this adapter or this unit",
                remedy: "end other Bluetooth programs and run the same command again")
        case .linkLimit:
            Diagnosis("BLZ-0017", .tryAgain, .station, "the adapter holds as many links as it can",
                cause: "its firmware allows a few links at once (2 to 10)",
                remedy: "disconnect a device (bluetoothctl devices Connected lists them), and use fewer units at once")
        case .adaptersShareAddress(let names):
            Diagnosis("BLZ-0018", .unavailable, .station, "Bluetooth adapters share one address (\(names))",
                cause: "some makes give all adapters one address; bluetoothd keeps keys and attribute tables by address",
                remedy: "unplug all but one, or use adapters with different addresses")
        case .adapterNotShown(let name):
            Diagnosis("BLZ-0053", .unavailable, .station, "bluetoothd does not show the Bluetooth adapter \(name)",
                cause: "it skips an adapter that shares another's address (some makes do), or its firmware is missing",
                remedy: "unplug the other one, or use an adapter with its own address; "
                    + "read: journalctl -u bluetooth; dmesg | grep -i bluetooth")
        case .radioHangs(let name):
            Diagnosis("BLZ-0019", .tryAgain, .station,
                "the radio of adapter \(name) hangs: it hears nothing, even after discovery was restarted twice",
                cause: "the adapter or bluetoothd hangs, which happens after hours of scanning; or nothing at all is on the air",
                remedy: "run: systemctl restart bluetooth; if that does not help, plug the adapter in again; then the same command again")
        // A connection attempt.
        case .abortedByLocal:
            Diagnosis("BLZ-0020", .tryAgain, .radio, "this host gave up the connection attempt (le-connection-abort-by-local)",
                cause: "the air is crowded, or the unit stopped advertising", remedy: Self.again)
        case .abortedByRemote:
            Diagnosis("BLZ-0021", .tryAgain, .radio, "the unit ended the connection attempt",
                cause: "it serves another host, or it restarted", remedy: "close the phone app and run the same command again")
        case .canceled:
            Diagnosis("BLZ-0022", .tryAgain, .radio, "the connection attempt was cancelled (br-connection-canceled)",
                cause: "the air is crowded, or another program disconnected the unit", remedy: Self.again)
        case .attemptTimedOut:
            Diagnosis("BLZ-0023", .tryAgain, .radio, "the unit did not answer the connection attempt",
                cause: "it is off or out of range", remedy: "wake the unit and run the same command again")
        case .attemptRefused:
            Diagnosis("BLZ-0024", .tryAgain, .radio, "the connection attempt was refused",
                cause: "the unit serves another host", remedy: "close the phone app and run the same command again")
        case .attemptFailed(let text):
            Diagnosis("BLZ-0025", .tryAgain, .radio, "the connection attempt failed" + detail(text),
                cause: "the air is crowded, or the adapter failed", remedy: Self.again)
        case .controllerBusy(let text):
            Diagnosis("BLZ-0029", .tryAgain, .radio, "the adapter cannot begin a connection attempt now" + detail(text),
                cause: "it is busy with another one, or at its limit", remedy: Self.again)
        case .alreadyConnected:
            Diagnosis("BLZ-0026", .tryAgain, .station, "the unit is connected already",
                cause: "another program of this machine holds it", remedy: "run: bluetoothctl disconnect; then the same command again")
        case .notConnected:
            Diagnosis("BLZ-0027", .tryAgain, .radio, "the unit is not connected", cause: "the link was lost meanwhile", remedy: Self.again)
        case .linkProtocolError:
            Diagnosis("BLZ-0028", .tryAgain, .radio, "the unit and the adapter do not understand each other",
                cause: "one of them broke the rules of the link layer", remedy: "power-cycle the unit and run the same command again")
        // Pairing.
        case .pairingFailed:
            Diagnosis("BLZ-0030", .tryAgain, .unit, "pairing with the unit failed",
                cause: "the unit is bonded to another host or not in pairing mode, or the link was lost",
                remedy: "bring the unit closer, reset its pairing, and run the same command again")
        case .pairingBrokeOff(let text):
            Diagnosis("BLZ-0032", .tryAgain, .radio, "the pairing broke off" + detail(text),
                cause: "the unit is busy or out of range, or another program ended the pairing", remedy: Self.again)
        case .agentMissing:
            Diagnosis("BLZ-0034", .tryAgain, .station, "bluetoothd has no pairing agent",
                cause: "the agent of this process was lost", remedy: "run the same command again")
        case .adapterNotPairable(let name):
            Diagnosis("BLZ-0035", .unavailable, .station, "the Bluetooth adapter \(name) makes no bonds",
                cause: "it is not pairable, and noafw cannot change that",
                remedy: "run: bluetoothctl pairable on; then the same command again")
        // An operation.
        case .notPermitted(let text):
            Diagnosis("BLZ-0041", .unitFailed, .unit, "the unit does not permit the operation" + detail(text),
                cause: "the characteristic does not allow it, so the firmware is not the expected one",
                remedy: "check the unit's firmware with: noafw verify")
        case .notAuthorized:
            Diagnosis("BLZ-0043", .permission, .station, "the operation is not authorised",
                cause: "the unit or bluetoothd's agent declined it",
                remedy: "pair the unit again; run: bluetoothctl remove ADDRESS; then the same command again")
        case .notSupported:
            Diagnosis("BLZ-0044", .unavailable, .station, "the operation is not supported",
                cause: "the adapter has no Bluetooth LE, or the characteristic lacks it",
                remedy: "check the adapter with: bluetoothctl show; use one with Bluetooth 4.2 or newer")
        case .notAvailable:
            Diagnosis("BLZ-0045", .tryAgain, .station, "the operation is not available now",
                cause: "the adapter or the unit is busy", remedy: "run the same command again")
        case .doesNotExist:
            Diagnosis("BLZ-0046", .tryAgain, .station, "bluetoothd no longer knows the unit",
                cause: "it forgets a device that it has not seen for half a minute", remedy: "wake the unit and run the same command again")
        case .alreadyExists:
            Diagnosis("BLZ-0047", .tryAgain, .station, "bluetoothd has this already",
                cause: "an earlier run left it behind",
                remedy: "run the same command again; if it fails again, report this with the output of -v")
        case .failed(let text):
            Diagnosis("BLZ-0051", .inputOutput, .station, "bluetoothd reports a failure" + detail(text),
                cause: "the adapter or the unit failed the operation",
                remedy: "run: systemctl restart bluetooth; then the same command again")
        }
    }

    private func detail(_ text: String) -> String { text.isEmpty ? "" : " (\(text))" }
}
