import Assistant
import Bluetooth
import Foundation
import Provisioning
import Support
import Synchronization
import Testing
import VirtualDevices

@testable import noafw

/// `noafw chat` in-process, its session a fake that does what a test says.
@Suite struct ChatCommandTests {
    let harness = Harness(wakingUntil: .seconds(1_000_000))
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-chat-\(UUID().uuidString)")

    /// Answers every question with `events`, and shows `display` afterwards.
    func services(
        display: [String]? = nil, hands: Inbox<String> = Inbox(), answer: @escaping @Sendable (TurnID, String) -> [ChatEvent]
    ) -> FakeServices {
        FakeServices(
            onVerify: { _, _ in try Sample.verified(scriptsMatch: true) },
            onChat: { preparation, body in
                let isVirtual = if case .virtual = preparation.unit.units { true } else { false }
                let sensors = VirtualSensors(
                    stimulate: { hands.deliver("\($0)") }, speak: { hands.deliver("speak \($0.count)") },
                    show: { hands.deliver("show \($0.count)") }, display: { display ?? [] }, screen: { nil })
                let time = VirtualTime.simulated()
                return try await time.run {
                    try await body(
                        ChatEnvironment(clock: time.clock, family: "monocle", sensors: isVirtual ? sensors : nil) { commands, report in
                        report(.connecting(attempt: 1))
                        report(.starting)
                        report(.connected(UnitStatus(batteryPercent: 80, firmware: "v23\u{1B}[2J")))
                        report(.ready)
                        var count = 0
                        while let command = try await commands.next(before: time.clock.deadline(in: .seconds(10_000_000)), on: time.clock) {
                            guard case .ask(let text) = command else { continue }
                            count += 1
                            let id = TurnID(number: count)
                            report(.asked(id, .typed(text)))
                            for event in answer(id, text) { report(event) }
                        }
                    })
                }
            })
    }

    static func echo(_ id: TurnID, _ text: String) -> [ChatEvent] {
        [
            .thinking(id), .answerPiece(id, "I heard: "), .answerPiece(id, text), .answered(id, "I heard: \(text)", nil),
            .sent(id, awaitsReceipt: true), .delivered(id),
        ]
    }

    func run(_ arguments: [String], _ services: FakeServices, environment: [String: String] = [:], input: TextSource = .none) async -> Int32
    {
        var context = harness.context(
            ["chat"] + arguments, services: services,
            environment: ["HOME": folder.path, "NOAFW_STATE_DIR": folder.path].merging(environment) { $1 })
        context.input = input
        context.date = { Date(timeIntervalSince1970: 0) }
        return await Noafw.execute(in: context)
    }

    @Test func oneQuestion() async {
        #expect(await run(["--virtual", "monocle", "--query", "hello"], services(display: ["I heard:", "hello"], answer: Self.echo)) == 0)
        #expect(harness.output == "I heard: hello\non the unit's display:\n  I heard:\n  hello\n")
        #expect(harness.diagnostics == """
            connecting
            starting the unit's program
            connected, firmware v23\\u{1b}[2J, battery 80 %
            the unit is ready
            the assistant thinks
            delivered to the unit

            """)
    }

    @Test func noAnswerIsExitCodeOne() async {
        let failing = services { id, _ in [.thinking(id), .failed(id, AssistantError.unauthorized(status: 401, "no")), .delivered(id)] }
        #expect(await run(["--query", "hello"], failing) == 1)
        #expect(harness.output == "")
        #expect(harness.diagnostics.contains("note: no answer [AST-0010]: the assistant refused the key (HTTP 401): no;"))
        #expect(harness.diagnostics.hasSuffix("""
            error AST-0010: the assistant refused the key (HTTP 401): no
              cause: the key is missing or wrong, or it lacks a right
              next:  set NOAFW_API_KEY or the configuration file's api_key

            """))
    }

    @Test func eventsAsJSON() async throws {
        #expect(await run(["--virtual", "monocle", "--query", "hi", "--json"], services(display: ["I"], answer: Self.echo)) == 0)
        #expect(harness.output == """
            {"event":"begin","schema":"noafw.chat/1","unit":"monocle","family":"monocle","assistant":"echo","mode":"assistant"}
            {"event":"connecting","attempt":1}
            {"event":"starting"}
            {"event":"connected","battery":80,"firmware":"v23\\u001b[2J","scripts":null}
            {"event":"ready"}
            {"event":"asked","id":1,"text":"hi"}
            {"event":"thinking","id":1}
            {"event":"piece","id":1,"text":"I heard: "}
            {"event":"piece","id":1,"text":"hi"}
            {"event":"answered","id":1,"text":"I heard: hi","cut":null}
            {"event":"sent","id":1,"receipt":true}
            {"event":"delivered","id":1}
            {"event":"end","verdict":"pass","display":["I"],"error":null}

            """)
        for line in harness.output.split(separator: "\n") { _ = try ToolBench.json(String(line)) }
        #expect(harness.diagnostics == "")
    }

    @Test func withoutReceiptsTheWordIsSent() async {
        let plain = services { id, _ in [.answered(id, "I", nil), .sent(id, awaitsReceipt: false)] }
        #expect(await run(["--query", "hi"], plain) == 0)
        #expect(harness.diagnostics.contains("sent to the unit, which sends no receipts\n") && !harness.diagnostics.contains("delivered"))
        harness.clear()
        #expect(await run(["--query", "hi", "--json"], plain) == 0)
        #expect(harness.output.contains(#"{"event":"sent","id":1,"receipt":false}"#))
    }

    @Test(arguments: ["--query", "--script", "lines"]) func whatDoesNotArriveFails(way: String) async throws {
        let lossy = services { id, _ in
            [
                .answered(id, "I", nil), .sent(id, awaitsReceipt: true), .repeated(id, .noReceipt),
                .undeliverable(id, .accepted(byteCount: 3, sent: 7)),
            ]
        }
        #expect(try await run(Self.arguments(way, in: folder), lossy, input: Self.input(way)) == 1)
        #expect(harness.diagnostics.contains("note: the unit sent no receipt; sending the whole text again"))
        #expect(harness.diagnostics.contains("error NOA-0019: the answer did not arrive in two attempts: the unit accepted 3 of 7 bytes"))
    }

    static func arguments(_ way: String, in folder: URL) throws -> [String] {
        guard way != "lines" else { return [] }
        guard way == "--script" else { return [way, "hello"] }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("steps.txt")
        try Data("send hello\nexpect never within 60s\n".utf8).write(to: file)
        return [way, file.path]
    }

    static func input(_ way: String) -> TextSource {
        way == "lines" ? TextSource(isTerminal: false) { _, sink in CannedInput(["hello\n"], sink) } : .none
    }

    @Test func whatTheDisplayShowsOtherwiseIsTold() async throws {
        let folded = services { id, _ in
            [
                .answered(id, "Größe", nil), .folded(id, TextFolding(similar: 1, unknown: 2, omitted: 0)), .delivered(id),
                .folded(id, TextFolding(omitted: 7)),
            ]
        }
        #expect(await run(["--query", "hi", "--json"], folded) == 0)
        #expect(harness.output.contains(#"{"event":"folded","id":1,"similar":1,"unknown":2,"omitted":0}"# + "\n"))
        #expect(ChatFormatter.line(for: .folded(TurnID(number: 1), TextFolding(similar: 1, unknown: 2)))
            == .init(kind: .state, texts: ["on the display: 1 character replaced by similar ones, 2 characters shown as ?"]))
        #expect(ChatFormatter.line(for: .folded(TurnID(number: 1), TextFolding(omitted: 7)))
            == .init(kind: .problem, texts: ["on the display: 7 characters left out because the unit's program cannot hold more"]))
    }

    /// A chat that does not end after a signal has an end all the same.
    @Test func aChatThatHangsEndsWithAnEvent() async throws {
        let interrupts = harness.interrupts
        let hanging = services { _, _ in
            interrupts.exitReport.give()
            return [.lost(reason: "gone")]
        }
        _ = await run(["--virtual", "monocle", "--query", "hello", "--json"], hanging)
        let ends = harness.output.split(separator: "\n").filter { $0.contains(#""event":"end""#) }
        #expect(ends.count == 1 && ends[0].contains(#""code":"NOA-0014""#), "\(harness.output)")
        #expect(harness.diagnostics.contains("error NOA-0014"))
    }

    /// A program that reads events gets a beginning and an end, whatever happens.
    @Test func aUnitWithOtherVersionsIsToldAsJSON() async throws {
        let drifted = FakeServices(onVerify: { _, _ in try Sample.verified(scriptsMatch: false) })
        #expect(await run(["--virtual", "monocle", "--query", "hi", "--json"], drifted) == 1)
        let lines = harness.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 2 && lines[0].hasPrefix(#"{"event":"begin","schema":"noafw.chat/1""#))
        let end = try ToolBench.json(lines[1])
        #expect(end["verdict"] as? String == "fail" && (end["error"] as? [String: Any])?["code"] as? String == "NOA-0013")
    }

    /// The limit is for all of it.
    @Test func theTimeLimitCoversTheVerification() async {
        let time = harness.time
        let slow = FakeServices(
            onVerify: { _, _ in
                time.advance(.seconds(50))
                return try Sample.verified(scriptsMatch: true)
            },
            onChat: { _, _ in
                time.advance(.seconds(11))
                try await time.clock.sleep(until: time.clock.deadline(in: .seconds(10_000_000)))
                return ChatVerdict()
            })
        #expect(await run(["--query", "hi", "--timeout", "60"], slow) == 75)
        #expect(harness.diagnostics.contains("did not end within the 60 s of --timeout"))
    }

    @Test func transcriptAndPictures() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let picture: [UInt8] = [0xFF, 0xD8, 0xFF, 1, 2, 3]
        let media = folder.appendingPathComponent("media")
        try FileManager.default.createDirectory(at: media, withIntermediateDirectories: true)
        try Data("old".utf8).write(to: media.appendingPathComponent("photo-0001.jpg"))
        let transcript = folder.appendingPathComponent("talk.txt")
        let services = self.services { id, text in [.photo(Photo(jpeg: picture))] + Self.echo(id, text) }
        let arguments = ["--virtual", "monocle", "--query", "hi", "--save-media", media.path, "--transcript", transcript.path]
        for _ in 0..<2 { #expect(await run(arguments, services) == 0) }
        #expect(try String(contentsOf: media.appendingPathComponent("photo-0001.jpg"), encoding: .utf8) == "old")
        for name in ["photo-0002.jpg", "photo-0003.jpg"] {
            #expect(try Data(contentsOf: media.appendingPathComponent(name)) == Data(picture))
            #expect(try mode(media.appendingPathComponent(name)) == 0o600)
        }
        let text = try String(contentsOf: transcript, encoding: .utf8)
        #expect(text.components(separatedBy: "1970-01-01T00:00:00Z you hi\n").count == 3)
        #expect(text.contains("1970-01-01T00:00:00Z noa I heard: hi\n"))
        #expect(text.contains("connected, firmware v23\\u{1b}[2J"))
        #expect(try mode(transcript) == 0o600)
    }

    @Test func aUnitWithOtherVersionsEndsWithTheCommandThatRepairsIt() async throws {
        let drifted = FakeServices(onVerify: { _, _ in try Sample.verified(scriptsMatch: false) })
        #expect(await run(["--nearest", "--adapter", "hci1", "--query", "hi"], drifted) == 1)
        #expect(harness.diagnostics.contains("error NOA-0013: the unit differs from the catalogue in: scripts"))
        #expect(harness.diagnostics.contains("run: noafw flash --device D3:5A:00:11:22:33 --adapter hci1 --only scripts (or"))
    }

    /// The unit is taken once, for all of it.
    @Test func theVeryUnitThatWasLookedAtIsTalkedTo() async throws {
        let services = FakeServices(
            onVerify: { request, _ in
                #expect(request.fleet == UnitSelection(units: .one(.nearest)))
                return try Sample.verified(scriptsMatch: true)
            },
            onChat: { preparation, _ in
                #expect(preparation.unit == UnitSelection(units: .one(.nearest)))
                return ChatVerdict()
            })
        #expect(await run(["--nearest", "--query", "hi"], services) == 0)
    }

    @Test func withoutVerification() async {
        let services = FakeServices(onChat: { _, _ in ChatVerdict() })
        #expect(await run(["--no-verify", "--query", "hi"], services) == 0)
    }

    @Test(arguments: [
        (["--query", "a", "--script", "b"], 64), (["--query", " "], 64), (["--assistant", "echo", "--model", "m"], 64),
        (["--virtual", "monocle", "--device", "x"], 64), (["--timeout", "0"], 64), (["--api-key", "k"], 64),
        (["--assistant", "openai", "--query", "a"], 66), (["--base-url", "ftp://x", "--query", "a"], 64),
        (["--virtual", "monocle", "--virtual-speed", "max", "--base-url", "http://localhost:1", "--query", "a"], 64),
        (["--script", "/does/not/exist"], 66),
    ] as [([String], Int32)])
    func usage(arguments: [String], code: Int32) async {
        #expect(await run(arguments, FakeServices()) == code, "\(harness.diagnostics)")
    }

    @Test(arguments: [
        ([], [:], "echo"), ([], ["NOAFW_API_KEY": "sk-1"], "gpt-4o-mini at api.openai.com"),
        (["--assistant", "echo"], ["NOAFW_API_KEY": "sk-1"], "echo"),
        (["--base-url", "http://localhost:8080", "--model", "llama"], [:], "llama at localhost"),
    ] as [([String], [String: String], String)])
    func theAssistantIsWhatIsConfigured(arguments: [String], environment: [String: String], name: String) async {
        let names = Inbox<String>()
        let services = FakeServices(onChat: { request, _ in
            names.deliver(request.assistant.name)
            return ChatVerdict()
        })
        #expect(await run(["--no-verify", "--query", "a"] + arguments, services, environment: environment) == 0)
        #expect(names.poll() == name)
    }

    func mode(_ file: URL) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int)
    }
}
