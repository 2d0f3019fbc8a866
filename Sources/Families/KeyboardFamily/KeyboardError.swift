import Bluetooth
import Support

/// Why a text cannot be typed. No case holds any of the text.
public enum KeyboardError: Error, Hashable, Sendable {
    /// The unit at this address has another family's attributes.
    case otherAttributes(DeviceAddress)
    /// The number of different characters, and of all.
    case notTypeable(kinds: Int, count: Int, layout: KeyboardLayout)
    case textTooLong(limit: Int)
    case notText
    /// Keys: confirmed, unanswered, and of the whole text.
    case lost(confirmed: Int, unknown: Int, of: Int, reason: String)
    case unknownText(unknown: Int)
    /// The unit's page cannot be reached or understood.
    case noTrace(url: String, reason: String)
    case otherLayout(unit: String, wanted: KeyboardLayout)
    /// The unit's trace differs from what was sent.
    case notProved(reason: String)
    /// The trace is the same with and without the text.
    case proofSaysNothing
    /// By a signal. Keys: confirmed, and of all; `nil` when following a text of unknown length.
    case interrupted(confirmed: Int, of: Int?)
}

extension KeyboardError: DiagnosableError {
    public var diagnosis: Diagnosis {
        switch self {
        case .otherAttributes(let address):
            Diagnosis(
                "KEY-0001", .unavailable, nil, "\(address) is no IOS-Keyboard: its attributes are another unit's; nothing was sent to it",
                cause: "a Monocle's prompt has the service of a keyboard, and any unit can have its name",
                remedy: "find the keyboard's address with noafw scan")
        case .notTypeable(let kinds, let count, let layout):
            Diagnosis(
                "KEY-0002", .badData, nil,
                "the layout \(layout.rawValue) cannot type \(count == 1 ? "1 character" : "\(count) characters") of the text "
                    + "(\(kinds == 1 ? "1 kind" : "\(kinds) kinds"), named above); nothing was typed",
                cause: "the unit skips in silence what its layout lacks",
                remedy: "change those characters, or give --layout the layout that the unit and its host use")
        case .textTooLong(let limit):
            Diagnosis(
                "KEY-0003", .badData, nil, "the text has more than \(limit) bytes",
                cause: "the unit types 14 keys a second: this much takes more than an hour", remedy: "give it in several runs")
        case .notText:
            Diagnosis(
                "KEY-0004", .badData, nil, "the text is not UTF-8", cause: "it is a binary file, or in another encoding",
                remedy: "convert it first: iconv -t UTF-8")
        case .lost(let confirmed, let unknown, let all, let reason):
            Diagnosis(
                "KEY-0005", .tryAgain, .radio,
                "the link was lost (\(reason)): \(confirmed) of \(all) keys are typed; \(unknown) more may be typed or not",
                cause: "the unit is out of range or lost its power; without a link it still types what it has received",
                remedy: "look at the host, empty its field by hand, and run the same command again")
        case .unknownText(let unknown):
            Diagnosis(
                "KEY-0006", .tryAgain, .radio,
                "the last lines were not typed: \(unknown) keys of a lost link may be typed or not",
                cause: "noafw takes nothing away on a host whose text it does not know",
                remedy: "empty the host's field by hand, then give an empty line, or run the same command again")
        case .noTrace(let url, let reason):
            Diagnosis(
                "KEY-0007", .unavailable, .station, "\(url) does not prove anything: \(reason)",
                cause: "it is not the unit's web page, or this machine is not in the unit's network",
                remedy: "open the unit's page in a browser; its name is usually http://ios-keyboard.local")
        case .otherLayout(let unit, let wanted):
            Diagnosis(
                "KEY-0008", .badData, nil, "the unit uses the layout \(unit), not \(wanted.rawValue); nothing was typed",
                cause: "the unit starts with ch-de, whatever was set before",
                remedy: "set the layout on the unit's web page, or give --layout \(unit) if its host uses that")
        case .notProved(let reason):
            Diagnosis(
                "KEY-0009", .unitFailed, .unit, "the unit did not type what was sent: \(reason)",
                cause: "its USB host is not there or asleep, or another program types on it",
                remedy: "look at the host, wake it and check the USB cable; then run the same command again")
        case .proofSaysNothing:
            Diagnosis(
                "KEY-0010", .unitFailed, nil, "the unit's trace is the same with and without this text, so it proves nothing",
                cause: "it holds the last 20 commands and keys, and they were the same before",
                remedy: "type another text, or restart the unit first")
        case .interrupted(let confirmed, let all):
            Diagnosis(
                "KEY-0011", .interrupted, nil, "interrupted; \(confirmed)\(all.map { " of \($0)" } ?? "") keys are typed for certain",
                cause: "noafw received a signal; the unit still types what it has received, up to \(TypingMachine.mostKeys) keys",
                remedy: "look at the host before you run the command again")
        }
    }
}
