import Bluetooth
import Support

/// What can go wrong when a keyboard gets firmware over Wi-Fi. A unit's texts are printable.
public enum OTAError: Error, Hashable, Sendable {
    case badURL(String)
    /// A unit with a keyboard's name and other attributes.
    case noKeyboard(DeviceAddress)
    case noAnswer(url: String, reason: String)
    case notUnderstood(path: String, reason: String)
    /// It answers under one address and reports another.
    case otherAddress(answers: String, says: String)
    /// A text sent over Bluetooth did not arrive at the unit that answers over Wi-Fi.
    case otherUnit(url: String)
    case versionUnclear
    /// Nothing would show which of the two images runs.
    case sameVersion(String)
    case notServed(reason: String)
    case notTaken(reason: String)
    case occupied
    /// The unit never asked for the image.
    case notFetched(url: String)
    case cut(percent: Int)
    case stalled(percent: Int)
    /// The unit received everything, and reports a failure.
    case refusedByUnit
    case doesNotRestart
    case doesNotReturn(url: String)
    /// It answers over Wi-Fi, but Bluetooth does not hear it.
    case notOnAir
    case rolledBack(to: String, from: String)
}

extension OTAError: DiagnosableError {
    public var obstacle: Obstacle? {
        switch self {
        case .noAnswer, .notTaken, .occupied, .cut, .stalled: .link
        case .badURL, .noKeyboard, .notUnderstood, .otherAddress, .otherUnit, .versionUnclear, .sameVersion, .notServed, .notFetched,
            .refusedByUnit, .doesNotRestart, .doesNotReturn, .notOnAir, .rolledBack:
            nil
        }
    }

    private static let again = "run the same command again; the unit keeps its old firmware until the new one is whole"
    private static let cable =
        "restart the unit's power; if it stays away, flash it by cable (esptool, chip esp32s3): hold BOOT while it resets"

    public var diagnosis: Diagnosis {
        switch self {
        case .badURL(let text):
            Diagnosis(
                "OTA-0001", .usage, nil, "\"\(text)\" is not the address of a keyboard",
                cause: "it is an address such as http://ios-keyboard.local or http://192.168.1.20: plain HTTP, and no path",
                remedy: "correct --url")
        case .noKeyboard(let address):
            Diagnosis(
                "OTA-0013", .unavailable, nil, "\(address) is no IOS-Keyboard: its attributes are another unit's; nothing was sent to it",
                cause: "any unit can have the name of a keyboard", remedy: "find the keyboard's address with noafw scan")
        case .noAnswer(let url, let reason):
            Diagnosis(
                "OTA-0002", .unavailable, .station, "the unit does not answer at \(url): \(reason)",
                cause: "this machine is in another network, names under .local are not looked up here, or the unit's address has changed",
                remedy: "join the unit's Wi-Fi, and give its IP address with --url http://ADDRESS")
        case .notUnderstood(let path, let reason):
            Diagnosis(
                "OTA-0003", .unitFailed, .unit, "the answer at \(path) is not a keyboard's: \(reason)",
                cause: "another device answers there, or the unit's firmware is of another kind",
                remedy: "see what answers at that address, and correct --url")
        case .otherAddress(let answers, let says):
            Diagnosis(
                "OTA-0004", .unavailable, .station, "\(answers) answers, and says that it is \(says)",
                cause: "a router or a proxy lies between, and the unit could not fetch its firmware from this machine alone",
                remedy: "join the unit's own Wi-Fi")
        case .otherUnit(let url):
            Diagnosis(
                "OTA-0005", .unavailable, .station, "the unit at \(url) is not the one that is connected over Bluetooth",
                cause: "several keyboards have the same name; nothing was written",
                remedy: "give the address of the right one with --url, or the right Bluetooth address with --device")
        case .versionUnclear:
            Diagnosis(
                "OTA-0006", .badData, nil, "the image does not show which version the unit will report",
                cause: "the version in config.h is no text of its own in the image, or there are several such texts",
                remedy: "give it with --firmware-version, such as 2.11.0")
        case .sameVersion(let version):
            Diagnosis(
                "OTA-0007", .badData, nil, "the unit reports \(version) already, and the image would report the same",
                cause: "nothing would show which of the two runs afterwards",
                remedy: "build the image with another CONFIG_APP_VERSION")
        case .notServed(let reason):
            Diagnosis(
                "OTA-0008", .unavailable, .station, "this machine cannot offer the image to the unit: \(reason)",
                cause: "no free port, or its address has just changed", remedy: "run the same command again")
        case .notTaken(let reason):
            Diagnosis(
                "OTA-0009", .unitFailed, .unit, "the unit does not begin the update: \(reason)",
                cause: "it is short of memory, or has begun another one", remedy: "restart the unit, and run the same command again")
        case .occupied:
            Diagnosis(
                "OTA-000A", .tryAgain, .unit, "the unit is in the middle of another update",
                cause: "another client began it", remedy: "wait until it is over, and run the same command again")
        case .notFetched(let url):
            Diagnosis(
                "OTA-000B", .unavailable, .station, "the unit never came for the image at \(url)",
                cause: "a firewall on this machine closes the port, or the Wi-Fi keeps its stations apart",
                remedy: "allow connections from the unit's address to this machine, and run the same command again")
        case .cut(let percent):
            Diagnosis(
                "OTA-000C", .tryAgain, .radio, "the unit's download broke off at \(percent) %",
                cause: "its Wi-Fi is weak, or it lost power", remedy: Self.again)
        case .stalled(let percent):
            Diagnosis(
                "OTA-000D", .tryAgain, .radio, "the unit's download stands still at \(percent) %",
                cause: "its Wi-Fi is weak", remedy: Self.again)
        case .refusedByUnit:
            Diagnosis(
                "OTA-000E", .unitFailed, .unit, "the unit has taken the whole image and does not accept it",
                cause: "its flash is worn out, or the image arrived changed; it does not say which",
                remedy: "run the same command again; replace the unit if it fails again")
        case .doesNotRestart:
            Diagnosis(
                "OTA-000F", .unitFailed, .unit, "the unit did not restart after the update",
                cause: "its firmware hangs", remedy: "restart its power, and see its version with noafw verify")
        case .doesNotReturn(let url):
            Diagnosis(
                "OTA-0010", .unitFailed, .unit, "the unit did not come back at \(url) after its restart",
                cause: "the new firmware does not start, does not join the Wi-Fi (it then opens IOS-Keyboard-Setup), or has a new address",
                remedy: Self.cable)
        case .notOnAir:
            Diagnosis(
                "OTA-0011", .unitFailed, .unit, "the unit came back over Wi-Fi and is not heard over Bluetooth",
                cause: "the new firmware does not start Bluetooth, or a phone has connected to the unit",
                remedy: "close the phone's app, and run the same command again")
        case .rolledBack(let old, let new):
            Diagnosis(
                "OTA-0012", .unitFailed, .unit, "the unit reports its old firmware \(old) again instead of \(new)",
                cause: "the new one ended or lost power before it called itself valid, and the bootloader went back to the old one",
                remedy: "run the same command again; if the old one comes back again, test that image on a board with a cable")
        }
    }
}
