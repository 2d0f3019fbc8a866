import Glibc
import Ledger
import Support
import TestSupport
import Testing

@testable import LedgerServer

/// A server on another machine: here by another name.
@Suite(.enabled(if: PostgresCluster.mayRun && TestTools.mayRunOpenSSL, "PostgreSQL or openssl is not installed: run Tools/setup tests"))
struct TLSTests {
    /// One server for all of them.
    private struct Place {
        let folder: TemporaryFolder
        let authority: TestAuthority
        let bench: Bench
        let passfile: String

        init() throws {
            folder = try TemporaryFolder()
            authority = try TestAuthority(for: ["DNS:ledger.test"], in: folder)
            bench = try Bench(try PostgresCluster(tls: (authority.certificate, authority.key)), stations: 1)
            passfile = try folder.write("*:*:*:*:\(Bench.password)\n", to: "passfile")
            chmod(passfile, 0o600)
        }
    }

    private static let place = Result { try Place() }
    private let authority: TestAuthority
    private let bench: Bench
    private let passfile: String

    init() throws {
        let place = try Self.place.get()
        (authority, bench, passfile) = (place.authority, place.bench, place.passfile)
    }

    private func ask(host: String, root: String, _ bench: Bench? = nil) async throws -> String? {
        let bench = bench ?? self.bench
        let text =
            "postgresql://\(host):\(bench.cluster.port)/\(bench.database)?hostaddr=127.0.0.1&sslrootcert=\(root)&passfile=\(passfile)"
        let address = try ServerAddress(text, station: bench.station, environment: ["HOME": "/nonexistent"])
        return try await ServerLane(address).ask(within: .seconds(8)) { connection, deadline throws(ServerFault) in
            let sql = "SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
            return try connection.execute(sql, until: deadline).rows.first?.first ?? nil
        }
    }

    @Test func theServerProvesItself() async throws {
        #expect(try await ask(host: "ledger.test", root: authority.authority) == "TLSv1.3")
    }

    @Test func anotherNameIsRefused() async throws {
        let fault = await #expect(throws: ServerFault.self) { try await ask(host: "other.test", root: authority.authority) }
        #expect(fault?.reason.contains("does not match host name") == true, "\(fault as Any)")
        #expect(fault?.error.diagnosis.category == .tryAgain)
    }

    @Test func anotherAuthorityIsRefused() async throws {
        let folder = try TemporaryFolder()
        let other = try TestAuthority(for: ["DNS:ledger.test"], in: folder)
        let fault = await #expect(throws: ServerFault.self) { try await ask(host: "ledger.test", root: other.authority) }
        withExtendedLifetime(folder) {}
        #expect(fault?.reason.contains("certificate verify failed") == true, "\(fault as Any)")
    }

    @Test func anExpiredCertificateIsRefused() async throws {
        let folder = try TemporaryFolder()
        let expired = try TestAuthority(for: ["DNS:ledger.test"], days: 0, in: folder)
        let bench = try Bench(try PostgresCluster(tls: (expired.certificate, expired.key)), stations: 1)
        try await Task.sleep(for: .seconds(1))
        let fault = await #expect(throws: ServerFault.self) { try await ask(host: "ledger.test", root: expired.authority, bench) }
        #expect(fault?.reason.contains("certificate") == true && fault?.kind == .passing, "\(fault as Any)")
        withExtendedLifetime(folder) {}
    }

    @Test func aMissingAuthorityIsRefused() async throws {
        await #expect(throws: ServerError.certificate(path: "/nowhere.crt")) { try await ask(host: "ledger.test", root: "/nowhere.crt") }
    }

    /// It offers no TLS at all: nothing is sent to it.
    @Test func aServerWithoutTLSIsRefused() async throws {
        let plain = try Bench(stations: 1)
        let text =
            "postgresql://ledger.test:\(plain.cluster.port)/\(plain.database)?hostaddr=127.0.0.1&sslrootcert=\(authority.authority)&passfile=\(passfile)"
        let lane = ServerLane(try ServerAddress(text, station: plain.station, environment: ["HOME": "/nonexistent"]))
        let fault = await #expect(throws: ServerFault.self) { try await lane.ask(within: .seconds(8)) { _, _ throws(ServerFault) in } }
        #expect(fault?.reason.contains("does not support SSL") == true, "\(fault as Any)")
    }
}
