import Bluetooth
import Support
import TestSupport
import Support
import Testing

@testable import Assistant
@testable import MonocleFamily

@Suite struct ChatMachineTests {
    var machine = ChatMachine(
        relay: MonocleRelay(), conversation: Conversation(tokenLimit: 100), readyTimeout: .seconds(4),
        newConfirmation: { ConfirmationID("id") })
    var now = Duration.zero

    mutating func handle(_ inputs: ChatMachine.Input...) -> [ChatMachine.Action] {
        inputs.flatMap { machine.handle($0, now: .init(offset: now)) }
    }

    mutating func come() {
        _ = handle(.linkUp(payloadSize: 253, UnitStatus()), .packet(Array("rdy:".utf8)))
    }

    func events(_ actions: [ChatMachine.Action]) -> [String] {
        actions.compactMap { if case .report(let event) = $0 { ChatBench.brief(event) } else { nil } }
    }

    func packets(_ actions: [ChatMachine.Action]) -> [String] {
        actions.compactMap { if case .send(let packet) = $0 { String(decoding: packet, as: UTF8.self) } else { nil } }
    }

    @Test mutating func tooManyTokensClearTheHistory() {
        _ = handle(.command(.ask("one")), .progress(work: 1, .text("1")))
        #expect(machine.turns.conversation.messages.count == 1)
        let told = events(handle(.answered(work: 1, .success(AnswerSummary(totalTokens: 101)))))
        #expect(told == ["answered(1, \"1\", nil)", "historyCleared(Assistant.ChatEvent.ClearReason.tokenLimit)"])
        #expect(machine.turns.conversation.messages.isEmpty)
    }

    @Test mutating func anotherModeClearsTheHistory() {
        _ = handle(.command(.ask("one")), .progress(work: 1, .text("1")), .answered(work: 1, .success(AnswerSummary())))
        #expect(events(handle(.command(.switchMode(.translator)))).count == 2)
        #expect(events(handle(.command(.switchMode(.translator)))).isEmpty)
        #expect(machine.turns.conversation.messages.isEmpty && machine.turns.conversation.mode == .translator)
    }

    @Test mutating func questionsAreBounded() {
        for number in 1...1000 { _ = handle(.command(.ask("question \(number)"))) }
        // The one being worked on has its answer in the outbox already.
        #expect(machine.turns.waiting.count == TurnQueue.limit - 2)
        #expect(machine.outbox.count == 1)
    }

    @Test mutating func lateWorkIsIgnored() {
        _ = handle(.command(.ask("one")), .command(.cancelAnswer), .command(.ask("two")))
        #expect(events(handle(.progress(work: 1, .text("old")), .answered(work: 1, .success(AnswerSummary())))).isEmpty)
        #expect(events(handle(.progress(work: 2, .text("new")))) == ["answerPiece(2, \"new\")"])
    }

    /// Whoever asks waits for an outcome.
    @Test(arguments: ["\u{1}", "", " \u{7F}\t", "\u{0}\n\u{1}"]) mutating func aQuestionOfNothingHasAnEnd(text: String) {
        #expect(events(handle(.command(.ask(text)))) == [
            "asked(1, Assistant.ChatEvent.Question.typed(\"\"))", "cancelled(1, Assistant.ChatEvent.Cancellation.nothingSaid)",
        ])
        #expect(machine.outbox.isEmpty && machine.turns.waiting.isEmpty && machine.turns.current == nil)
        #expect(!SessionCommand.isQuestion(text))
    }

    @Test mutating func aRecordingThatIsNoQuestionIsTold() {
        come()
        #expect(events(handle(.packet(Array("ast:".utf8)))) == ["listening"])
        #expect(events(handle(.packet(Array("can:".utf8)))) == ["recordingDropped(Assistant.ChatEvent.RecordingDrop.givenUp)"])
        _ = handle(.packet(Array("ast:".utf8)))
        #expect(events(handle(.packet(Array("aen:".utf8)))) == ["recordingDropped(Assistant.ChatEvent.RecordingDrop.empty)"])
        #expect(events(handle(.packet(Array("can:".utf8)), .packet(Array("aen:".utf8)))) == [])
    }

    @Test mutating func whoTapsAQuestionAwayGetsNothingOfIt() {
        come()
        _ = handle(.packet(Array("ast:".utf8)), .packet(Array("dat:".utf8) + [1, 2]), .packet(Array("aen:".utf8)))
        _ = handle(.heard(work: 1, .success("well?")), .sent, .packet(Array("pon:id".utf8)))
        now = .seconds(1)
        #expect(packets(handle(.progress(work: 2, .text("Once upon a time ")))) == ["res:Once upon a time"])
        let given = handle(.packet(Array("can:".utf8)))
        #expect(events(given).last == "cancelled(1, Assistant.ChatEvent.Cancellation.byWearer)")
        now = .seconds(2)
        #expect(packets(handle(.sent)) == [] && packets(handle(.progress(work: 2, .text("there ")))) == [])
        #expect(packets(handle(.tick)) == [])
        #expect(machine.outbox.isEmpty && machine.turns.current == nil)
    }

    @Test mutating func controlCharactersReachNobody() {
        come()
        _ = handle(.command(.ask("\u{1B}[2Jone\u{7}")))
        #expect(machine.turns.conversation.messages.last?.text == "[2Jone")
        #expect(packets(handle(.progress(work: 1, .text("\n a\u{1B}\tb\r\nc")))) == ["res:a b\nc"])
    }

    /// Data before the program's sign may meet a callback that is no more.
    @Test mutating func aUnitThatNeverSaysReadyGetsNothing() {
        _ = handle(.linkUp(payloadSize: 253, UnitStatus()), .command(.ask("one")))
        #expect(packets(handle(.progress(work: 1, .text("Hello")))) == [])
        now = .seconds(4)
        var actions = handle(.tick)
        #expect(actions.contains { if case .endLink = $0 { true } else { false } } && packets(actions) == [] && events(actions) == [])
        _ = handle(.linkDown(reason: "no sign"), .linkUp(payloadSize: 253, UnitStatus()))
        now = .seconds(8)
        actions = handle(.tick)
        #expect(packets(actions) == [] && events(actions) == ["silent"])
        #expect(machine.nextDeadline == nil)
        #expect(packets(handle(.packet(Array("rdy:".utf8)))) == ["res:Hello"])
    }

    /// One sign of its program is lost: the next link starts it again.
    private mutating func missSign() {
        now += .seconds(4)
        _ = handle(.tick, .linkDown(reason: "no sign"), .linkUp(payloadSize: 253, UnitStatus()))
    }

    /// An hour of chat may lose more than one sign.
    @Test mutating func eachLinkThatWasReadyMayLoseASignAgain() {
        for _ in 0..<3 {
            _ = handle(.linkUp(payloadSize: 253, UnitStatus()))
            missSign()
            #expect(events(handle(.packet(Array("rdy:".utf8)))) == ["ready"])
            _ = handle(.linkDown(reason: "lost"))
        }
    }

    @Test mutating func aSilentUnitDoesNotKeepAnEndedChat() {
        _ = handle(.linkUp(payloadSize: 253, UnitStatus()), .command(.ask("one")))
        _ = handle(.progress(work: 1, .text("Hello")), .answered(work: 1, .success(AnswerSummary())))
        _ = handle(.command(.finish))
        missSign()
        #expect(!machine.isFinished)
        now += .seconds(4)
        _ = handle(.tick)
        #expect(machine.isFinished)
    }

    /// Nor does one whose link is lost while the last question is answered.
    @Test mutating func aSilentUnitThatGoesDoesNotKeepAnEndedChat() {
        _ = handle(.linkUp(payloadSize: 253, UnitStatus()), .command(.ask("one")), .command(.finish))
        missSign()
        now += .seconds(4)
        _ = handle(.tick, .linkDown(reason: "gone"), .progress(work: 1, .text("Hello")))
        #expect(!machine.isFinished)
        _ = handle(.answered(work: 1, .success(AnswerSummary())))
        #expect(machine.isFinished && machine.outbox.count == 1)
    }

    /// Anything in any order: it never stands still with a deadline in the past, and holds no more than it may.
    @Test(arguments: 0..<20) mutating func anythingInAnyOrder(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        for _ in 0..<1500 {
            now += .milliseconds(Int.random(in: 0...400, using: &numbers))
            _ = handle(Self.anything(&numbers, work: machine.turns.workCount))
            if let deadline = machine.nextDeadline {
                if deadline.offset <= now { _ = handle(.tick) }
                #expect((machine.nextDeadline?.offset ?? .seconds(1_000_000)) > now)
            }
            #expect(machine.turns.waiting.count <= TurnQueue.limit && machine.outbox.count <= Outbox.limit)
            #expect((machine.link?.line.urgent.count ?? 0) <= PacketLine.urgentLimit + 1)
        }
    }

    static func anything(_ numbers: inout SeededNumbers, work: Int) -> ChatMachine.Input {
        let commands = [
            "rdy:", "rdy:rolls got", "got:5 185f8db3", "got:", "can:", "ast:", "ien:", "ist:", "idt:", "dat:", "aen:", "pon:id", "what"
        ]
        switch Int.random(in: 0..<16, using: &numbers) {
        case 0: return .linkUp(payloadSize: Int.random(in: 20...253, using: &numbers), UnitStatus())
        case 1: return .linkDown(reason: "test")
        case 2: return .sent
        case 3: return .command(.ask("question"))
        case 4:
            return .command(
                [.cancelAnswer, .retry, .clearHistory, .switchMode(.translator), .switchMode(.assistant)].randomElement(using: &numbers)
                    ?? .retry)
        case 5: return .heard(work: work, Bool.random(using: &numbers) ? .success("words") : .failure(AssistantError.emptyAnswer))
        case 6, 7: return .progress(work: work, .text(String(decoding: numbers.bytes(count: 30), as: UTF8.self)))
        case 8:
            return .answered(work: work, Bool.random(using: &numbers) ? .success(AnswerSummary()) : .failure(AssistantError.emptyAnswer))
        case 9: return Bool.random(using: &numbers) ? .tick : .console(numbers.bytes(count: 300) + Array("\r\n>>> ".utf8))
        default:
            let command = commands.randomElement(using: &numbers) ?? ""
            return .packet(Array(command.utf8) + numbers.bytes(count: Int.random(in: 0...200, using: &numbers)))
        }
    }
}
