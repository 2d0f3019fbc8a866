/// An error with an explanation.
public protocol DiagnosableError: Error {
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
    public enum Fault: String, Sendable { case unit, station, radio }

    /// The error's class; the raw value is the exit code (sysexits).
    public enum Category: Int32, Sendable {
        case unitFailed = 1
        case usage = 64
        case badData = 65
        case missingInput = 66
        case unavailable = 69
        case inputOutput = 74
        case tryAgain = 75
        case permission = 77
        case interrupted = 130
    }

    /// A stable code such as `DFU-0B05`: a module's prefix and four characters.
    public var code: String
    public var category: Category
    /// `nil` when the tool's input (package, option) is at fault.
    public var fault: Fault?
    /// One sentence without a full stop. May contain device text: escape it before a terminal shows it.
    public var message: String
    public var cause: String
    public var remedy: String

    /// One row in a module's error table.
    public init(_ code: String, _ category: Category, _ fault: Fault?, _ message: String, cause: String, remedy: String) {
        (self.code, self.category, self.fault) = (code, category, fault)
        (self.message, self.cause, self.remedy) = (message, cause, remedy)
    }
}
