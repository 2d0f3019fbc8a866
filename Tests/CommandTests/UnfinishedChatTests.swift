import Assistant
import Bluetooth
import Foundation
import Glibc
import Provisioning
import Support
import TestSupport
import Testing

@testable import noafw

/// What a conversation leaves, and what the next one makes of it.
@Suite struct UnfinishedChatTests {
    private static let unit = DeviceAddress("D3:5A:00:11:22:33")!
    private static let other = DeviceAddress("E1:00:00:00:00:FF")!
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var chats: UnfinishedChats { chats(at: 1_000_000) }
    private func chats(at seconds: Double) -> UnfinishedChats {
        UnfinishedChats(stateFolder: folder.path, now: { Date(timeIntervalSince1970: seconds) })
    }

    private func keeper(keepsAnswers: Bool = true, of unit: DeviceAddress = unit) -> AnswerKeeper {
        AnswerKeeper(chats, unit: unit, isResumable: true, keepsAnswers: keepsAnswers) { Issue.record("\($0)") }
    }

    private var path: String { folder.path("unfinished/D3-5A-00-11-22-33.json") }
    private static func id(_ number: Int) -> TurnID { TurnID(number: number) }

    // MARK: - Which answers

    @Test(arguments: [
        ([.answered(id(1), "one", nil)], ["one"]), ([.answered(id(1), "", nil)], []),
        ([.answered(id(1), "one", nil), .delivered(id(1))], []), ([.answered(id(1), "one", nil), .sent(id(1), awaitsReceipt: false)], []),
        ([.answered(id(1), "one", nil), .sent(id(1), awaitsReceipt: true), .repeated(id(1), .noReceipt)], ["one"]),
        ([.answered(id(1), "one", nil), .undeliverable(id(1), .noReceipt)], ["one"]),
        ([.answered(id(1), "one", nil), .cancelled(id(1), .byWearer)], []),
        ([.answered(id(1), "one", nil), .cancelled(id(1), .queueFull)], ["one"]),
        ([.answered(id(1), "one", nil), .answered(id(2), "two", nil), .delivered(id(1)), .lost(reason: "x")], ["two"]),
        ([.asked(id(1), .notice("n")), .delivered(id(1))], []),
    ] as [([ChatEvent], [String])])
    func theUnitsWordCounts(events: [ChatEvent], kept: [String]) {
        let keeper = keeper()
        #expect(keeper.begin() == [])
        for event in events { keeper.take(event) }
        #expect(keeper.waiting.map(\.text) == kept && chats.load(Self.unit).answers.map(\.text) == kept)
        keeper.end()
        #expect(chats.load(Self.unit).answers.map(\.text) == kept)
        #expect(FileManager.default.fileExists(atPath: path) == !kept.isEmpty, "no file is left without an answer")
    }

    /// Told once, each goes with its own receipt; new ones come behind.
    @Test func earlierAnswersAreOfferedOnceAndInOrder() {
        var before = keeper()
        _ = before.begin()
        for number in 1...3 { before.take(.answered(Self.id(number), "answer \(number)", nil)) }
        before = keeper()
        #expect(before.begin() == ["answer 1", "answer 2", "answer 3"] && before.begin() == [])
        for number in 1...3 { before.take(.asked(Self.id(number), .notice("answer \(number)"))) }
        before.take(.asked(Self.id(4), .typed("q")))
        before.take(.answered(Self.id(4), "new", nil))
        before.take(.delivered(Self.id(2)))
        #expect(before.waiting.map(\.text) == ["answer 1", "answer 3", "new"])
        before.take(.delivered(Self.id(1)))
        before.take(.cancelled(Self.id(3), .queueFull))
        #expect(keeper().begin() == ["answer 3", "new"])
    }

    @Test func aRefusalDropsThem() {
        let first = keeper()
        _ = first.begin()
        first.take(.answered(Self.id(1), "one", nil))
        let second = keeper()
        second.drop()
        #expect(second.begin() == [])
        second.end()
        #expect(keeper().waiting == [] && !FileManager.default.fileExists(atPath: path))
    }

    /// A script's conversation is a test: it neither keeps nor shows, and takes nothing from a person's.
    @Test func aScriptLeavesThemAlone() {
        let first = keeper()
        _ = first.begin()
        first.take(.answered(Self.id(1), "one", nil))
        first.end()
        let script = keeper(keepsAnswers: false)
        #expect(script.waiting == [] && script.begin() == [])
        script.take(.answered(Self.id(1), "mine", nil))
        script.take(.delivered(Self.id(1)))
        script.end()
        #expect(keeper().waiting.map(\.text) == ["one"])
    }

    // MARK: - The file

    @Test func theFileIsForItsOwnerAndBounded() throws {
        let keeper = keeper()
        _ = keeper.begin()
        for number in 1...40 { keeper.take(.answered(Self.id(number), "\(number) " + String(repeating: "é", count: 8000), nil)) }
        keeper.take(.answered(Self.id(41), String(repeating: "x", count: 40_000), nil))
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600 && status.st_size < 1 << 20)
        let kept = chats.load(Self.unit).answers
        #expect(kept.count == 16 && kept.first?.text.hasPrefix("25 ") == true && kept.last?.text.hasPrefix("40 ") == true, "\(kept.count)")
    }

    @Test func anOldAnswerIsGivenUp() {
        let keeper = keeper()
        _ = keeper.begin()
        keeper.take(.answered(Self.id(1), "one", nil))
        #expect(chats(at: 1_000_000 + 23 * 3600).load(Self.unit).answers.count == 1)
        let late = chats(at: 1_000_000 + 25 * 3600)
        #expect(late.load(Self.unit).answers == [] && late.cutOff == nil)
        #expect(chats.cutOff == Self.unit)
    }

    @Test(arguments: ["", "{", "{}", "[1]", "{\"schema\":\"noafw.unfinished/2\",\"unit\":\"D3:5A:00:11:22:33\",\"answers\":[]}"])
    func whatIsNoSuchFileIsNothing(text: String) throws {
        try FileManager.default.createDirectory(atPath: folder.path("unfinished"), withIntermediateDirectories: true)
        try folder.write(text, to: "unfinished/D3-5A-00-11-22-33.json")
        try folder.write("x", to: "unfinished/nobody.json")
        #expect(chats.load(Self.unit).answers == [] && chats.cutOff == nil)
        let keeper = keeper()
        _ = keeper.begin()
        keeper.take(.answered(Self.id(1), "one", nil))
        #expect(chats.load(Self.unit).answers.map(\.text) == ["one"])
    }

    /// A process is killed at any write: what stands is the old file or the new one.
    @Test func aKillAtAWriteLeavesAWholeFile() throws {
        let keeper = keeper()
        _ = keeper.begin()
        keeper.take(.answered(Self.id(1), "one", nil))
        // What a kill between the two steps of a write leaves.
        try folder.write("{\"schema\":\"noafw.unf", to: "unfinished/D3-5A-00-11-22-33.json.new")
        #expect(chats.load(Self.unit).answers.map(\.text) == ["one"] && chats.cutOff == Self.unit)
        keeper.take(.answered(Self.id(2), "two", nil))
        #expect(chats.load(Self.unit).answers.map(\.text) == ["one", "two"])
    }

    // MARK: - Whose chat was cut off

    @Test func onlyOneThatNobodyWorksOnIsResumed() throws {
        #expect(chats.cutOff == nil)
        _ = keeper().begin()
        #expect(chats.cutOff == Self.unit)
        let lock = try UnitLock(unit: Self.unit, stateFolder: folder.path)
        #expect(chats.cutOff == nil, "its chat goes on")
        let second = keeper(of: Self.other)
        _ = second.begin()
        #expect(chats.cutOff == Self.other)
        withExtendedLifetime(lock) {}
    }

    /// A chat with another unit makes that the last one; an end as it should be leaves none.
    @Test func theLastOneCounts() {
        _ = keeper().begin()
        let second = keeper(of: Self.other)
        _ = second.begin()
        #expect(chats.cutOff == Self.other)
        second.end()
        #expect(chats.cutOff == nil)
    }

    /// Two that were cut off at the same time: noafw does not guess.
    @Test func twoAreNoChoice() throws {
        do {
            let lock = try UnitLock(unit: Self.unit, stateFolder: folder.path)
            _ = keeper().begin()
            _ = keeper(of: Self.other).begin()
            withExtendedLifetime(lock) {}
        }
        #expect(throws: Never.self) { _ = try UnitLock(unit: Self.unit, stateFolder: folder.path) }
        #expect(chats.cutOff == nil)
    }
}

/// `noafw chat` in-process, beside what an earlier one left.
@Suite(.timeLimit(.minutes(2))) struct UnfinishedChatCommandTests {
    private static let unit = DeviceAddress("D3:5A:00:11:22:33")!
    private let harness = Harness(wakingUntil: .seconds(1_000_000))
    private let folder: TemporaryFolder
    private let told = Inbox<String>()
    private let requests = Inbox<ChatRequest>()

    init() throws { folder = try TemporaryFolder() }

    /// A unit that gets what is told, and answers of which it gets none.
    private var services: FakeServices {
        FakeServices(onChat: { [told, requests] request, body in
            requests.deliver(request)
            return try await body(ChatEnvironment(clock: .continuous, family: "monocle", address: Self.unit) { commands, report in
                report(.connected(UnitStatus()))
                report(.ready)
                var count = 0
                while let command = try await commands.next(before: SessionClock.continuous.deadline(in: .seconds(60)), on: .continuous) {
                    count += 1
                    let id = TurnID(number: count)
                    switch command {
                    case .ask(let text):
                        report(.asked(id, .typed(text)))
                        report(.answered(id, "I heard: \(text)", nil))
                        report(.undeliverable(id, .noReceipt))
                    case .tell(let text):
                        told.deliver(text)
                        report(.asked(id, .notice(text)))
                        report(.delivered(id))
                    default: break
                    }
                }
            })
        })
    }

    private func context(_ arguments: [String]) -> CommandContext {
        var context = harness.context(
            ["chat", "--no-verify"] + arguments, services: services,
            environment: ["HOME": folder.path, "NOAFW_STATE_DIR": folder.path, "NO_COLOR": "1"])
        context.date = { Date(timeIntervalSince1970: 1_000_000) }
        return context
    }

    private func lines(_ lines: String, _ arguments: [String] = []) async -> Int32 {
        var context = context(arguments)
        context.input = TextSource(isTerminal: false) { _, sink in Lines(text: lines, sink: sink) }
        return await Noafw.execute(in: context)
    }

    private struct Lines: TypedInput {
        let pieces: Inbox<[UInt8]?>
        let sink: TextSource.Sink

        init(text: String, sink: @escaping TextSource.Sink) {
            (pieces, self.sink) = (Inbox(), sink)
            for piece in [Array(text.utf8), nil] { pieces.deliver(piece) }
        }

        func more() { if let piece = pieces.poll() { sink(piece) } }
        func close() {}
    }

    private var kept: [String] {
        UnfinishedChats(stateFolder: folder.path, now: { Date(timeIntervalSince1970: 1_000_000) }).load(Self.unit).answers.map(\.text)
    }

    @Test func linesAreToldAndTheAnswerIsOfferedOnce() async {
        #expect(await lines("hello\n") == 1)
        #expect(kept == ["I heard: hello"] && told.poll() == nil)
        #expect(await lines("again\n", ["--no-keep"]) == 1)
        #expect(kept == ["I heard: hello"] && told.poll() == nil && !harness.diagnostics.contains("an earlier chat"))
        #expect(await lines("more\n") == 1)
        #expect(harness.diagnostics.contains("note: an answer of an earlier chat did not reach the unit"))
        #expect(told.poll() == "I heard: hello" && told.poll() == nil && kept == ["I heard: more"])
    }

    @Test(arguments: ["y\n", "n\n"]) func aPersonIsAsked(answer: String) async throws {
        #expect(await lines("hello\n") == 1)
        let terminal = FakeTerminal()
        let context = terminal.attach(context([]))
        async let code = Noafw.execute(in: context)
        try await terminal.waitFor("  I heard: hello")
        try await terminal.waitFor("show it on the unit now? Otherwise it is dropped. [y/N] ")
        terminal.type(answer)
        if answer == "y\n" { try await terminal.waitFor("for the display: I heard: hello") }
        try await terminal.waitFor("> ")
        terminal.type("\u{04}")
        #expect(await code == 0 && kept == [])
        #expect(told.poll() == (answer == "y\n" ? "I heard: hello" : nil))
    }

    /// Nobody is asked where the unit is named; where it is not, the one whose chat was cut off is meant.
    @Test func theUnitOfAChatThatWasCutOffIsMeant() async throws {
        let chats = UnfinishedChats(stateFolder: folder.path, now: { Date(timeIntervalSince1970: 1_000_000) })
        let cut = AnswerKeeper(chats, unit: Self.unit, isResumable: true, keepsAnswers: true) { _ in }
        for (arguments, resumes) in [([], Self.unit), (["--nearest"], nil), (["--no-keep"], nil)] as [([String], DeviceAddress?)] {
            _ = cut.begin()
            _ = await lines("", arguments)
            #expect(requests.poll()?.unit.resumes == resumes, "\(arguments)")
        }
        cut.end()
        _ = await lines("")
        #expect(requests.poll()?.unit.resumes == nil)
    }
}

/// The built tool, killed while the unit has yet to get an answer.
@Suite(.serialized, .enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"))
struct KilledChatTests {
    private static let unit = ["--virtual", "monocle"]

    @Test func theAnswerSurvivesTheProcess() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let flash = try bench.run(["flash"] + Self.unit + ["--virtual-speed", "max", "--only", "scripts"])
        #expect(flash.status == 0, "\(flash.errors)")
        let chat = ["chat"] + Self.unit + ["--assistant", "echo", "--no-verify"]
        let question = Array(repeating: "again", count: 300).joined(separator: " ")
        let tool = try bench.start(chat, input: question + "\n")
        let unfinished = bench.state.appendingPathComponent("unfinished")
        func answers() -> [String] {
            let files = (try? FileManager.default.contentsOfDirectory(at: unfinished, includingPropertiesForKeys: nil)) ?? []
            return files.filter { $0.pathExtension == "json" }.flatMap { file -> [String] in
                let chat = try? JSONDecoder().decode(UnfinishedChats.Chat.self, from: Data(contentsOf: file))
                return chat?.answers.map(\.text) ?? ["what is no such file"]
            }
        }
        let end = ContinuousClock.now.advanced(by: .seconds(60))
        while answers().isEmpty, ContinuousClock.now < end { Thread.sleep(forTimeInterval: 0.002) }
        tool.signal(SIGKILL)
        _ = tool.wait()
        #expect(answers() == ["I heard: \(question)"])
        let next = try bench.run(chat + ["--virtual-speed", "4"], input: "next\n")
        #expect(next.status == 0, "\(next.errors)")
        #expect(next.errors.contains("an answer of an earlier chat did not reach the unit"))
        #expect(next.errors.components(separatedBy: "delivered to the unit").count == 3, "\(next.errors)")
        #expect(answers() == [])
        let last = try bench.run(chat + ["--virtual-speed", "4"], input: "last\n")
        #expect(last.status == 0 && !last.errors.contains("earlier chat"), "\(last.errors)")
    }
}
