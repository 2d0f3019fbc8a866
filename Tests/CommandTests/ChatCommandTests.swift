import Assistant
import Bluetooth
import Foundation
import Provisioning
import REPL
import Support
import Synchronization
import Testing
import VirtualDevices

@testable import noafw

/// `noafw chat` in-process, its session a fake that does what a test says.
@Suite struct ChatCommandTests {
    private let harness = Harness(wakingUntil: .seconds(1_000_000))
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-chat-\(UUID().uuidString)")

    /// Answers every question with `events`, and shows `display` afterwards.
    private func runner(
        display: [String]? = nil, hands: Inbox<String> = Inbox(), answer: @escaping @Sendable (ExchangeID, String) -> [ChatEvent]
    ) -> FakeRunner {
        FakeRunner(
            onVerify: { _, _ in try Sample.verified(scriptsMatch: true) },
            onChat: { request, body in
                let isVirtual = if case .virtual = request.unit { true } else { false }
                let senses = VirtualSenses(
                    hand: { hands.deliver("\($0)") }, speak: { hands.deliver("speak \($0.count)") },
                    show: { hands.deliver("show \($0.count)") }, display: { display ?? [] })
                let time = VirtualTime.simulated()
                return try await time.run {
                    try await body(ChatBench(clock: time.clock, senses: isVirtual ? senses : nil) { commands, report in
                        report(.connecting(attempt: 1))
                        report(.starting)
                        report(.connected(UnitStatus(batteryPercent: 80, firmware: "v23\u{1B}[2J")))
                        report(.ready)
                        var count = 0
                        while let command = try await commands.next(before: time.clock.deadline(in: .seconds(10_000_000)), on: time.clock) {
                            guard case .ask(let text) = command else { continue }
                            count += 1
                            let id = ExchangeID(number: count)
                            report(.asked(id, .typed(text)))
                            for event in answer(id, text) { report(event) }
                        }
                    })
                }
            })
    }

    private static func echo(_ id: ExchangeID, _ text: String) -> [ChatEvent] {
        [
            .thinking(id), .answerPiece(id, "I heard: "), .answerPiece(id, text), .answered(id, "I heard: \(text)", nil),
            .sent(id, awaitsReceipt: true), .delivered(id),
        ]
    }

    private func run(_ arguments: [String], _ runner: FakeRunner, environment: [String: String] = [:], input: TextSource = .none) async -> Int32 {
        var context = harness.context(
            ["chat"] + arguments, runner: runner, environment: ["HOME": folder.path, "NOAFW_STATE_DIR": folder.path].merging(environment) { $1 })
        context.input = input
        context.date = { Date(timeIntervalSince1970: 0) }
        return await Noafw.execute(in: context)
    }

    @Test func oneQuestion() async {
        #expect(await run(["--virtual", "monocle", "--query", "hello"], runner(display: ["I heard:", "hello"], answer: Self.echo)) == 0)
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
        let failing = runner { id, _ in [.thinking(id), .failed(id, AssistantError.unauthorized(status: 401, "no")), .delivered(id)] }
        #expect(await run(["--query", "hello"], failing) == 1)
        #expect(harness.output == "")
        #expect(harness.diagnostics.contains("note: no answer [AST-0010]: the assistant refused the key (HTTP 401): no;"))
        #expect(harness.diagnostics.hasSuffix("""
            error AST-0010: the assistant refused the key (HTTP 401): no
              cause: the key is missing, wrong, or lacks a right
              next:  set NOAFW_API_KEY or the configuration file's api_key

            """))
    }

    @Test func eventsAsJSON() async throws {
        #expect(await run(["--virtual", "monocle", "--query", "hi", "--json"], runner(display: ["I"], answer: Self.echo)) == 0)
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
        let plain = runner { id, _ in [.answered(id, "I", nil), .sent(id, awaitsReceipt: false)] }
        #expect(await run(["--query", "hi"], plain) == 0)
        #expect(harness.diagnostics.contains("sent to the unit, which gives no receipts\n") && !harness.diagnostics.contains("delivered"))
        harness.clear()
        #expect(await run(["--query", "hi", "--json"], plain) == 0)
        #expect(harness.output.contains(#"{"event":"sent","id":1,"receipt":false}"#))
    }

    @Test(arguments: ["--query", "--script", "lines"]) func whatDoesNotArriveFails(way: String) async throws {
        let lossy = runner { id, _ in
            [
                .answered(id, "I", nil), .sent(id, awaitsReceipt: true), .repeated(id, .noReceipt),
                .undeliverable(id, .accepted(byteCount: 3, sent: 7)),
            ]
        }
        #expect(try await run(Self.arguments(way, in: folder), lossy, input: Self.input(way)) == 1)
        #expect(harness.diagnostics.contains("note: the unit gave no receipt for what was sent; sending all of it again"))
        #expect(harness.diagnostics.contains("error NOA-0019: the answer did not arrive, sent twice: the unit accepted 3 of 7 bytes"))
    }

    private static func arguments(_ way: String, in folder: URL) throws -> [String] {
        guard way != "lines" else { return [] }
        guard way == "--script" else { return [way, "hello"] }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("steps.txt")
        try Data("send hello\nexpect never within 60s\n".utf8).write(to: file)
        return [way, file.path]
    }

    private static func input(_ way: String) -> TextSource {
        way == "lines" ? TextSource(isTerminal: false) { _, sink in CannedInput(["hello\n"], sink) } : .none
    }

    private static let lastWords = ConsoleSample.events("print\u{1B}[2J\r\nTraceback (most recent call last):\r\n  File \"x\"\r\nValueError: no\r\n")

    @Test(arguments: ["--query", "--script", "lines"]) func aTracebackFails(way: String) async throws {
        let raising = runner { id, _ in Self.lastWords + [.answered(id, "I", nil), .sent(id, awaitsReceipt: true), .delivered(id)] }
        #expect(try await run(Self.arguments(way, in: folder), raising, input: Self.input(way)) == 1)
        #expect(harness.diagnostics.contains("note: the unit's program raised ValueError: no\n"))
        #expect(harness.diagnostics.contains("error NOA-0020: the unit's program raised ValueError: no"))
        #expect(!harness.diagnostics.contains("unit: "))
    }

    @Test(arguments: ["--query", "--script", "lines"]) func aTracebackRightBehindTheReceiptFails(way: String) async throws {
        let raising = runner { id, _ in
            [.answered(id, "never", nil), .sent(id, awaitsReceipt: true), .delivered(id)] + Self.lastWords
        }
        #expect(try await run(Self.arguments(way, in: folder), raising, input: Self.input(way)) == 1)
        #expect(harness.diagnostics.contains("error NOA-0020: the unit's program raised ValueError: no"))
    }

    @Test(arguments: ["--query", "--script", "lines"]) func aProgramThatEndsFails(way: String) async throws {
        let ending = runner { _, _ in [.programEnded] }
        #expect(try await run(Self.arguments(way, in: folder), ending, input: Self.input(way)) == 1)
        #expect(harness.diagnostics.contains("error NOA-0021: the unit's program has ended"))
    }

    /// Kept in the transcript and in JSON, shown with `-v`.
    @Test func whatTheProgramPrintsIsKept() async throws {
        let transcript = folder.appendingPathComponent("talk.txt")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let printing = runner { id, _ in Array(Self.lastWords.prefix(1)) + [.consoleLeftOut(lines: 7)] + Self.echo(id, "hi") }
        #expect(await run(["--query", "hi", "-v", "--transcript", transcript.path], printing) == 0)
        #expect(harness.diagnostics.contains("unit: print\u{FFFD}[2J\nunit: (7 more lines)\n"))
        let kept = try String(contentsOf: transcript, encoding: .utf8)
        #expect(kept.contains(" py> print\u{FFFD}[2J\n") && kept.contains(" py> (7 more lines)\n"))
        harness.clear()
        #expect(await run(["--query", "hi", "--json"], printing) == 0)
        #expect(harness.output.contains(#"{"event":"consoleLeftOut","lines":7}"#))
        harness.clear()
        #expect(await run(["--query", "hi", "--json"], runner { _, _ in Self.lastWords }) == 1)
        #expect(harness.output.contains(#"{"event":"raised","text":"ValueError: no","traceback":"Traceback"#))
        #expect(harness.output.contains(#""code":"NOA-0020""#))
    }

    @Test func whatTheDisplayShowsOtherwiseIsTold() async throws {
        let folded = runner { id, _ in
            [
                .answered(id, "Größe", nil), .folded(id, TextFolding(similar: 1, unknown: 2, omitted: 0)), .delivered(id),
                .folded(id, TextFolding(omitted: 7)),
            ]
        }
        #expect(await run(["--query", "hi", "--json"], folded) == 0)
        #expect(harness.output.contains(#"{"event":"folded","id":1,"similar":1,"unknown":2,"omitted":0}"# + "\n"))
        #expect(ChatWords.say(.folded(ExchangeID(number: 1), TextFolding(similar: 1, unknown: 2)))
            == .init(kind: .state, lines: ["on the display: 1 character shown by similar ones, 2 characters shown as ?"]))
        #expect(ChatWords.say(.folded(ExchangeID(number: 1), TextFolding(omitted: 7)))
            == .init(kind: .trouble, lines: ["on the display: 7 characters left out, more than its program holds"]))
    }

    @Test func linesOfAnotherProgramAreQuestions() async {
        let input = TextSource(isTerminal: false) { raw, sink in
            #expect(!raw)
            return CannedInput(["one\ntw", "o\n\n", "three"], sink)
        }
        #expect(await run(["--virtual", "monocle"], runner(answer: Self.echo), input: input) == 0)
        #expect(harness.output == "I heard: one\nI heard: two\nI heard: three\n")
    }

    /// Each question has its own end: another one's, or the wearer's, is not taken for it.
    @Test func linesWaitForTheirOwnAnswers() async {
        let wearer = ExchangeID(number: 900)
        let busy = runner { id, text in
            if text == "one" {
                // Its error is shown on the unit a moment after the wearer was answered.
                return [
                    .thinking(id), .asked(wearer, .spoken(seconds: 1, photo: false, cut: nil)), .delivered(wearer),
                    .failed(id, AssistantError.emptyAnswer), .delivered(id),
                ]
            }
            return [.cancelled(wearer, .nothingSaid)] + Self.echo(id, text)
        }
        let input = TextSource(isTerminal: false) { _, sink in CannedInput(["one\ntwo\nthree"], sink) }
        #expect(await run(["--virtual", "monocle"], busy, input: input) == 1)
        #expect(harness.output == "I heard: two\nI heard: three\n")
        harness.clear()
        #expect(await run(["--virtual", "monocle", "--query", "two"], busy) == 0)
        #expect(harness.output == "I heard: two\non the unit's display:\n")
    }

    @Test func manyLinesAreNotLost() async {
        let lines = (1...300).map { "question \($0) \(String(repeating: "x", count: 1000))" }
        let pieces = stride(from: 0, to: 300, by: 50).map { lines[$0..<$0 + 50].joined(separator: "\n") + "\n" }
        let input = TextSource(isTerminal: false) { _, sink in CannedInput(pieces, sink) }
        #expect(await run(["--virtual", "monocle"], runner(answer: Self.echo), input: input) == 0)
        #expect(harness.output == lines.map { "I heard: \($0)\n" }.joined())
    }

    @Test func aLineThatIsTooLongIsNamed() async {
        let input = TextSource(isTerminal: false) { _, sink in CannedInput(["one\n", String(repeating: "x", count: 9000)], sink) }
        #expect(await run(["--virtual", "monocle"], runner(answer: Self.echo), input: input) == 65)
        #expect(harness.output == "I heard: one\n")
        #expect(harness.diagnostics.contains("error NOA-0016: a line of standard input is longer than 8192 bytes"))
    }

    /// A single question has an end when its unit does not come back.
    @Test func aUnitThatStaysAwayEndsAQuestion() async {
        let lost = runner { id, _ in [.thinking(id), .lost(reason: "gone"), .reconnecting(after: .seconds(1)), .connecting(attempt: 2), .lost(reason: "gone")] }
        #expect(await run(["--query", "hello"], lost) == 75)
        #expect(harness.diagnostics.contains("error NOA-0017: the link was lost, and the unit did not come back within 60 s"))
    }

    /// NOA-0017 says what was seen of the unit.
    @Test func aUnitThatComesBackAndIsNeverReadyEndsAQuestion() async {
        let lost = runner { id, _ in
            [.thinking(id)] + (1...3).flatMap { _ in
                [.lost(reason: "ATT error 0x3"), .reconnecting(after: .seconds(1)), .connecting(attempt: 1), .connected(UnitStatus())] as [ChatEvent]
            }
        }
        #expect(await run(["--query", "hello"], lost) == 75)
        #expect(harness.diagnostics.contains("error NOA-0017: the link was lost, and the unit came back 3 times without its program being ready in 60 s"))
        #expect(harness.diagnostics.contains("(ATT error 0x3)"))
    }

    @Test func lineEndsWithAUnitThatStaysAway() async {
        let input = TextSource(isTerminal: false) { _, sink in CannedInput(["one\ntwo\n"], sink) }
        let lost = runner { id, _ in [.thinking(id), .lost(reason: "gone"), .reconnecting(after: .seconds(1))] }
        #expect(await run([], lost, input: input) == 75)
        #expect(harness.diagnostics.contains("error NOA-0017"))
    }

    @Test func anAnswerThatIsRefusedIsToldWithItsReason() async {
        let refusing = runner { id, _ in
            [.thinking(id), .answered(id, "x", nil), .undeliverable(id, .linksLost(count: 5, reason: "the unit refused a write\u{1B}[2J"))]
        }
        #expect(await run(["--virtual", "monocle", "--query", "hello"], refusing) == 1)
        #expect(harness.diagnostics.contains(
            "error NOA-0019: the answer did not arrive: the link was lost 5 times in a row, last because the unit refused a write\\u{1b}[2J"))
        #expect(!harness.diagnostics.contains("\u{1B}"))
    }

    /// A chat that does not end after a signal has an end all the same.
    @Test func aChatThatHangsEndsWithAnEvent() async throws {
        let interrupts = harness.interrupts
        let hanging = runner { _, _ in
            interrupts.lastWords.speak()
            return [.lost(reason: "gone")]
        }
        _ = await run(["--virtual", "monocle", "--query", "hello", "--json"], hanging)
        let ends = harness.output.split(separator: "\n").filter { $0.contains(#""event":"end""#) }
        #expect(ends.count == 1 && ends[0].contains(#""code":"NOA-0014""#), "\(harness.output)")
        #expect(harness.diagnostics.contains("error NOA-0014"))
    }

    /// The limit of an expectation holds whatever the expression is.
    @Test func anExpressionThatWouldNeverEndDoes() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = folder.appendingPathComponent("a.txt")
        try Data("send \(String(repeating: "a", count: 200))!\nexpect ^(a+)+$ within 2s\n".utf8).write(to: script)
        let answering = runner { id, text in [.asked(id, .typed(text)), .answered(id, text, nil), .delivered(id)] }
        #expect(await run(["--virtual", "monocle", "--script", script.path], answering) == 1)
        #expect(harness.diagnostics.contains("error NOA-0010: line 2: nothing matched ^(a+)+$ within 2 s"))
    }

    /// A program that reads events gets a beginning and an end, whatever happens.
    @Test func aUnitWithOtherVersionsIsToldAsJSON() async throws {
        let drifted = FakeRunner(onVerify: { _, _ in try Sample.verified(scriptsMatch: false) })
        #expect(await run(["--virtual", "monocle", "--query", "hi", "--json"], drifted) == 1)
        let lines = harness.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 2 && lines[0].hasPrefix(#"{"event":"begin","schema":"noafw.chat/1""#))
        let end = try ToolBench.json(lines[1])
        #expect(end["verdict"] as? String == "fail" && (end["error"] as? [String: Any])?["code"] as? String == "NOA-0013")
    }

    /// The limit is for all of it.
    @Test func theTimeLimitCoversTheVerification() async {
        let time = harness.time
        let slow = FakeRunner(
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

    @Test func scriptDoesAndExpects() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = try write("""
            send hello
            expect ^I heard: hel+o$ within 600s
            tap B
            """)
        let hands = Inbox<String>()
        #expect(await run(["--virtual", "monocle", "--script", script], runner(hands: hands, answer: Self.echo)) == 0, "\(harness.diagnostics)")
        #expect(hands.poll() == "tap(VirtualDevices.UserInput.Pad.B)")
    }

    /// What the unit's program prints is no part of the conversation.
    @Test func aPrintedLineMeetsNoExpectation() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = try write("send hello\nexpect printed within 60s\n")
        let printing = runner { id, text in ConsoleSample.events("printed\r\n") + Self.echo(id, text) }
        #expect(await run(["--virtual", "monocle", "--script", script], printing) == 1)
        #expect(harness.diagnostics.contains("error NOA-0010: line 2: nothing matched printed within 60 s"))
        #expect(!harness.diagnostics.contains("seen: \"printed\""))
    }

    @Test func anExpectationThatIsNotMetSaysWhatWasSeen() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = try write("# 1\nsend hello\nexpect good morning within 60s\nsend never\n")
        #expect(await run(["--virtual", "monocle", "--script", script], runner(answer: Self.echo)) == 1)
        #expect(harness.diagnostics.contains("error NOA-0010: line 3: nothing matched good morning within 60 s"))
        #expect(harness.diagnostics.contains("\"I heard: hello\""))
        #expect(!harness.output.contains("never"))
    }

    @Test func aFaultyScriptTouchesNoUnit() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = try write("send hello\ntap\n")
        #expect(await run(["--device", "D3:5A:00:11:22:33", "--script", script], FakeRunner()) == 65)
        #expect(harness.diagnostics.contains("line 2: 'tap' needs a virtual unit"))
    }

    @Test func transcriptAndPictures() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let picture: [UInt8] = [0xFF, 0xD8, 0xFF, 1, 2, 3]
        let media = folder.appendingPathComponent("media")
        try FileManager.default.createDirectory(at: media, withIntermediateDirectories: true)
        try Data("old".utf8).write(to: media.appendingPathComponent("photo-0001.jpg"))
        let transcript = folder.appendingPathComponent("talk.txt")
        let runner = self.runner { id, text in [.photo(picture)] + Self.echo(id, text) }
        let arguments = ["--virtual", "monocle", "--query", "hi", "--save-media", media.path, "--transcript", transcript.path]
        for _ in 0..<2 { #expect(await run(arguments, runner) == 0) }
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
        let drifted = FakeRunner(onVerify: { _, _ in try Sample.verified(scriptsMatch: false) })
        #expect(await run(["--nearest", "--adapter", "hci1", "--query", "hi"], drifted) == 1)
        #expect(harness.diagnostics.contains("error NOA-0013: the unit differs from the catalogue in: scripts"))
        #expect(harness.diagnostics.contains("run: noafw flash --device D3:5A:00:11:22:33 --adapter hci1 --only scripts (or"))
    }

    @Test func theVeryUnitThatWasLookedAtIsTalkedTo() async throws {
        let address = try #require(DeviceAddress("D3:5A:00:11:22:33"))
        let runner = FakeRunner(
            onVerify: { request, _ in
                #expect(request.unit == .radio(RadioSelection(wish: .nearest, adapter: nil)))
                return try Sample.verified(scriptsMatch: true)
            },
            onChat: { request, _ in
                #expect(request.unit == .radio(RadioSelection(wish: .address(address), adapter: nil)))
                return ChatVerdict()
            })
        #expect(await run(["--nearest", "--query", "hi"], runner) == 0)
    }

    @Test func withoutVerification() async {
        let runner = FakeRunner(onChat: { _, _ in ChatVerdict() })
        #expect(await run(["--no-verify", "--query", "hi"], runner) == 0)
    }

    @Test(arguments: [
        (["--query", "a", "--script", "b"], 64), (["--query", " "], 64), (["--assistant", "echo", "--model", "m"], 64),
        (["--virtual", "monocle", "--device", "x"], 64), (["--timeout", "0"], 64), (["--api-key", "k"], 64),
        (["--assistant", "openai", "--query", "a"], 66), (["--base-url", "ftp://x", "--query", "a"], 64),
        (["--virtual", "monocle", "--virtual-speed", "max", "--base-url", "http://localhost:1", "--query", "a"], 64),
        (["--script", "/does/not/exist"], 66),
    ] as [([String], Int32)])
    func usage(arguments: [String], code: Int32) async {
        #expect(await run(arguments, FakeRunner()) == code, "\(harness.diagnostics)")
    }

    @Test(arguments: [
        ([], [:], "echo"), ([], ["NOAFW_API_KEY": "sk-1"], "gpt-4o-mini at api.openai.com"),
        (["--assistant", "echo"], ["NOAFW_API_KEY": "sk-1"], "echo"),
        (["--base-url", "http://localhost:8080", "--model", "llama"], [:], "llama at localhost"),
    ] as [([String], [String: String], String)])
    func theAssistantIsWhatIsConfigured(arguments: [String], environment: [String: String], name: String) async {
        let names = Inbox<String>()
        let runner = FakeRunner(onChat: { request, _ in
            names.deliver(request.assistant.name)
            return ChatVerdict()
        })
        #expect(await run(["--no-verify", "--query", "a"] + arguments, runner, environment: environment) == 0)
        #expect(names.poll() == name)
    }

    private func write(_ script: String) throws -> String {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("smoke.txt")
        try Data(script.utf8).write(to: file)
        return file.path
    }

    private func mode(_ file: URL) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int)
    }
}

/// Pieces that come one by one, then the end.
final class CannedInput: TypedInput {
    private let pieces: Mutex<[String]>
    private let sink: TextSource.Sink

    init(_ pieces: [String], _ sink: @escaping TextSource.Sink) {
        self.pieces = Mutex(pieces)
        self.sink = sink
    }

    func more() {
        let piece = pieces.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        sink(piece.map { Array($0.utf8) })
    }

    func close() {}
}

/// What a chat tells of a console.
private enum ConsoleSample {
    static func events(_ text: String) -> [ChatEvent] {
        var reader = ConsoleReader()
        return reader.receive(Array(text.utf8)).map {
            switch $0 {
            case .line(let line): .console(line)
            case .raised(let exception): .raised(exception)
            case .ended: .programEnded
            }
        }
    }
}
