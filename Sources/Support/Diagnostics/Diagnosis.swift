/// An error with an explanation.
public protocol DiagnosableError: Error {
    /// What happened, the likely cause and the next action, with a stable code.
    var diagnosis: Diagnosis { get }
    /// `nil` when asking again does not help. By default that applies to errors in the tool's input; a new link may help with
    /// the others.
    var obstacle: Obstacle? { get }
}

extension DiagnosableError {
    public var obstacle: Obstacle? {
        switch diagnosis.category {
        case .usage, .badData, .missingInput, .permission, .interrupted: nil
        case .unitFailed, .unavailable, .inputOutput, .tryAgain: .link
        }
    }
}

/// An error in an operator's terms: what happened, the likely cause, the next action.
public struct Diagnosis: Sendable, Hashable {
    /// Where the cause lies.
    public enum Fault: String, Sendable {
        /// In the unit, in this machine, or on the air between them.
        case unit, station, radio
    }

    /// The error's class; the raw value is the exit code (sysexits).
    public enum Category: Int32, Sendable {
        /// The unit did not become, or is not, what it should be.
        case unitFailed = 1
        /// The call is wrong.
        case usage = 64
        /// An input is damaged or not what it should be.
        case badData = 65
        /// An input is not there.
        case missingInput = 66
        /// Something that is needed is missing on this machine.
        case unavailable = 69
        /// Reading or writing failed.
        case inputOutput = 74
        /// The same may succeed later.
        case tryAgain = 75
        /// This user may not.
        case permission = 77
        /// By a person or a signal.
        case interrupted = 130
    }

    /// A stable code such as `DFU-0B05`: a module's prefix and four characters.
    public var code: String
    /// Decides the exit code.
    public var category: Category
    /// `nil` when the tool's input (package, option) is at fault.
    public var fault: Fault?
    /// One sentence without a full stop. May contain device text: escape it before a terminal shows it.
    public var message: String
    /// The likely one, in words that follow a colon.
    public var cause: String
    /// What to do next, in words that follow a colon.
    public var remedy: String

    /// One row in a module's error table.
    public init(_ code: String, _ category: Category, _ fault: Fault?, _ message: String, cause: String, remedy: String) {
        (self.code, self.category, self.fault) = (code, category, fault)
        (self.message, self.cause, self.remedy) = (message, cause, remedy)
    }
}
