import CPQ
import Foundation
import Ledger
import Support

/// Where the ledger's server is, as libpq's settings: from the address, a service file and the environment, in this order.
///
/// Passwords come only from a password file or the environment. A server on another machine must prove its identity.
struct ServerAddress: Sendable, Hashable {
    private(set) var settings: [String: String]

    /// Each permitted setting and libpq's variable for it.
    private static let variables = [
        "host": "PGHOST", "hostaddr": "PGHOSTADDR", "port": "PGPORT", "dbname": "PGDATABASE", "user": "PGUSER", "sslmode": "PGSSLMODE",
        "sslrootcert": "PGSSLROOTCERT", "sslcert": "PGSSLCERT", "sslkey": "PGSSLKEY", "sslcrl": "PGSSLCRL", "passfile": "PGPASSFILE",
        "target_session_attrs": "PGTARGETSESSIONATTRS", "channel_binding": "PGCHANNELBINDING",
        "ssl_min_protocol_version": "PGSSLMINPROTOCOLVERSION", "connect_timeout": "PGCONNECT_TIMEOUT",
    ]

    /// In bytes: PostgreSQL's NAMEDATALEN without the NUL; it cuts longer names.
    private static let loginLimit = 63

    /// - Parameters:
    ///   - text: `postgresql://…` or `service=NAME`.
    ///   - station: the login, if none is named.
    init(_ text: String, station: String, environment: [String: String]) throws(ServerError) {
        var settings = try Self.gathered(text, environment)
        settings["connect_timeout"] = nil
        try Self.check(station)
        self.settings = settings
        let login = settings["user"] ?? station
        guard login == station else { throw .login(login: login, station: station) }
        self.settings["user"] = login
        try secure(environment)
        try checkPassfile(environment)
        // Kerberos' encryption would replace TLS and its check of the server's name.
        self.settings["gssencmode"] = "disable"
        self.settings["client_encoding"] = "UTF8"
        // Overrides PGOPTIONS: a session gets its login's settings.
        self.settings["options"] = " "
        self.settings["application_name"] = "noafw"
    }

    private static func gathered(_ text: String, _ environment: [String: String]) throws(ServerError) -> [String: String] {
        var settings = try parsed(text)
        if let service = settings.removeValue(forKey: "service") ?? environment["PGSERVICE"] {
            let section = try ServiceFile.settings(of: service, environment: environment)
            settings.merge(try allowed(section)) { own, _ in own }
        }
        for (name, variable) in variables where settings[name] == nil { settings[name] = environment[variable] }
        return settings
    }

    /// The files that libpq reads: the settings' files, or its own defaults.
    static func files(_ text: String, environment: [String: String]) -> [String] {
        let settings = (try? gathered(text, environment)) ?? [:]
        let usual = ["sslrootcert": "root.crt", "sslcert": "postgresql.crt", "sslkey": "postgresql.key", "sslcrl": "root.crl"]
        let home = environment["HOME"]
        return usual.compactMap { name, file in settings[name] ?? home.map { "\($0)/.postgresql/\(file)" } }
            + [settings["passfile"] ?? home.map { "\($0)/.pgpass" }].compactMap(\.self) + ServiceFile.places(environment)
    }

    /// The station's name is its login's, and printable.
    private static func check(_ station: String) throws(ServerError) {
        guard station.utf8.count <= loginLimit else {
            throw .stationName(reason: "it has \(station.utf8.count) bytes, more than \(loginLimit)")
        }
        guard !station.isEmpty, RecordText.line(station) == station else {
            throw .stationName(reason: "it is empty, or not all of it is printable")
        }
    }

    private static func list(_ text: String) -> [String] { text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }

    private static func parsed(_ text: String) throws(ServerError) -> [String: String] {
        guard ["postgresql://", "postgres://", "service="].contains(where: text.hasPrefix) else {
            throw .address(reason: "it begins with neither postgresql:// nor service=")
        }
        let pq = try LibPQ.loaded.get()
        guard let options = pq.PQconninfoParse(text, nil) else {
            // libpq's words may quote part of a password.
            throw .address(
                reason: "it cannot be read: its form is postgresql://[LOGIN@]HOST[:PORT]/DATABASE[?NAME=VALUE&…], a % is written %25")
        }
        defer { pq.PQconninfoFree(options) }
        var settings: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { settings[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        let service = settings.removeValue(forKey: "service")
        settings = try allowed(settings)
        settings["service"] = service
        return settings
    }

    private static func allowed(_ settings: [String: String]) throws(ServerError) -> [String: String] {
        if settings["password"] != nil || settings["sslpassword"] != nil { throw .passwordInAddress }
        if let stranger = settings.keys.sorted().first(where: { variables[$0] == nil }) {
            throw .address(reason: "the setting \(Redaction.line(stranger)) is not known here")
        }
        return settings
    }
}

// MARK: - Security

extension ServerAddress {
    var isLocal: Bool {
        let hosts = ["host", "hostaddr"].flatMap { settings[$0].map(Self.list) ?? [] }
        return hosts.allSatisfy(Self.isLoopback)
    }

    static func isLoopback(_ host: String) -> Bool {
        if host.isEmpty || host.hasPrefix("/") || host.lowercased() == "localhost" { return true }
        var four = in_addr()
        if inet_pton(AF_INET, host, &four) == 1 { return UInt32(bigEndian: four.s_addr) >> 24 == 127 }
        var six = in6_addr()
        guard inet_pton(AF_INET6, host, &six) == 1 else { return false }
        return withUnsafeBytes(of: six) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
    }

    private mutating func secure(_ environment: [String: String]) throws(ServerError) {
        guard !isLocal else { return }
        if let mode = settings["sslmode"], mode != "verify-full" { throw .unsecured(setting: "sslmode=\(Redaction.line(mode))") }
        settings["sslmode"] = "verify-full"
        let root = settings["sslrootcert"] ?? environment["HOME"].map { "\($0)/.postgresql/root.crt" } ?? "root.crt"
        guard FileManager.default.isReadableFile(atPath: root) else { throw .certificate(path: root) }
        settings["sslrootcert"] = root
    }

    /// libpq would skip a file that others can read, and report it only on standard error.
    private func checkPassfile(_ environment: [String: String]) throws(ServerError) {
        guard environment["PGPASSWORD"] == nil, let path = settings["passfile"] ?? environment["HOME"].map({ "\($0)/.pgpass" }) else {
            return
        }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 else { return }
        throw .passfile(path: path, mode: "0" + String(status.st_mode & 0o777, radix: 8))
    }
}
