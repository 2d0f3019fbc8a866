import Foundation
import Glibc
import Synchronization

/// A PostgreSQL of a test's own, in a temporary folder, as a user without rights. It ends with the test's process, however that ends.
package final class PostgresCluster: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package init(description: String) { self.description = description }
        package let description: String
    }

    private struct Running {
        let shell: TestProcess
        let input: Pipe
        let server: pid_t
    }

    package let folder: TemporaryFolder
    package let port: Int
    /// The folder of them.
    package let programs: String
    private let listen: [String]
    private let running = Mutex<Running?>(nil)

    package static let installed: String? = {
        if let own = ProcessInfo.processInfo.environment["NOAFW_POSTGRES"] { return own }
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let newest = versions.compactMap(Int.init).filter { $0 >= 15 }.max()
        return newest.map { "/usr/lib/postgresql/\($0)/bin" }
    }()

    package static let mayRun = installed != nil || TestTools.mustAllBeThere

    /// - Parameters:
    ///   - listen: addresses; a folder for a socket is always there.
    ///   - access: more lines of `pg_hba.conf`.
    ///   - tls: the server's own certificate and key, PEM files.
    package init(listen: [String] = ["127.0.0.1"], access: [String] = [], tls: (certificate: String, key: String)? = nil) throws {
        programs = try TestTools.require(Self.installed, "PostgreSQL 15 or later")
        folder = try TemporaryFolder()
        port = try Self.freePort()
        self.listen = listen
        try Self.own(folder.path)
        try run("initdb", ["-D", data, "-U", "postgres", "--auth=trust", "--no-sync", "--no-instructions", "-E", "UTF8", "--no-locale"])
        let rules = ["local all postgres trust", "local all all scram-sha-256", "host all all 127.0.0.1/32 scram-sha-256"] + access
        try folder.write(rules.joined(separator: "\n") + "\n", to: "data/pg_hba.conf")
        if let tls {
            for (file, name) in [(tls.certificate, "server.crt"), (tls.key, "server.key")] {
                try folder.write([UInt8](try Data(contentsOf: URL(fileURLWithPath: file))), to: "data/\(name)")
                try Self.own(folder.path("data/\(name)"))
                chmod(folder.path("data/\(name)"), 0o600)
            }
        }
        let settings = tls == nil ? "" : "ssl = on\n"
        try folder.write(settings + "fsync = off\nmax_connections = 60\nlog_min_messages = warning\n", to: "data/noafw.conf")
        let main = String(decoding: try folder.read("data/postgresql.conf"), as: UTF8.self)
        try folder.write(main + "\ninclude 'noafw.conf'\n", to: "data/postgresql.conf")
        try start()
    }

    deinit { end(SIGQUIT) }

    package var data: String { folder.path("data") }
    package var log: String { (try? folder.read("log")).map { String(decoding: $0, as: UTF8.self) } ?? "" }

    /// Waits until it answers.
    package func start() throws {
        let (input, output) = (Pipe(), Pipe())
        // The server ends when its standard input does: with the tests, whatever ends them.
        let script = """
            exec 3<&0; log=$1; shift
            "$@" </dev/null >>"$log" 2>&1 3<&- & server=$!
            echo $server
            exec >/dev/null
            ( cat <&3 >/dev/null; kill -QUIT $server 2>/dev/null ) & waiter=$!
            wait $server; kill $waiter 2>/dev/null
            """
        let server = Self.unprivileged + [
                "\(programs)/postgres", "-D", data, "-p", "\(port)", "-k", folder.path, "-c",
                "listen_addresses=\(listen.joined(separator: ","))"
        ]
        let process = try TestProcess(
            URL(fileURLWithPath: "/bin/sh"), ["-c", script, "sh", folder.path("log")] + server, input: .pipe(input),
            output: .pipe(output), errors: .nothing)
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let pid = pid_t(line.trimmingCharacters(in: .whitespacesAndNewlines)) else { throw Failure(description: "no server: \(log)") }
        running.withLock { $0 = Running(shell: process, input: input, server: pid) }
        for _ in 0..<300 {
            if (try? sql("SELECT 1")) == "1" { return }
            guard kill(pid, 0) == 0 else { break }
            usleep(100_000)
        }
        throw Failure(description: "PostgreSQL does not start: \(log)")
    }

    /// As a power cut of its machine: nobody is told.
    package func killAtOnce() { end(SIGQUIT) }

    /// By SIGKILL: none of its processes puts anything in order.
    package func killOutright() {
        signalAll(SIGKILL)
        end(SIGKILL)
    }

    private func end(_ signal: Int32) {
        guard let last = running.withLock({ running in defer { running = nil }; return running }) else { return }
        kill(last.server, signal)
        try? last.input.fileHandleForWriting.close()
        last.shell.waitUntilExit()
    }

    /// Stops or continues all its processes: a machine that hangs still acknowledges what it is sent.
    package func signalAll(_ signal: Int32) {
        guard let server = running.withLock({ $0?.server }) else { return }
        kill(server, signal)
        let children = (try? String(contentsOfFile: "/proc/\(server)/task/\(server)/children", encoding: .utf8)) ?? ""
        for child in children.split(separator: " ").compactMap({ pid_t($0) }) { kill(child, signal) }
    }

    /// As its administrator, or as a login over TCP.
    /// - Returns: the rows, cells separated by `|`.
    @discardableResult
    package func sql(_ text: String, database: String = "postgres", login: (name: String, password: String)? = nil) throws -> String {
        let result = try psql(text, database: database, login: login)
        guard result.status == 0 else { throw Failure(description: result.output) }
        return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Waits until a statement gives another answer.
    /// - Throws: ``Failure`` after a minute.
    package func wait(while text: String, is answer: String, database: String = "postgres") async throws {
        let end = ContinuousClock.now.advanced(by: .seconds(60))
        while try sql(text, database: database) == answer {
            guard ContinuousClock.now < end else { throw Failure(description: "for a minute \(answer) is the answer to \(text)") }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    package func psql(
        _ text: String, database: String = "postgres", login: (name: String, password: String)? = nil
    ) throws -> (status: Int32, output: String) {
        let host = login == nil ? folder.path : "127.0.0.1"
        let file = try folder.write(text, to: "sql-\(UUID().uuidString).sql")
        defer { unlink(file) }
        return try runProgram(
            "\(programs)/psql",
            [
                "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", host, "-p", "\(port)", "-U", login?.name ?? "postgres", "-d",
                database, "-f", file
            ],
            environment: ["PGPASSWORD": login?.password ?? "", "PGCONNECT_TIMEOUT": "5", "LC_ALL": "C"])
    }

    private func run(_ program: String, _ arguments: [String]) throws {
        let command = Self.unprivileged + ["\(programs)/\(program)"] + arguments
        let result = try runProgram("/usr/bin/env", command, folder: "/")
        guard result.status == 0 else { throw Failure(description: result.output) }
    }

    /// PostgreSQL refuses to run as root.
    private static let unprivileged: [String] = {
        guard getuid() == 0, let user = getpwnam("postgres") ?? getpwnam("nobody") else { return [] }
        return ["/usr/bin/setpriv", "--reuid=\(user.pointee.pw_uid)", "--regid=\(user.pointee.pw_gid)", "--clear-groups"]
    }()

    private static func own(_ path: String) throws {
        guard getuid() == 0, let user = getpwnam("postgres") ?? getpwnam("nobody") else { return }
        guard chown(path, user.pointee.pw_uid, user.pointee.pw_gid) == 0 else { throw Failure(description: "chown \(path)") }
    }

    package static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw Failure(description: "no free port") }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
