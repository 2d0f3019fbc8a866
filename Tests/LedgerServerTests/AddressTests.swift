import Foundation
import Glibc
import Support
import TestSupport
import Testing

@testable import LedgerServer

/// What an address may say, and what is made of it.
@Suite struct AddressTests {
    let folder: TemporaryFolder
    private let root: String

    init() throws {
        folder = try TemporaryFolder()
        root = try folder.write("certificate", to: "root.crt")
    }

    private func settings(_ text: String, _ environment: [String: String] = [:]) throws(ServerError) -> [String: String] {
        try ServerAddress(text, station: "line-1", environment: ["HOME": folder.path].merging(environment) { $1 }).settings
    }

    private func code(_ text: String, _ environment: [String: String] = [:]) -> String {
        do {
            _ = try settings(text, environment)
            return "none"
        } catch {
            return error.diagnosis.code
        }
    }

    @Test func theLoginIsTheStation() throws {
        #expect(try settings("postgresql:///noafw")["user"] == "line-1")
        #expect(try settings("postgresql://line-1@localhost/noafw")["user"] == "line-1")
        #expect(throws: ServerError.login(login: "other", station: "line-1")) { try settings("postgresql://other@localhost/noafw") }
        #expect(throws: ServerError.login(login: "other", station: "line-1")) { try settings("postgresql:///noafw", ["PGUSER": "other"]) }
    }

    @Test(arguments: [
        "postgresql://line-1:pw@localhost/x", "postgresql://localhost/x?password=pw", "postgres://localhost/x?sslpassword=pw",
    ])
    func aPasswordIsRefusedAndNotRepeated(text: String) {
        let error = #expect(throws: ServerError.self) { try settings(text) }
        #expect(error == .passwordInAddress && error?.diagnosis.message.contains("pw") == false)
    }

    /// PostgreSQL would cut a long one, and the record has no other than printable ones: the server would refuse its runs.
    @Test(arguments: [
        String(repeating: "x", count: 64), String(repeating: "é", count: 32), "a\nb", "a\u{0}b", "a\u{1B}[2J", " a", "", "a\u{202E}b"
    ])
    func aStationsNameIsALogins(name: String) {
        let error = #expect(throws: ServerError.self) { try ServerAddress("postgresql:///noafw", station: name, environment: [:]) }
        #expect(error?.diagnosis.code == "LED-0117")
    }

    @Test func theLongestLoginIsAStations() throws {
        let name = String(repeating: "x", count: 63)
        #expect(try ServerAddress("postgresql:///noafw", station: name, environment: [:]).settings["user"] == name)
    }

    @Test func otherTextsAreRefused() {
        #expect(code("mysql://localhost/x") == "LED-0110" && code("host=localhost") == "LED-0110" && code("") == "LED-0110")
        #expect(
            code("postgresql://localhost/x?options=-csearch_path%3Dx") == "LED-0110"
                && code("postgresql://localhost/x?nonsense=1") == "LED-0110")
        #expect(code("postgresql://[::1/x") == "LED-0110")
    }

    /// libpq's own words quote what it cannot read.
    @Test(arguments: [
        "postgresql://line-1:S3cretPw%zz@127.0.0.1/noafw", "postgresql://line-1:S3cretPw @[::1/noafw", "postgresql://h/noafw?S3cretPw=1",
        "postgresql://h/noafw?S3cretPw", "postgresql://line-1:S3cretPw@h:port/noafw", "S3cretPw",
        "postgresql://u:S3cretPw@h:bad port/x?nonsense"
    ])
    func noPartOfAnAddressIsRepeated(text: String) {
        let error = #expect(throws: ServerError.self) { try ServerAddress(text, station: "line-1", environment: [:]) }
        let diagnosis = error.map { "\($0.diagnosis)" } ?? ""
        #expect(!diagnosis.contains("S3cret"), "\(diagnosis)")
    }

    @Test func anotherMachineHasToProveItself() throws {
        let proved = try settings("postgresql://db.example.com/noafw?sslrootcert=\(root)")
        #expect(proved["sslmode"] == "verify-full" && proved["sslrootcert"] == root && proved["gssencmode"] == "disable")
        for mode in ["disable", "allow", "prefer", "require", "verify-ca"] {
            #expect(code("postgresql://db.example.com/noafw?sslrootcert=\(root)&sslmode=\(mode)") == "LED-0112")
            #expect(code("postgresql://db.example.com/noafw?sslrootcert=\(root)", ["PGSSLMODE": mode]) == "LED-0112")
        }
        #expect(code("postgresql://db.example.com/noafw") == "LED-0116")
        #expect(code("postgresql://db.example.com/noafw?sslrootcert=/nowhere.crt") == "LED-0116")
        #expect(try settings("postgresql://db.example.com/noafw", ["PGSSLROOTCERT": root])["sslrootcert"] == root)
        try folder.write("certificate", to: ".postgresql/root.crt")
        #expect(try settings("postgresql://db.example.com/noafw")["sslrootcert"]?.hasSuffix("/.postgresql/root.crt") == true)
    }

    /// One host of several is enough.
    @Test(arguments: [
        "postgresql://localhost,db.example.com/x", "postgresql://localhost/x?hostaddr=192.0.2.1", "postgresql://127.0.0.1.example.com/x",
        "postgresql://%2Fsocket,192.0.2.1/x", "postgresql://[2001:db8::1]/x", "postgresql://128.0.0.1/x",
        "postgresql://localhost.example.com/x"
    ])
    func onlyThisMachineNeedsNoProof(text: String) { #expect(code(text) == "LED-0116") }

    @Test(arguments: [
        "postgresql:///x", "postgresql://localhost/x", "postgresql://127.0.0.1,127.255.0.1/x", "postgresql://[::1]/x",
        "postgresql://%2Fvar%2Frun/x"
    ])
    func thisMachineNeedsNone(text: String) throws {
        #expect(try settings(text)["sslmode"] == nil)
        #expect(code(text, ["PGHOST": "db.example.com"]) == (text == "postgresql:///x" ? "LED-0116" : "none"))
    }

    @Test func aServiceFileIsHeldToTheSame() throws {
        let file = """
            # ours
            [other]
            host=localhost
            password=pw
            [noafw]
             host=db.example.com
            dbname=ledger
            sslrootcert=\(root)
            [weak]
            host=db.example.com
            sslmode=require
            """
        try folder.write(file, to: ".pg_service.conf")
        let service = try settings("service=noafw")
        #expect(
            service["host"] == "db.example.com" && service["dbname"] == "ledger" && service["sslmode"] == "verify-full"
                && service["service"] == nil)
        #expect(code("service=other") == "LED-0111" && code("service=weak") == "LED-0112" && code("service=missing") == "LED-0113")
        #expect(try settings("postgresql://localhost/y", ["PGSERVICE": "noafw"])["dbname"] == "y")
        #expect(code("service=noafw", ["PGSERVICEFILE": "/nowhere"]) == "LED-0113")
    }

    /// Without its sign a setting would be left out in silence: another server, or one that need not prove itself.
    @Test(arguments: ["host db.example.com", "sslmode", "=x", "include common"]) func aLineWithoutASettingIsRefused(line: String) throws {
        let path = try folder.write("# ours\n\n[other]\nnonsense\n[noafw]\r\ndbname=ledger\r\n\r\n\(line)\n", to: ".pg_service.conf")
        #expect(throws: ServerError.service(name: "noafw", reason: "line 8 of \(path) is not NAME=VALUE")) { try settings("service=noafw") }
        #expect(code("service=missing") == "LED-0113", "another service's lines are not looked at")
    }

    @Test func ofASettingThatStandsThereTwiceTheFirstCounts() throws {
        try folder.write("[noafw]\nhost=localhost\nhost=127.0.0.1\n", to: ".pg_service.conf")
        #expect(try settings("service=noafw")["host"] == "localhost")
    }

    @Test func aPasswordFileThatOthersReadIsSaidInWords() throws {
        let file = try folder.write("*:*:*:*:pw\n", to: ".pgpass")
        chmod(file, 0o644)
        #expect(throws: ServerError.passfile(path: file, mode: "0644")) { try settings("postgresql:///x") }
        chmod(file, 0o600)
        #expect(code("postgresql:///x") == "none")
        let named = try folder.write("*:*:*:*:pw\n", to: "named")
        chmod(named, 0o640)
        #expect(code("postgresql:///x?passfile=\(named)") == "LED-0114" && code("postgresql:///x", ["PGPASSFILE": named]) == "LED-0114")
        #expect(code("postgresql:///x", ["PGPASSFILE": named, "PGPASSWORD": "pw"]) == "none")
    }

    @Test func passwordsAreTakenOutOfMessages() {
        #expect(Redaction.line("a password=pw b") == "a password=*** b")
        #expect(Redaction.line("a PASSWORD = 'p w\\' x' b&c") == "a PASSWORD = *** b&c")
        #expect(Redaction.line("at postgresql://line:p@ss@host/x") == "at postgresql://line:***@host/x")
        for piece in ["s3cret-word", "s3cret-wor", "3cret-word"] {
            #expect(Redaction.line("no: \(piece).", hiding: "s3cret-word") == "no: ***.")
        }
        #expect(Redaction.line("no: word", hiding: "word") == "no: ***" && Redaction.line("no: wor", hiding: "") == "no: wor")
        #expect(Redaction.line("two\n\tlines\u{1B}[31m") == "two lines\u{FFFD}[31m")
    }
}
