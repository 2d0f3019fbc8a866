import Foundation
import Glibc
import Ledger
import Support
import Synchronization
import TestSupport
import Testing

@testable import LedgerServer

/// A broken or hostile server ends in a fault, in time, and fills no memory.
@Suite(.serialized) struct HostileServerTests {
    private static let password = "s3cret-word"

    private func lane(_ server: FakePostgres, _ more: String = "") throws -> ServerLane {
        let text = "postgresql://127.0.0.1:\(server.port)/noafw?\(more)"
        return ServerLane(try ServerAddress(text, station: "line-1", environment: ["HOME": "/nonexistent"]))
    }

    private func ask(_ lane: ServerLane, within limit: Duration = .seconds(8)) async -> Result<PQRows, ServerFault> {
        do {
            return .success(
                try await lane.ask(within: limit) { connection, deadline throws(ServerFault) in
                    try connection.execute("SELECT 1", until: deadline)
                })
        } catch {
            return .failure(error)
        }
    }

    private static func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }

    /// What comes in place of a short answer: of one message or of many, it ends at the limit.
    @Test(arguments: ["a row", "rows", "settings", "notices", "results", "a message"])
    func anEndlessAnswerIsBounded(kind: String) async throws {
        let sent = Mutex(0)
        let server = try FakePostgres { session in
            session.greet()
            _ = session.readToSync()
            session.send(FakePostgres.head(columns: 1))
            let (first, next): ([UInt8], [UInt8]) = switch kind {
            case "a row": (FakePostgres.message("D", [0, 1] + FakePostgres.bytes(1 << 30), claimed: 1 << 30), Self.zeros(1 << 16))
            case "rows": ([], (0..<1000).flatMap { _ in FakePostgres.row([""]) })
            case "settings": ([], (0..<1000).flatMap { FakePostgres.message("S", Array("a\($0)\u{0}\(UUID())\u{0}".utf8)) })
            case "notices": ([], (0..<1000).flatMap { _ in FakePostgres.message("N", Array("SNOTICE\u{0}Mx\u{0}\u{0}".utf8)) })
            case "results": ([], (0..<1000).flatMap { _ in FakePostgres.message("C", Array("SELECT 1\u{0}".utf8)) })
                default:
                    (
                        FakePostgres.message("E", Array("SERROR\u{0}M".utf8), claimed: 1 << 30),
                        Array(repeating: UInt8(ascii: "x"), count: 1 << 16)
                    )
            }
            session.send(first)
            while session.sent < 1 << 28, session.send(next) {}
            sent.withLock { $0 = max($0, session.sent) }
        }
        let took = try await ContinuousClock().measure {
            guard case .failure(let fault) = await ask(try lane(server)) else { return _ = Issue.record("an answer") }
            #expect(fault == .tooLong && fault.error.diagnosis.code == "LED-0124", "\(fault)")
        }
        #expect(took < .seconds(7), "\(took)")
        let end = ContinuousClock.now.advanced(by: .seconds(5))
        while sent.withLock({ $0 }) == 0, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(10)) }
        // The rest is in the two machines' sockets.
        #expect(sent.withLock { $0 } < 1 << 25, "\(sent.withLock { $0 }) bytes were taken")
    }

    @Test(arguments: ["settings", "a notice", "an error"])
    func soIsWhatComesBeforeTheFirstAnswer(kind: String) async throws {
        let server = try FakePostgres { session in
            session.readStartup()
            session.send(FakePostgres.message("R", [0, 0, 0, 0]))
            let next: [UInt8] = switch kind {
            case "settings": (0..<1000).flatMap { FakePostgres.message("S", Array("a\($0)\u{0}\(UUID())\u{0}".utf8)) }
            case "a notice": FakePostgres.message("N", Self.zeros(1 << 16), claimed: 1 << 30)
            default: FakePostgres.message("E", Self.zeros(1 << 16), claimed: 1 << 30)
            }
            session.send(next)
            let more = kind == "settings" ? next : Self.zeros(1 << 16)
            while session.sent < 1 << 28, session.send(more) {}
        }
        guard case .failure(let fault) = await ask(try lane(server)) else { return _ = Issue.record("an answer") }
        #expect(fault == .tooLong, "\(fault)")
    }

    /// A real server, whose administrator has put another function there.
    @Test(.enabled(if: PostgresCluster.mayRun, "PostgreSQL is not installed: run Tools/setup tests"))
    func aFunctionThatGivesTooMuchIsNoAnswer() async throws {
        let bench = try Bench(stations: 1)
        try bench.sql("""
            CREATE OR REPLACE FUNCTION noafw.take(a_unit text, a_run uuid, seconds double precision, dead_run uuid DEFAULT NULL)
            RETURNS TABLE (granted boolean, token bigint, holder text, expires_at timestamptz, run uuid) LANGUAGE sql AS
            $$ SELECT true, 1::bigint, repeat('x', 100), now(), a_run FROM generate_series(1, 300000) $$
            """)
        let leases = PostgreSQLLeases(lane: try bench.lane())
        await #expect(throws: ServerFault.tooLong) {
            try await leases.take(ClaimRequest(unit: "U", run: RunIDGenerator().next()), over: nil, timeToLive: .seconds(60))
        }
        let claim = try await ServerClaims(server: leases, policy: .prefer).claim(ClaimRequest(unit: "U", run: RunIDGenerator().next()))
        #expect(claim.state == .unclaimed, "the unit may be worked on without it")
    }

    /// libpq gives the state of a copy again and again.
    @Test(arguments: ["G", "H", "W"]) func aCopyIsNoAnswer(type: Character) async throws {
        let server = try FakePostgres { session in
            session.greet()
            _ = session.readToSync()
            session.send(FakePostgres.message("1", []) + FakePostgres.message("2", []) + FakePostgres.message(type, [0, 0, 0]))
            _ = session.readToSync()
        }
        guard case .failure(.lost(let reason)) = await ask(try lane(server), within: .seconds(3)) else {
            return _ = Issue.record("an answer")
        }
        #expect(!reason.contains("in time"), "\(reason)")
    }

    @Test(arguments: ["silence", "TLS and silence", "the end", "TLS and the end", "half a message"])
    func aServerThatBreaksOffEndsInTime(kind: String) async throws {
        let server = try FakePostgres { session in
            switch kind {
            case "silence": _ = session.read(1 << 20)
            case "TLS and silence", "TLS and the end":
                _ = session.read(8)
                session.send(Array("S".utf8))
                _ = session.read(kind.hasSuffix("end") ? 5 : 1 << 20)
            case "half a message":
                session.readStartup()
                session.send([UInt8(ascii: "R"), 0, 0])
            default: _ = session.read(8)
            }
        }
        let took = try await ContinuousClock().measure {
            guard case .failure(let fault) = await ask(try lane(server), within: .seconds(1)) else { return _ = Issue.record("an answer") }
            #expect(fault.kind == .passing && fault.error.diagnosis.code == "LED-0120", "\(fault)")
        }
        #expect(took < .seconds(3), "\(took)")
    }

    @Test(arguments: ["take", "bind", "renew", "release"]) func aCancelledCallerDoesNotWait(what: String) async throws {
        let asked = Inbox<Void>()
        let server = try FakePostgres { session in
            asked.deliver(())
            _ = session.read(1 << 20)
        }
        let leases = PostgreSQLLeases(lane: try lane(server))
        let request = ClaimRequest(unit: "U", run: RunIDGenerator().next(), serial: "SN1")
        let caller = Task {
            switch what {
            case "take": _ = try await leases.take(request, over: nil, timeToLive: .seconds(60))
            case "bind": _ = try await leases.bind("SN1", request)
            case "renew": _ = try await leases.renew(unit: "U", run: request.run, token: 1, timeToLive: .seconds(60))
            default: await leases.release(unit: "U", run: request.run, token: 1)
            }
        }
        _ = try await asked.next(before: SessionClock.continuous.deadline(in: .seconds(60)), on: .continuous)
        let took = await ContinuousClock().measure {
            caller.cancel()
            _ = await caller.result
        }
        // Uncancelled it is 8 s, of a release 3 s.
        #expect(took < .seconds(what == "release" ? 2 : 6), "\(took)")
    }

    @Test func noBytesCrashIt() async throws {
        let rounds = TestRange.isFull ? 500 : 60
        let count = Mutex(UInt64(0))
        let good =
            FakePostgres.message("R", [0, 0, 0, 0]) + FakePostgres.ready + FakePostgres.answer([["\(ServerSchema.version)"]])
            + FakePostgres.answer([["1"], [nil]])
        let server = try FakePostgres { session in
            var numbers = SeededNumbers(seed: count.withLock { count in defer { count += 1 }; return count })
            session.readStartup()
            var bytes = good
            for _ in 0..<Int.random(in: 1...6, using: &numbers) {
                bytes[Int.random(in: 0..<bytes.count, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
            }
            session.send(Array(bytes.prefix(Int.random(in: 1...bytes.count, using: &numbers))))
        }
        for _ in 0..<rounds { _ = await ask(try lane(server), within: .seconds(2)) }
    }

    @Test(
        arguments: [
            [], [nil, nil, nil, nil], ["t"], ["t", "x", "y", "z"], ["t", "99999999999999999999", "h", "0"],
            ["f", "1", nil, "9223372036854775807"]
        ] as [[String?]])
    func anAnswerThatMakesNoSenseIsNoClaim(row: [String?]) async throws {
        let server = try FakePostgres { session in
            session.greet()
            _ = session.readToSync()
            session.send(FakePostgres.answer([row]))
            _ = session.readToSync()
        }
        let claims = ServerClaims(server: PostgreSQLLeases(lane: try lane(server)), policy: .require)
        let error = await #expect(throws: ClaimError.self) { try await claims.claim(ClaimRequest(unit: "U", run: RunIDGenerator().next())) }
        #expect(error?.diagnosis.message.isEmpty == false)
    }

    // MARK: - Secrets

    private func passfile(in folder: TemporaryFolder) throws -> String {
        let passfile = try folder.write("*:*:*:*:\(Self.password)\n", to: "passfile")
        chmod(passfile, 0o600)
        return passfile
    }

    /// Whatever listens on this machine gets no password, at once or after it has begun to ask otherwise.
    @Test(arguments: ["", "&sslmode=disable", "&sslmode=prefer", "&sslmode=allow"]) func noPasswordGoesInClearText(
        mode: String
    ) async throws {
        let folder = try TemporaryFolder()
        let heard = Mutex<[UInt8]>([])
        let server = try FakePostgres { session in
            session.readStartup()
            session.send(FakePostgres.message("R", [0, 0, 0, 3]))
            while let byte = session.read(1) { heard.withLock { $0 += byte } }
        }
        let answer = await ask(try lane(server, "passfile=\(try passfile(in: folder))\(mode)"))
        guard case .failure(.clearText) = answer else { return _ = Issue.record("\(answer)") }
        #expect(heard.withLock { $0.firstRange(of: Array(Self.password.utf8)) } == nil)
        #expect(ServerFault.clearText.error.diagnosis.code == "LED-0118")
    }

    /// It says the password aloud.
    @Test func thePasswordIsInNoMessage() async throws {
        let folder = try TemporaryFolder()
        let server = try FakePostgres { session in
            session.readStartup()
            let said = Self.password
            session.send(
                FakePostgres.error("who would take \(said) for a password? \u{1B}[2J postgresql://line-1:\(said)@host/ password=\(said)"))
        }
        guard case .failure(let fault) = await ask(try lane(server, "passfile=\(try passfile(in: folder))")) else {
            return _ = Issue.record("an answer")
        }
        #expect(!fault.reason.contains(Self.password) && fault.reason.contains("who would take ***"), "\(fault.reason)")
        #expect(!fault.reason.unicodeScalars.contains { $0.value < 0x20 }, "\(fault.reason)")
    }

    @Test func aLongMessageIsShortAtOnce() {
        let took = ContinuousClock().measure {
            #expect(Redaction.line(String(repeating: "://a:", count: 200_000)).count <= RecordText.limit)
        }
        #expect(took < .seconds(5), "\(took)")
    }
}
