import Bluetooth
import Support

extension BlueZError {
    var attemptDiagnosis: Diagnosis {
        let again = "bring the unit closer, keep other radios away, and run the same command again"
        return switch self {
        case .abortedByLocal:
            radio("BLZ-0020", "this host gave the connection attempt up (le-connection-abort-by-local)",
                cause: "crowded air, or the unit stopped advertising", remedy: again)
        case .abortedByRemote:
            radio("BLZ-0021", "the unit ended the connection attempt",
                cause: "it serves another host, or it restarted", remedy: "close the phone app and run the same command again")
        case .canceled:
            radio("BLZ-0022", "the connection attempt was cancelled (br-connection-canceled)",
                cause: "crowded air, or another program disconnected the unit", remedy: again)
        case .attemptTimedOut:
            radio("BLZ-0023", "the unit did not answer the connection attempt", cause: "it is off or out of range",
                remedy: "wake the unit and run the same command again")
        case .attemptRefused:
            radio("BLZ-0024", "the connection attempt was refused", cause: "the unit serves another host",
                remedy: "close the phone app and run the same command again")
        case .attemptFailed(let text):
            radio("BLZ-0025", "the connection attempt failed" + detail(text), cause: "the air or the adapter", remedy: again)
        case .alreadyConnected:
            station("BLZ-0026", .tryAgain, "the unit is connected already", cause: "another program of this machine holds it",
                remedy: "run: bluetoothctl disconnect; then the same command again")
        case .notConnected:
            radio("BLZ-0027", "the unit is not connected", cause: "the link was lost meanwhile", remedy: again)
        default:
            radio("BLZ-0028", "the unit and the adapter do not understand each other",
                cause: "a link-layer protocol error", remedy: "power-cycle the unit and run the same command again")
        }
    }

    var pairingDiagnosis: Diagnosis {
        let remove = "run: bluetoothctl remove ADDRESS; then the same command again"
        return switch self {
        case .authenticationFailed:
            unit("BLZ-0030", .tryAgain, "pairing with the unit failed",
                cause: "one side has forgotten the other's key", remedy: remove)
        case .authenticationRejected:
            unit("BLZ-0031", .tryAgain, "the unit rejected the pairing",
                cause: "it is paired with another host, or not in pairing mode",
                remedy: "reset the unit's pairing and run the same command again")
        case .authenticationCanceled:
            unit("BLZ-0032", .tryAgain, "the pairing was cancelled", cause: "the unit or another program ended it", remedy: remove)
        case .authenticationTimedOut:
            unit("BLZ-0033", .tryAgain, "the unit did not answer the pairing", cause: "it is busy or out of range",
                remedy: "bring the unit closer and run the same command again")
        default:
            station("BLZ-0034", .tryAgain, "bluetoothd has no pairing agent", cause: "the agent of this process was lost",
                remedy: "run the same command again")
        }
    }

    var operationDiagnosis: Diagnosis {
        switch self {
        case .acquiredByAnother(let text):
            station("BLZ-0040", .tryAgain, "another program holds the unit's characteristic" + detail(text),
                cause: "a second noafw or another Bluetooth program works on this unit",
                remedy: "end it, or run: bluetoothctl disconnect; then the same command again")
        case .notPermitted(let text):
            unit("BLZ-0041", .unitFailed, "the unit does not permit the operation" + detail(text),
                cause: "the characteristic does not allow it: this is another firmware than expected",
                remedy: "check the unit's firmware with: noafw verify")
        case .notPaired:
            unit("BLZ-0042", .tryAgain, "the unit wants to be paired first",
                cause: "the key is missing on one of both sides", remedy: "run: bluetoothctl remove ADDRESS; then the same command again")
        case .notAuthorized:
            station("BLZ-0043", .permission, "the operation is not authorised", cause: "the unit or bluetoothd's agent declined it",
                remedy: "pair the unit anew: run: bluetoothctl remove ADDRESS; then the same command again")
        case .notSupported:
            station("BLZ-0044", .unavailable, "the operation is not supported",
                cause: "the adapter has no Bluetooth LE, or the characteristic lacks it",
                remedy: "run: bluetoothctl show; use an adapter with Bluetooth 4.2 or newer")
        case .notAvailable:
            station("BLZ-0045", .tryAgain, "the operation is not available now", cause: "the adapter or the unit is busy",
                remedy: "run the same command again")
        default:
            station("BLZ-0046", .tryAgain, "bluetoothd no longer knows the unit",
                cause: "it forgets devices that it has not seen for half a minute", remedy: "wake the unit and run the same command again")
        }
    }

    var internalDiagnosis: Diagnosis {
        let report = "run the same command again; if it persists, report this with the output of -v"
        return switch self {
        case .alreadyExists:
            station("BLZ-0047", .tryAgain, "bluetoothd has this already", cause: "a trace of an earlier run", remedy: report)
        case .invalidArguments(let text):
            station("BLZ-0048", .inputOutput, "bluetoothd rejects the request" + detail(text),
                cause: "this BlueZ differs from what noafw knows", remedy: report)
        case .invalidLength:
            unit("BLZ-0049", .unitFailed, "the unit rejects the length of a value",
                cause: "this is another firmware than expected", remedy: "check the unit's firmware with: noafw verify")
        case .failed(let text):
            station("BLZ-0051", .inputOutput, "bluetoothd reports a failure" + detail(text),
                cause: "the adapter or the unit failed the operation", remedy: "run: systemctl restart bluetooth; then the same command again")
        case .unexpected(let name, let text):
            station("BLZ-0052", .inputOutput, "bluetoothd reports \(name)" + detail(text),
                cause: "an error that noafw does not know", remedy: report)
        default:
            radio("BLZ-0050", "the link has no attribute channel", cause: "the link was lost meanwhile", remedy: report)
        }
    }

    func detail(_ text: String) -> String { text.isEmpty ? "" : " (\(text))" }

    func station(_ code: String, _ category: Diagnosis.Category, _ message: String, cause: String, remedy: String) -> Diagnosis {
        Diagnosis(code: code, category: category, fault: .station, message: message, cause: cause, remedy: remedy)
    }

    func unit(_ code: String, _ category: Diagnosis.Category, _ message: String, cause: String, remedy: String) -> Diagnosis {
        Diagnosis(code: code, category: category, fault: .unit, message: message, cause: cause, remedy: remedy)
    }

    func radio(_ code: String, _ message: String, cause: String, remedy: String) -> Diagnosis {
        Diagnosis(code: code, category: .tryAgain, fault: .radio, message: message, cause: cause, remedy: remedy)
    }
}
