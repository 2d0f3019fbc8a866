import Ledger
import Support

/// Why there is no result. Reasons are printable and contain no password.
enum ServerFault: Error, Sendable, Hashable {
    /// No answer came, or libpq itself gave up.
    case lost(String)
    /// - Parameter state: SQLSTATE (PostgreSQL, appendix A).
    case answered(state: String, reason: String)
    /// Longer than ``ServerWire/answerLimit``.
    case tooLong
    case login(String)
    /// The server asked for the password, which was not sent.
    case clearText
    case schema(found: Int?)

    enum Kind: Hashable {
        /// A retry may help.
        case passing
        case row
        /// The server's tables, rights or logins are wrong.
        case setUp
    }

    var endsConnection: Bool {
        switch self {
        case .lost, .tooLong, .clearText: true
        case .answered, .login, .schema: false
        }
    }

    var kind: Kind {
        switch self {
        case .lost: .passing
        case .tooLong, .login, .clearText, .schema: .setUp
        case .answered(let state, _): Self.kind(of: state)
        }
    }

    private static func kind(of state: String) -> Kind {
        // No such database, right, schema, table, column or function: not a row's fault.
        if ["3D000", "42501", "3F000", "42P01", "42703", "42883"].contains(state) { return .setUp }
        return ["22", "23", "42", "P0"].contains(state.prefix(2)) ? .row : .passing
    }

    var reason: String {
        switch self {
        case .lost(let reason), .login(let reason): reason
        case .answered(let state, let reason): "\(reason) (\(state))"
        case .schema, .tooLong, .clearText: error.diagnosis.message
        }
    }

    var error: ServerError {
        switch self {
        case .lost: .unreachable(reason: reason)
        case .tooLong: .tooLong(limit: ServerWire.answerLimit)
        case .login(let reason): .loginRefused(reason: reason)
        case .clearText: .clearText
        case .schema(let found): .schema(found: found, known: ServerSchema.version)
        case .answered(let state, let text): needsAdministrator(state) ? .refused(state: state, reason: text) : .unreachable(reason: reason)
        }
    }

    /// What to do on the server; `nil` while it cannot be reached.
    var remedy: String? {
        if case .answered(let state, _) = self, !needsAdministrator(state) {
            return
                "the server answers, but is too busy: run the same command again; if that fails, show the message to its administrator"
        }
        let diagnosis = error.diagnosis
        return diagnosis.category == .tryAgain ? nil : diagnosis.remedy
    }

    /// Whether waiting is useless: a wrong set-up or row, a server that is read-only, full or faulty.
    private func needsAdministrator(_ state: String) -> Bool {
        kind != .passing || ["25", "58", "XX"].contains(state.prefix(2)) || ["53100", "53200"].contains(state)
    }
}
