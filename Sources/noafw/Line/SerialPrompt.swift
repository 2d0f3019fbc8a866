import Provisioning
import Support

/// Asks for the serial number of each unit before it is worked on: what is scanned, and when, decides what it means. Nothing that is
/// scanned confirms anything.
struct SerialPrompt: Sendable {
    enum State: Sendable, Hashable {
        /// The next scan is a serial number.
        case asking
        /// The next unit's is known.
        case held(String)
        /// A unit is being worked on: scans are not for the next one.
        case busy(String)
    }

    enum Answer: Sendable, Hashable {
        case accepted(String)
        case refused(SerialRefusal)
    }

    private(set) var state = State.asking
    private let pattern: TextPattern?
    /// The number of a unit that passed: another one does not get it.
    private var last: String?

    /// - Parameter pattern: what a whole number has to match.
    init(pattern: TextPattern? = nil) { self.pattern = pattern }

    mutating func take(_ line: ScannerInput.Line) -> Answer {
        if case .busy = state { return .refused(.busy) }
        // A second scan before the unit takes the place of the first.
        switch check(line) {
        case .success(let serial):
            state = .held(serial)
            return .accepted(serial)
        case .failure(let refusal):
            return .refused(refusal)
        }
    }

    private func check(_ line: ScannerInput.Line) -> Result<String, SerialRefusal> {
        switch line {
        case .tooLong: return .failure(.tooLong)
        case .notText: return .failure(.notText)
        case .text(""): return .failure(.empty)
        case .text(let serial):
            guard serial.unicodeScalars.count <= SerialRefusal.limit else { return .failure(.tooLong) }
            if let pattern, !pattern.isFound(in: serial) { return .failure(.otherForm(serial)) }
            return serial == last ? .failure(.previous(serial)) : .success(serial)
        }
    }

    /// The unit that the held number is for is worked on from now.
    mutating func begin() {
        if case .held(let serial) = state { state = .busy(serial) }
    }

    mutating func end(passed: Bool) {
        guard case .busy(let serial) = state else { return }
        last = passed ? serial : last
        state = .asking
    }

    /// The held number is not this unit's.
    mutating func drop() { state = .asking }
}

extension SerialPrompt.Answer {
    var place: PlaceEvent {
        switch self {
        case .accepted(let serial): .accepted(serial: serial)
        case .refused(let refusal): .refused(refusal.diagnosis)
        }
    }
}

/// Why a scan is no serial number.
enum SerialRefusal: Error, Sendable, Hashable {
    /// In characters; as much as a record takes.
    static let limit = 200

    case empty
    case tooLong
    case notText
    case otherForm(String)
    case previous(String)
    case bound(String, address: String)
    case busy
}

extension SerialRefusal: DiagnosableError {
    var diagnosis: Diagnosis {
        switch self {
        case .empty:
            Self.refusal("NOA-0051", "nothing was scanned", "Enter was pressed alone, or the code is empty", "scan the serial number")
        case .tooLong:
            Self.refusal(
                "NOA-0052", "the scan is longer than \(Self.limit) characters", "it is another code, or two codes were read as one",
                "scan the serial number alone")
        case .notText:
            Self.refusal(
                "NOA-0053", "the scan is not UTF-8 text", "the scanner's character set is another one",
                "set the scanner to UTF-8 or ASCII, and scan again")
        case .otherForm(let serial):
            Self.refusal(
                "NOA-0054", "\(serial) does not have the form of a serial number (--serial-pattern)",
                "another code of the label was scanned, or the scanner's keyboard layout is another one", "scan the serial number")
        case .previous(let serial):
            Self.refusal(
                "NOA-0055", "\(serial) is the number of the unit before, which passed", "the code was scanned twice",
                "scan the number of the unit that lies here")
        case .bound(let serial, let address):
            Self.refusal(
                "NOA-0056", "\(serial) belongs to the unit \(address)", "the ledger has a run of that unit with this number",
                "check the label; scan the number of the unit that lies here")
        case .busy:
            Self.refusal(
                "NOA-0057", "the scan was ignored", "a unit is being worked on, and scans are not kept for the next one",
                "scan the number once the verdict is there")
        }
    }

    private static func refusal(_ code: String, _ message: String, _ cause: String, _ remedy: String) -> Diagnosis {
        Diagnosis(code, .usage, nil, message, cause: cause, remedy: remedy)
    }
}
