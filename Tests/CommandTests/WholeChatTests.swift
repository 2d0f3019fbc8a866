import Foundation
import Glibc
import Ledger
import LedgerStore
import NIOHTTP1
import TestSupport
import Testing

/// The built tool in conversation with a virtual unit that runs the project's scripts on real MicroPython.
@Suite(.serialized, .enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"))
struct WholeChatTests {
    private static let chat = ["chat", "--virtual", "monocle", "--virtual-speed", "max", "--assistant", "echo"]

    /// A unit with the scripts on it; its firmware and FPGA image stay as the factory left them.
    private static func bench() throws -> ToolBench {
        let bench = try ToolBench()
        let run = try bench.run(["flash", "--virtual", "monocle", "--virtual-speed", "max", "--only", "scripts"])
        #expect(run.status == 0, "\(run.errors)")
        return bench
    }

    @Test func oneQuestionReachesTheDisplay() async throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        #expect(try bench.run(["flash", "--virtual", "monocle", "--virtual-speed", "max"]).status == 0)
        let run = try bench.run(Self.chat + ["--query", "hello there", "--station", "line-7", "--order", "WO 7"])
        #expect(run.status == 0, "\(run.errors)")
        let record = try #require(try await Self.runs(bench).last)
        #expect((record.verb, record.outcome, record.station, record.workOrder) == ("chat", .pass, "line-7", "WO 7"))
        #expect(record.versionsAfter.count == 3 && record.digests.isEmpty)
        #expect(run.output == "I heard: hello there\non the unit's display:\n  I heard: hello there\n")
    }

    private static func runs(_ bench: ToolBench) async throws -> [RunRecord] {
        try await SQLiteLedger(folder: bench.state.path + "/ledger").runs()
    }

    @Test func aUnitThatWasNeverFlashedIsNotTalkedTo() async throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let run = try bench.run(Self.chat + ["--query", "hello"])
        #expect(run.status == 1)
        #expect(run.errors.contains("NOA-0013") && run.errors.contains("noafw flash --virtual monocle"), "\(run.errors)")
        #expect(run.output == "")
        let record = try #require(try await Self.runs(bench).first)
        #expect((record.verb, record.outcome, record.code) == ("chat", .fail, "NOA-0013"))
    }

    /// Without its scripts it takes the answer, and shows nobody anything.
    @Test func aUnitWithoutItsProgramDoesNotPass() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let run = try bench.run(Self.chat + ["--no-verify", "--query", "hello"])
        #expect(run.status == 1)
        #expect(run.errors.contains("note: the unit's program has ended"), "\(run.errors)")
        #expect(run.errors.contains("error NOA-0021"), "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: bench.state.path + "/ledger"), "nothing was verified, and nothing changed")
    }

    /// It dies of its first question.
    @Test(arguments: ["import nosuchmodule", "import time\nwhile True: time.sleep(1)", "raising"])
    func aProgramThatDoesNotLiveDoesNotPass(main: String) throws {
        let bench = try Self.bench()
        defer { bench.remove() }
        let file = bench.unit.appendingPathComponent("files/main.py")
        let ours = try String(contentsOf: file, encoding: .utf8)
        let raising = ours.replacing("self.page.add(graphics.plain(data))", with: "raise ValueError('no page')")
        try Data((main == "raising" ? raising : main).utf8).write(to: file)
        let run = try bench.run(Self.chat + ["--no-verify", "--query", "hello"])
        #expect(run.status == 1)
        let code = main.hasPrefix("import time") ? "NOA-0018" : "NOA-0020"
        #expect(run.errors.contains("error \(code)"), "\(run.errors)")
        #expect(main != "raising" || run.errors.contains("ValueError: no page"), "\(run.errors)")
    }

    @Test func aScriptSpeaksAndExpects() throws {
        let bench = try Self.bench()
        defer { bench.remove() }
        let tone = (0..<16_000).map { Int16(12_000 * sin(Double($0) * 0.1)) }
        try Data(WaveBytes.file(tone, rate: 8000)).write(to: bench.state.appendingPathComponent("tone.wav"))
        try Data([0xFF, 0xD8, 0xFF] + (0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            .write(to: bench.state.appendingPathComponent("scene.jpg"))
        try Data("""
            # Typed, spoken, and with a photo.
            send good morning
            expect ^I heard: good morning$ within 10s
            expect delivered within 10s
            speak tone.wav
            expect listens within 10s
            expect I heard: 6.0 s of sound at -1[0-9] dBFS within 60s
            expect delivered within 30s
            show scene.jpg
            hold
            expect picture of 3003 bytes within 30s
            expect got a picture of 3003 bytes within 60s
            expect delivered within 60s
            """.utf8).write(to: bench.state.appendingPathComponent("smoke.txt"))
        let media = bench.state.appendingPathComponent("media")
        let transcript = bench.state.appendingPathComponent("talk.txt")
        let run = try bench.run(
            Self.chat + [
                "--no-verify", "--script", bench.state.appendingPathComponent("smoke.txt").path, "--json", "--save-media", media.path,
                "--transcript", transcript.path,
            ])
        #expect(run.status == 0, "\(run.errors) \(run.output)")
        let events = try run.output.split(separator: "\n").map { try ToolBench.json(String($0)) }
        #expect(events.first?["schema"] as? String == "noafw.chat/1")
        #expect(events.last?["verdict"] as? String == "pass")
        #expect((events.last?["display"] as? [String])?.joined(separator: " ").contains("picture of 3003 bytes") == true)
        #expect(try Data(contentsOf: media.appendingPathComponent("photo-0001.jpg")).count == 3003)
        #expect(try String(contentsOf: transcript, encoding: .utf8).contains(" noa I heard: good morning\n"))
    }

    /// The guide's restore test: nothing is lost, doubled or out of order, however often the link is.
    @Test func aSoakWithLinkCutsIsClean() throws {
        let bench = try Self.bench()
        defer { bench.remove() }
        let script = bench.state.appendingPathComponent("soak.txt")
        try Data("soak 30 every 2s cut every 15s\n".utf8).write(to: script)
        let run = try bench.run(Self.chat + ["--no-verify", "--script", script.path, "--json"])
        #expect(run.status == 0, "\(run.errors)")
        let end = try ToolBench.json(String(run.output.split(separator: "\n").last ?? ""))
        let soak = try #require((end["soaks"] as? [[String: Any]])?.first)
        #expect(soak["planned"] as? Int == 30 && soak["delivered"] as? Int == 30 && soak["answered"] as? Int == 30, "\(soak)")
        #expect(soak["lost"] as? Int == 0 && soak["duplicates"] as? Int == 0 && soak["reordered"] as? Int == 0, "\(soak)")
        #expect((soak["reconnects"] as? Int ?? 0) >= 3, "\(soak)")
        let text = try bench.run(Self.chat + ["--no-verify", "--script", script.path])
        #expect(text.output.contains("soak: 30 messages each way, 0 lost, 0 duplicate, 0 out of order"), "\(text.output)")
    }

    @Test func anExpectationThatFailsIsExitCodeOne() throws {
        let bench = try Self.bench()
        defer { bench.remove() }
        let script = bench.state.appendingPathComponent("smoke.txt")
        try Data("send hello\nexpect goodbye within 5s\n".utf8).write(to: script)
        let run = try bench.run(Self.chat + ["--no-verify", "--script", script.path])
        #expect(run.status == 1)
        #expect(run.errors.contains("line 2: nothing matched goodbye within 5 s"), "\(run.errors)")
        #expect(run.errors.contains("I heard: hello"), "\(run.errors)")
    }

    // MARK: - At a terminal

    /// A person lives in real time; a unit may live four times as fast.
    private static let talk = ["chat", "--virtual", "monocle", "--virtual-speed", "4", "--assistant", "echo", "--no-verify"]

    @Test func aPersonTypesEditsAndLeaves() throws {
        let bench = try Self.bench()
        defer { bench.remove() }
        let tool = try TerminalTool(Self.talk, environment: bench.environment())
        let before = UInt32(ICANON | ECHO | ISIG)
        try tool.waitFor("the unit is ready")
        #expect(tool.localModes & before == 0, "the keys come one by one")
        tool.type("helo\u{1B}[Dl\u{05}!\r")
        try tool.waitFor("noa: I heard: hello!")
        try tool.waitFor("delivered to the unit")
        tool.type("\u{1B}[A")
        try tool.waitFor("> hello!")
        tool.type("\u{03}\u{03}")
        #expect(tool.wait().status == 0)
        #expect(tool.localModes & before == before, "the terminal is as it was")
        #expect(tool.screen.hasSuffix("\u{1B}[?2004l"), "no more bracketed paste")
        let history = bench.state.appendingPathComponent("chat-history")
        #expect(try String(contentsOf: history, encoding: .utf8) == "hello!\n")
        #expect(try FileManager.default.attributesOfItem(atPath: history.path)[.posixPermissions] as? Int == 0o600)
    }

    /// Somebody has meddled with the scripts: one keystroke, and the conversation goes on.
    @Test func aUnitThatDiffersIsFlashedAndTalkedTo() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        #expect(try bench.run(["flash", "--virtual", "monocle", "--virtual-speed", "max"]).status == 0)
        try Data("print('another program')\n".utf8).write(to: bench.unit.appendingPathComponent("files/main.py"))
        let tool = try TerminalTool(Self.talk.dropLast(), environment: bench.environment())
        try tool.waitFor("note: the unit differs from its last pass, ")
        try tool.waitFor("flash now? [y/N] ")
        tool.type("y\n")
        try tool.waitFor("PASS  verified: scripts")
        try tool.waitFor("the unit is ready")
        tool.type("hello\r")
        try tool.waitFor("noa: I heard: hello")
        try tool.waitFor("delivered to the unit")
        try tool.waitFor("assistant: echo")
        tool.resize(columns: 30)
        try tool.waitFor("[ monocle | battery 80 % | re\r\r\n")
        tool.type("\u{04}")
        #expect(tool.wait().status == 0)
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGABRT, SIGSEGV]) func theTerminalIsPutBackWhateverEndsIt(signal: Int32) throws {
        let bench = try Self.bench()
        defer { bench.remove() }
        let tool = try TerminalTool(Self.talk, environment: bench.environment())
        try tool.waitFor("Type a question")
        tool.signal(signal)
        let end = tool.wait()
        #expect(end == .signal(signal) || end == .exit(130))
        let modes = UInt32(ICANON | ECHO | ISIG)
        #expect(tool.localModes & modes == modes)
    }

    /// As under `nohup`, where only other signals end it.
    @Test func anIgnoredHangUpIsNoEnd() throws {
        let bench = try Self.bench()
        defer { bench.remove() }
        let tool = try RunningTool(Self.talk + ["--query", "hello"], environment: bench.environment(), hangUp: "ignore")
        #expect(tool.waitForLine { $0.contains("starting the unit's program") })
        tool.signal(SIGHUP)
        _ = tool.remainingErrors()
        #expect(tool.wait() == 0)
    }

    // MARK: - The key

    /// The server lives in real time: not `max`.
    private static let keySpeed = "20"

    /// Everything that the tool leaves behind or shows while it talks to a server with a key.
    @Test func theKeyAppearsNowhere() async throws {
        let bench = try Self.bench()
        defer { bench.remove() }
        let key = "sk-noafw-\(UUID().uuidString)"
        try await LocalServer.with({ request, reply in
            #expect(request.header("Authorization") == "Bearer \(key)")
            let text = String(decoding: request.body, as: UTF8.self)
            if text.contains("refuse") {
                return try await reply.send(401, #"{"error":{"message":"wrong key \#(key)","code":"\#(key)"}}"#)
            }
            try await reply.head(200, [("Content-Type", "text/event-stream")])
            try await reply.write("data: {\"choices\":[{\"delta\":{\"content\":\"Your key is \(key).\"}}]}\n\n")
            if text.contains("hang") { try await reply.waitUntilClientGoes() }
            try await reply.write("data: [DONE]\n\n")
            try await reply.end()
        }) { base in try await Self.search(for: key, bench, base) }
    }

    private static func files(in folder: URL) -> [URL] {
        FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
    }

    /// Where else a key may come from; the server has checked that it came.
    private static func run(with key: String, from environment: [String: String], _ bench: ToolBench, _ base: String) throws -> String {
        let arguments = [
            "chat", "--virtual", "monocle", "--virtual-speed", keySpeed, "--no-verify", "--base-url", base, "--query", "refuse", "--json",
            "-v"
        ]
        let run = try bench.run(arguments, environment: environment)
        #expect(run.status == 1 && run.output.contains("wrong key "), "\(run.errors)")
        return run.output + run.errors
    }

    private static func search(for key: String, _ bench: ToolBench, _ base: String) async throws {
        let transcript = bench.state.appendingPathComponent("talk.txt")
        let environment = ["NOAFW_API_KEY": key]
        let common = [
            "chat", "--virtual", "monocle", "--virtual-speed", keySpeed, "--no-verify", "--base-url", base, "--transcript", transcript.path
        ]
        var seen = ""
        for arguments in [["--query", "tell"], ["--query", "refuse"], ["--query", "tell", "--json"], ["--query", "refuse", "--json", "-v"]]
        {
            let run = try bench.run(common + arguments, environment: environment)
            #expect(run.status == (arguments[1] == "tell" ? 0 : 1), "\(run.errors)")
            seen += run.output + run.errors
        }
        #expect(seen.contains("Your key is ") && seen.contains("wrong key "), "the server did say it: \(seen)")
        for signal in [SIGTERM, SIGABRT, SIGSEGV] {
            let tool = try bench.start(common + ["--query", "hang"], environment: environment)
            #expect(tool.waitForLine { $0 == "the unit is ready" })
            let arguments = try Data(contentsOf: URL(fileURLWithPath: "/proc/\(tool.processID)/cmdline"))
            #expect(arguments.count > 20)
            seen += String(decoding: arguments, as: UTF8.self)
            tool.signal(signal)
            seen += try tool.remainingErrors() + tool.output()
            #expect(tool.wait() != 0)
        }
        seen += try run(with: key, from: ["OPENAI_API_KEY": key, "OPENAI_BASE_URL": base], bench, base)
        let file = bench.state.appendingPathComponent("noafw/config.json")
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("{\"api_key\": \"\(key)\", \"base_url\": \"\(base)\"}".utf8).write(to: file)
        #expect(chmod(file.path, 0o600) == 0)
        seen += try run(with: key, from: [:], bench, base)
        try FileManager.default.removeItem(at: file)
        let terminal = try TerminalTool(common, environment: bench.environment(environment))
        try terminal.waitFor("the unit is ready")
        terminal.type("tell\r")
        try terminal.waitFor("delivered to the unit")
        terminal.type("\u{04}")
        _ = terminal.wait()
        seen += terminal.screen
        #expect(!seen.contains(key))
        let files = Self.files(in: bench.state)
        #expect(files.contains { $0.lastPathComponent == "chat-history" } && files.contains { $0.lastPathComponent == "talk.txt" })
        for file in files {
            let content = (try? Data(contentsOf: file)) ?? Data()
            #expect(content.range(of: Data(key.utf8)) == nil, "\(file.lastPathComponent)")
        }
    }
}
