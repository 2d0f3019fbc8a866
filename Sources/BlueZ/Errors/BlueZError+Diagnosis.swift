import Bluetooth
import Support

extension BlueZError: DiagnosableError {
    public var diagnosis: Diagnosis {
        switch self {
        case .busUnreachable, .busRefusesUser, .accessDenied, .busOverloaded, .busLost: busDiagnosis
        case .daemonNotRunning, .daemonSilent, .daemonStopped, .daemonTooOld, .unintelligible: daemonDiagnosis
        case .noAdapter, .adapterOff, .adapterSoftBlocked, .adapterHardBlocked, .notReady, .inProgress, .linkLimit:
            adapterDiagnosis
        case .abortedByLocal, .abortedByRemote, .canceled, .attemptTimedOut, .attemptRefused, .attemptFailed,
            .alreadyConnected, .notConnected, .linkProtocolError:
            attemptDiagnosis
        case .authenticationFailed, .authenticationRejected, .authenticationCanceled, .authenticationTimedOut, .agentMissing:
            pairingDiagnosis
        case .acquiredByAnother, .notPermitted, .notPaired, .notAuthorized, .notSupported, .notAvailable, .doesNotExist:
            operationDiagnosis
        case .alreadyExists, .invalidArguments, .invalidLength, .noATTTransport, .failed, .unexpected: internalDiagnosis
        }
    }

    private var busDiagnosis: Diagnosis {
        switch self {
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
                cause: "D-Bus's policy for org.bluez: many systems admit everybody, stricter ones root and a group",
                remedy: "where bluetooth.conf in /etc/dbus-1/system.d or /usr/share/dbus-1/system.d names a group such as "
                    + "bluetooth, run: sudo usermod -aG bluetooth $USER; then log in again; elsewhere run as root")
        case .busOverloaded(let text):
            station("BLZ-0004", .tryAgain, "the D-Bus system bus is at its limit" + detail(text),
                cause: "too many programs, connections or match rules at once",
                remedy: "end other Bluetooth programs and run the same command again")
        default:
            station("BLZ-0005", .tryAgain, "the connection to the D-Bus system bus was lost",
                cause: "D-Bus was restarted", remedy: "run the same command again; it continues where it stopped")
        }
    }

    private var daemonDiagnosis: Diagnosis {
        switch self {
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
                cause: "this BlueZ is of a version that noafw does not know",
                remedy: "report this with the output of -v and of: bluetoothctl --version")
        default:
            station("BLZ-0008", .tryAgain, "bluetoothd stopped", cause: "it was restarted, or it crashed",
                remedy: "run the same command again; if it persists, read: journalctl -u bluetooth")
        }
    }

    private var adapterDiagnosis: Diagnosis {
        switch self {
        case .noAdapter(let name):
            station("BLZ-0011", .unavailable, name.map { "there is no Bluetooth adapter \($0)" } ?? "there is no Bluetooth adapter",
                cause: "it is not plugged in, or its driver or firmware is missing",
                remedy: "plug an adapter in; run: bluetoothctl list; read: dmesg | grep -i bluetooth")
        case .adapterOff(let name):
            station("BLZ-0012", .unavailable, "the Bluetooth adapter \(name) is switched off",
                cause: "it was powered off by a program or a setting", remedy: "run: bluetoothctl power on")
        case .adapterSoftBlocked(let name):
            station("BLZ-0013", .unavailable, "the Bluetooth adapter is blocked by software" + detail(name),
                cause: "aeroplane mode, or a saved rfkill state", remedy: "run: rfkill unblock bluetooth")
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
        default:
            station("BLZ-0017", .tryAgain, "the adapter holds as many links as it can",
                cause: "its firmware allows a few links at once (2 to 10)",
                remedy: "run: bluetoothctl devices Connected; disconnect one, and use fewer units at once")
        }
    }
}
