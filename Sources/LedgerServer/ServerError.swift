import Ledger
import Support

/// Why the ledger's server is not used.
public enum ServerError: Error, Sendable, Hashable {
    case address(reason: String)
    case passwordInAddress
    case unsecured(setting: String)
    case service(name: String, reason: String)
    case passfile(path: String, mode: String)
    case login(login: String, station: String)
    case certificate(path: String)
    case stationName(reason: String)
    case unreachable(reason: String)
    case loginRefused(reason: String)
    case clearText
    case schema(found: Int?, known: Int)
    case refused(state: String, reason: String)
    case tooLong(limit: Int)
    case library(reason: String)
}

extension ServerError: DiagnosableError {
    public var diagnosis: Diagnosis {
        switch self {
        case .address(let reason):
            Diagnosis(
                "LED-0110", .usage, nil, "--ledger is not a server's address: \(reason)", cause: "it has another form",
                remedy: "use postgresql://HOST/DATABASE or service=NAME")
        case .passwordInAddress:
            Diagnosis(
                "LED-0111", .usage, nil, "--ledger and the service file must not contain a password",
                cause: "every user of this machine can read the arguments of a command",
                remedy: "put the password into the file ~/.pgpass with mode 0600, and change it if others could read it")
        case .unsecured(let setting):
            Diagnosis(
                "LED-0112", .usage, nil, "a server on another machine needs sslmode=verify-full; this says \(setting)",
                cause: "without it another server could pose as this one",
                remedy: "leave sslmode out, and name the certificate of the server's authority with sslrootcert=FILE")
        case .service(let name, let reason):
            Diagnosis(
                "LED-0113", .usage, .station, "the service \(name) cannot be used: \(reason)",
                cause: "the service file is at another place, or the name is misspelt",
                remedy: "check ~/.pg_service.conf, or name the file with PGSERVICEFILE")
        case .passfile(let path, let mode):
            Diagnosis(
                "LED-0114", .permission, .station, "others may read the password file \(path): its mode is \(mode)",
                cause: "it was made with the usual rights", remedy: "change the password if others could read it; then: chmod 0600 \(path)")
        case .login(let login, let station):
            Diagnosis(
                "LED-0115", .usage, .station, "the login \(login) is not the one of station \(station)",
                cause: "the server accepts a station's runs only under the station's own name",
                remedy: "leave the user out of --ledger, or give the station its login's name")
        case .stationName(let reason):
            Diagnosis(
                "LED-0117", .usage, .station, "a station of this name cannot have a login on the server: \(reason)",
                cause: "on the server a station's name is its login", remedy: "give another name with --station or NOAFW_STATION")
        case .certificate(let path):
            Diagnosis(
                "LED-0116", .missingInput, .station, "the certificate of the server's authority is not there: \(path)",
                cause: "sslrootcert is not set, or the file was moved",
                remedy: "copy the file from the server's administrator, and name it with sslrootcert=FILE")
        case .unreachable(let reason):
            Diagnosis(
                "LED-0120", .tryAgain, .station, "the ledger's server cannot be reached: \(reason)",
                cause: "the server is stopped or busy, its certificate does not fit, or the network is cut",
                remedy: "check the network and the server; runs are kept on this station and sent later")
        case .loginRefused(let reason):
            Diagnosis(
                "LED-0121", .permission, .station, "the ledger's server refuses this station: \(reason)",
                cause: "the station has no login there, or its password was changed",
                remedy: "check ~/.pgpass and the station's login on the server")
        case .clearText:
            Diagnosis(
                "LED-0118", .permission, .station,
                "the ledger's server asks for the password in clear text over a connection that is not encrypted: it was not sent",
                cause: "another program listens there, or the server's pg_hba.conf says password",
                remedy: "check who listens there; let the server's administrator write scram-sha-256 in pg_hba.conf")
        case .schema(let found, let known):
            Diagnosis(
                "LED-0122", .badData, .station,
                "the server's tables have form \(found.map(String.init) ?? "none"); this noafw needs form \(known)",
                cause: "the server was set up for another version of noafw, or not at all", remedy: Self.schemaRemedy(found, known))
        case .refused(let state, let reason):
            Diagnosis(
                "LED-0123", .unavailable, .station, "the ledger's server answered with error \(state): \(reason)",
                cause: "the server's tables or rights were changed by hand, or it is read-only or its disk is full",
                remedy: "show the message to the server's administrator; runs are kept on this station and sent later")
        case .tooLong(let limit):
            Diagnosis(
                "LED-0124", .unavailable, .station, "the ledger's server answered with more than \(limit) bytes",
                cause: "it is not a ledger of noafw, or its tables or functions were changed by hand",
                remedy:
                    "check --ledger, and let the server's administrator look at the schema noafw; runs are kept on this station and "
                        + "sent later"
            )
        case .library(let reason):
            Diagnosis(
                "LED-0125", .unavailable, .station, "PostgreSQL's library cannot be loaded: \(reason)",
                cause: "libpq is not installed; noafw needs it for --ledger alone", remedy: "install it, on Debian: apt install libpq5")
        }
    }

    /// The schema is made only once: it changes nothing that exists.
    private static func schemaRemedy(_ found: Int?, _ known: Int) -> String {
        switch found {
        case nil: "let the server's administrator run the output of: noafw ledger schema --sql"
        case let found? where found > known: "install a newer noafw on this station; runs are kept on it and sent later"
        default:
            "let the server's administrator set up a database of form \(known) with noafw ledger schema --sql, and name it with --ledger"
        }
    }
}
