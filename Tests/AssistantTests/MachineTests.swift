import Bluetooth
import Support
import TestSupport
import Testing

@testable import Assistant

@Suite struct OutboxTests {
    private var outbox = Outbox()
    private let id = ExchangeID(number: 1)

    private func at(_ milliseconds: Int) -> SessionClock.Instant { .init(offset: .milliseconds(milliseconds)) }

    private mutating func next(_ milliseconds: Int, capacity: Int = 20) -> HostMessage? {
        outbox.next(capacity: capacity, now: at(milliseconds))
    }

    @Test mutating func theFirstWordsGoAtOnceAndTheRestWaitsForCompany() {
        _ = outbox.begin(id, link: nil)
        #expect(next(0) == nil)
        outbox.append("One", to: id)
        #expect(next(10) == .answer("One", isFirst: true, isLast: false))
        outbox.append(" two", to: id)
        #expect(next(20) == nil)
        #expect(outbox.nextDeadline == at(310))
        outbox.append(" three", to: id)
        #expect(next(310) == .answer(" two three", isFirst: false, isLast: false))
        outbox.append(" four five six seven eight", to: id)
        #expect(next(320) == .answer(" four five six seven", isFirst: false, isLast: false))
        #expect(next(330) == nil)
        outbox.end(id)
        #expect(next(340) == .answer(" eight", isFirst: false, isLast: true))
        #expect(outbox.deliveries.first?.hasEnded == true)
        outbox.removeFirst()
        #expect(outbox.isEmpty)
    }

    @Test mutating func aCharacterThatMayGrowWaits() {
        _ = outbox.begin(id, link: nil)
        outbox.append("👩", to: id)
        #expect(next(0) == nil)
        #expect(outbox.nextDeadline == nil)
        outbox.append("\u{200D}👧 ", to: id)
        #expect(next(1) == .answer("👩‍👧 ", isFirst: true, isLast: false))
    }

    @Test mutating func anEndAloneIsToldToo() {
        _ = outbox.begin(id, link: nil)
        outbox.append("All", to: id)
        #expect(next(0) == .answer("All", isFirst: true, isLast: false))
        #expect(outbox.deliveries.first?.hasEnded == false)
        outbox.end(id)
        #expect(next(1) == .answer("", isFirst: false, isLast: true))
        #expect(outbox.deliveries.first?.hasEnded == true)
        outbox.removeFirst()
    }

    @Test mutating func afterALossItBeginsAnew() {
        _ = outbox.begin(id, link: 1)
        outbox.append("One two", to: id)
        _ = next(0)
        outbox.end(id)
        outbox.rewind()
        #expect(next(1) == .answer("One two", isFirst: true, isLast: true))
    }

    @Test mutating func itIsBounded() {
        let dropped = (1...1000).map { outbox.add(error: "no", for: ExchangeID(number: $0), link: nil) }
        #expect(outbox.count == Outbox.limit)
        // The first one is going out.
        #expect(dropped == [ExchangeID?](repeating: nil, count: Outbox.limit) + (2...969).map { ExchangeID(number: $0) })
    }
}

@Suite struct ChatMachineTests {
    private var machine = ChatMachine(
        relay: MonocleRelay(), conversation: Conversation(tokenLimit: 100), readyTimeout: .seconds(4),
        newConfirmation: { ConfirmationID("id") })
    private var now = Duration.zero

    private mutating func handle(_ inputs: ChatMachine.Input...) -> [ChatMachine.Action] {
        inputs.flatMap { machine.handle($0, now: .init(offset: now)) }
    }

    private mutating func come() {
        _ = handle(.linkUp(payloadSize: 253, UnitStatus()), .packet(Array("rdy:".utf8)))
    }

    private func events(_ actions: [ChatMachine.Action]) -> [String] {
        actions.compactMap { if case .report(let event) = $0 { ChatBench.brief(event) } else { nil } }
    }

    private func packets(_ actions: [ChatMachine.Action]) -> [String] {
        actions.compactMap { if case .send(let packet) = $0 { String(decoding: packet, as: UTF8.self) } else { nil } }
    }

    @Test mutating func tooManyTokensClearTheHistory() {
        _ = handle(.command(.ask("one")), .progress(work: 1, .text("1")))
        #expect(machine.conversation.messages.count == 1)
        let told = events(handle(.answered(work: 1, .success(AnswerSummary(totalTokens: 101)))))
        #expect(told == ["answered(1, \"1\", nil)", "historyCleared(Assistant.ChatEvent.ClearReason.tokenLimit)"])
        #expect(machine.conversation.messages.isEmpty)
    }

    @Test mutating func anotherModeClearsTheHistory() {
        _ = handle(.command(.ask("one")), .progress(work: 1, .text("1")), .answered(work: 1, .success(AnswerSummary())))
        #expect(events(handle(.command(.switchMode(.translator)))).count == 2)
        #expect(events(handle(.command(.switchMode(.translator)))).isEmpty)
        #expect(machine.conversation.messages.isEmpty && machine.conversation.mode == .translator)
    }

    @Test mutating func aClearedHistoryIsNotContinuedByAnOldAnswer() {
        _ = handle(.command(.ask("one")), .progress(work: 1, .text("1")), .command(.clearHistory))
        _ = handle(.answered(work: 1, .success(AnswerSummary())))
        #expect(machine.conversation.messages.isEmpty)
    }

    @Test mutating func questionsAreBounded() {
        for number in 1...1000 { _ = handle(.command(.ask("question \(number)"))) }
        // The one being worked on has its answer in the outbox already.
        #expect(machine.queue.count == ChatMachine.questionLimit - 2)
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
        #expect(machine.outbox.isEmpty && machine.queue.isEmpty && machine.current == nil)
        #expect(!ChatCommand.isQuestion(text))
    }

    /// A unit that says `rdy:` over each link and refuses every write would be tried for ever.
    @Test mutating func anAnswerThatNoLinkTakesIsGivenUp() {
        come()
        _ = handle(.command(.ask("one")), .progress(work: 1, .text("Hello")), .answered(work: 1, .success(AnswerSummary())))
        for attempt in 1...ChatMachine.lossLimit {
            let told = events(handle(.linkDown(reason: "it refuses \(attempt)")))
            let isLast = attempt == ChatMachine.lossLimit
            #expect(told.contains { $0.hasPrefix("undeliverable(1, ") && $0.contains("it refuses \(attempt)") } == isLast, "\(told)")
            come()
        }
        #expect(machine.outbox.isEmpty)
    }

    /// What waits while links come and go without the program being ready is kept, and so is what a link has taken in between.
    @Test mutating func onlyLinksThatWereReadyCount() {
        _ = handle(.command(.ask("one")), .progress(work: 1, .text("Hello")), .answered(work: 1, .success(AnswerSummary())))
        for _ in 1...20 { _ = handle(.linkUp(payloadSize: 253, UnitStatus()), .linkDown(reason: "gone")) }
        #expect(machine.outbox.count == 1)
        for _ in 1..<ChatMachine.lossLimit {
            come()
            _ = handle(.linkDown(reason: "gone"))
        }
        come()
        _ = handle(.sent)
        #expect(machine.outbox.isEmpty && machine.lossCount == 0)
    }

    @Test mutating func packetsGoOneByOneAndAtAPace() {
        come()
        _ = handle(.command(.ask("one")))
        #expect(packets(handle(.progress(work: 1, .text("Hello ")))) == ["res:Hello"])
        #expect(packets(handle(.progress(work: 1, .text(String(repeating: "x", count: 600))))) == [])
        #expect(packets(handle(.sent)) == [])
        #expect(machine.nextDeadline == .init(offset: .milliseconds(50)))
        now = .milliseconds(50)
        let rows = [String](repeating: String(repeating: "x", count: 26), count: 10).joined(separator: " ")
        #expect(packets(handle(.tick)) == ["res: " + rows.prefix(248)])
    }

    @Test mutating func whatTheDisplayCannotShowIsToldOnceAnAnswer() {
        come()
        _ = handle(.command(.ask("one")), .progress(work: 1, .text("Größe: ")), .sent)
        #expect(packets(handle(.progress(work: 1, .text("日本")), .answered(work: 1, .success(AnswerSummary())))) == [])
        now = .seconds(1)
        #expect(packets(handle(.tick)) == ["res: ??"])
        #expect(events(handle(.sent)) == [
            "folded(1, Assistant.TextFolding(similar: 2, unknown: 2, omitted: 0))", "sent(1, awaitsReceipt: false)",
        ])
    }

    /// Noa's program says so after every word that it has shown.
    @Test mutating func aProgramThatIsReadyAgainGetsOnlyTheRest() {
        come()
        _ = handle(.command(.ask("one")))
        #expect(packets(handle(.progress(work: 1, .text("One ")))) == ["res:One"])
        #expect(packets(handle(.sent, .packet(Array("rdy:".utf8)))) == [])
        now = .seconds(1)
        #expect(packets(handle(.progress(work: 1, .text("two.")), .answered(work: 1, .success(AnswerSummary())))) == ["res: two."])
        #expect(packets(handle(.packet(Array("rdy:".utf8)), .sent)) == [])
    }

    /// Nothing is withheld for a recording that does not come.
    @Test(arguments: [["ist:", "idt:1234"], ["ist:"], ["ast:"], ["ist:", "idt:1234", "ien:"]])
    mutating func aRecordingThatStallsHoldsNothingUp(packets started: [String]) {
        come()
        for packet in started { _ = handle(.packet(Array(packet.utf8))) }
        now = .seconds(1)
        _ = handle(.command(.ask("one")))
        #expect(packets(handle(.progress(work: 1, .text("Hello")))).filter { $0.hasPrefix("res:") } == [])
        now = .seconds(20)
        // The acknowledgement of a whole picture may be under way.
        let sent = packets(handle(.sent, .tick)) + packets(handle(.tick))
        now = .seconds(21)
        #expect((sent + packets(handle(.sent, .tick))).contains("res:Hello"), "\(sent)")
    }

    /// The recording has cleared the display: a typed answer is shown anew, from its beginning.
    @Test mutating func aTypedAnswerSurvivesARecording() {
        come()
        _ = handle(.command(.ask("one")))
        #expect(packets(handle(.progress(work: 1, .text("Hello ")))) == ["res:Hello"])
        _ = handle(.packet(Array("ast:".utf8)), .sent)
        now = .seconds(1)
        #expect(packets(handle(.progress(work: 1, .text("there.")), .answered(work: 1, .success(AnswerSummary())))) == [])
        now = .seconds(2)
        #expect(packets(handle(.packet(Array("aen:".utf8)))) == ["res:Hello there."])
        #expect(events(handle(.sent)) == ["sent(1, awaitsReceipt: false)"])
    }

    // MARK: - Receipts

    private static let right = "got:5 185f8db3"
    private static let wrong = "got:3 185f8db3"

    private mutating func receive(_ packet: String) -> [ChatMachine.Action] { handle(.packet(Array(packet.utf8))) }

    private mutating func comeWithReceipts() {
        _ = handle(.linkUp(payloadSize: 253, UnitStatus())) + receive("rdy:rolls got")
        _ = handle(.sent) + pass(.milliseconds(50))
    }

    /// One question, its answer "Hello" handed out and acknowledged, a receipt asked for.
    private mutating func sendHello() -> [ChatMachine.Action] {
        comeWithReceipts()
        _ = handle(.command(.ask("one")))
        let began = handle(.progress(work: 1, .text("Hello")), .answered(work: 1, .success(AnswerSummary())), .sent)
        now += .milliseconds(50)
        return began + handle(.tick)
    }

    private mutating func pass(_ duration: Duration) -> [ChatMachine.Action] {
        now += duration
        return handle(.tick)
    }

    @Test mutating func deliveredIsWhatTheUnitHasAccepted() {
        #expect(packets(sendHello()) == ["res:Hello", "end:"])
        _ = handle(.command(.finish))
        #expect(events(handle(.sent)) == ["sent(1, awaitsReceipt: true)"])
        #expect(!machine.isFinished && machine.outbox.count == 1)
        #expect(events(receive(Self.right)) == ["delivered(1)"])
        #expect(machine.isFinished && machine.outbox.isEmpty)
        // The same once more is for nothing.
        #expect(events(receive(Self.right)) == ["notice(Assistant.RelayNotice.unexpectedReceipt)"])
    }

    /// The unit's answer may be quicker than the acknowledgement of the request.
    @Test mutating func aReceiptMayOvertakeTheAcknowledgement() {
        _ = sendHello()
        #expect(events(receive(Self.right)) == [])
        #expect(events(handle(.sent)) == ["sent(1, awaitsReceipt: true)", "delivered(1)"])
    }

    @Test mutating func whatWasLostIsSentOnceMoreAndOnlyOnce() {
        _ = sendHello()
        _ = handle(.sent)
        let loss = "Assistant.DeliveryLoss.accepted(byteCount: 3, sent: 5)"
        #expect(events(receive(Self.wrong)) == ["repeated(1, \(loss))"])
        var again: [ChatMachine.Action] = []
        for _ in 0..<5 { again += pass(.milliseconds(50)) + handle(.sent) }
        #expect(packets(again) == ["new:", "res:Hello", "end:"])
        #expect(events(again) == [])
        #expect(events(receive(Self.wrong)) == ["undeliverable(1, Assistant.DeliveryLoss.accepted(byteCount: 3, sent: 5))"])
        #expect(machine.outbox.isEmpty && packets(pass(.seconds(60))) == [])
    }

    /// It would count as part of what is sent.
    @Test mutating func noComplaintGoesBetweenAnErrorAndItsReceipt() {
        comeWithReceipts()
        _ = handle(.command(.ask("one")))
        var sent = handle(.answered(work: 1, .failure(AssistantError.emptyAnswer))) + receive("zzz:")
        for _ in 0..<3 { sent += handle(.sent) + pass(.milliseconds(50)) }
        sent += receive("zzz:") + pass(.milliseconds(50))
        #expect(packets(sent) == ["err:The assistant gave an empty answer", "end:"], "\(packets(sent))")
        #expect(events(sent).count { $0.hasPrefix("notice") } == 2)
    }

    @Test mutating func aReceiptThatNeverComesIsALoss() {
        _ = sendHello()
        _ = handle(.sent)
        #expect(machine.nextDeadline.map { $0 > .init(offset: now) } == true)
        #expect(events(pass(ChatMachine.receiptPatience - .milliseconds(1))) == [])
        #expect(events(pass(.milliseconds(1))) == ["repeated(1, Assistant.DeliveryLoss.noReceipt)"])
        for _ in 0..<5 { _ = handle(.sent) + pass(.milliseconds(50)) }
        #expect(events(pass(ChatMachine.receiptPatience)) == ["undeliverable(1, Assistant.DeliveryLoss.noReceipt)"])
        #expect(machine.nextDeadline == nil)
    }

    /// No failure: the text comes again when the wearer looks again.
    @Test(arguments: ["ast:", "rdy:rolls got"]) mutating func whoMovesOnIsOwedNoReceipt(packet: String) {
        _ = sendHello()
        _ = handle(.sent)
        _ = receive(packet)
        #expect(!events(pass(.seconds(7))).contains { $0.hasPrefix("repeated") || $0.hasPrefix("undeliverable") })
        _ = handle(.packet(Array("aen:".utf8)), .sent)
        var sent: [ChatMachine.Action] = []
        for _ in 0..<5 { sent += pass(.milliseconds(50)) + handle(.sent) }
        #expect(!packets(sent).contains("new:"))
        #expect(events(receive(Self.right)).contains("delivered(1)"), "\(packets(sent))")
    }

    @Test mutating func aLostLinkOwesNoReceipt() {
        _ = sendHello()
        _ = handle(.sent)
        #expect(events(handle(.linkDown(reason: "test"))) == ["lost(reason: \"test\")", "undelivered(1)"])
        #expect(events(pass(.seconds(60))) == [])
        // A program without receipts may be there now.
        come()
        #expect(events(handle(.sent)) == ["sent(1, awaitsReceipt: false)"])
        #expect(machine.outbox.isEmpty)
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
        #expect(machine.outbox.isEmpty && machine.current == nil)
    }

    @Test mutating func controlCharactersReachNobody() {
        come()
        _ = handle(.command(.ask("\u{1B}[2Jone\u{7}")))
        #expect(machine.conversation.messages.last?.text == "[2Jone")
        #expect(packets(handle(.progress(work: 1, .text("\n a\u{1B}\tb\r\nc")))) == ["res:a b\nc"])
    }

    /// Data before the program's sign may meet a callback that is no more.
    @Test mutating func aUnitThatNeverSaysReadyGetsNothing() {
        _ = handle(.linkUp(payloadSize: 253, UnitStatus()), .command(.ask("one")))
        #expect(packets(handle(.progress(work: 1, .text("Hello")))) == [])
        now = .seconds(4)
        let actions = handle(.tick)
        #expect(packets(actions) == [] && events(actions) == ["silent"])
        #expect(machine.nextDeadline == nil)
        #expect(packets(handle(.packet(Array("rdy:".utf8)))) == ["res:Hello"])
    }

    @Test mutating func aSilentUnitDoesNotKeepAnEndedChat() {
        _ = handle(.linkUp(payloadSize: 253, UnitStatus()), .command(.ask("one")))
        _ = handle(.progress(work: 1, .text("Hello")), .answered(work: 1, .success(AnswerSummary())))
        _ = handle(.command(.finish))
        #expect(!machine.isFinished)
        now = .seconds(4)
        _ = handle(.tick)
        #expect(machine.isFinished)
    }

    /// Anything in any order: it never stands still with a deadline in the past, and holds no more than it may.
    @Test(arguments: 0..<20) mutating func anythingInAnyOrder(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        for _ in 0..<1500 {
            now += .milliseconds(Int.random(in: 0...400, using: &numbers))
            _ = handle(Self.anything(&numbers, work: machine.workCount))
            if let deadline = machine.nextDeadline {
                if deadline.offset <= now { _ = handle(.tick) }
                #expect((machine.nextDeadline?.offset ?? .seconds(1_000_000)) > now)
            }
            #expect(machine.queue.count <= ChatMachine.questionLimit && machine.outbox.count <= Outbox.limit)
            #expect(machine.urgent.count <= ChatMachine.urgentLimit + 1)
        }
    }

    private static func anything(_ numbers: inout SeededNumbers, work: Int) -> ChatMachine.Input {
        let commands = ["rdy:", "rdy:rolls got", "got:5 185f8db3", "got:", "can:", "ast:", "ien:", "ist:", "idt:", "dat:", "aen:", "pon:id", "what"]
        switch Int.random(in: 0..<16, using: &numbers) {
        case 0: return .linkUp(payloadSize: Int.random(in: 20...253, using: &numbers), UnitStatus())
        case 1: return .linkDown(reason: "test")
        case 2: return .sent
        case 3: return .command(.ask("question"))
        case 4: return .command([.cancelAnswer, .retry, .clearHistory, .switchMode(.translator), .switchMode(.assistant)].randomElement(using: &numbers) ?? .retry)
        case 5: return .heard(work: work, Bool.random(using: &numbers) ? .success("words") : .failure(AssistantError.emptyAnswer))
        case 6, 7: return .progress(work: work, .text(String(decoding: numbers.bytes(count: 30), as: UTF8.self)))
        case 8: return .answered(work: work, Bool.random(using: &numbers) ? .success(AnswerSummary()) : .failure(AssistantError.emptyAnswer))
        case 9: return Bool.random(using: &numbers) ? .tick : .console(numbers.bytes(count: 300) + Array("\r\n>>> ".utf8))
        default:
            let command = commands.randomElement(using: &numbers) ?? ""
            return .packet(Array(command.utf8) + numbers.bytes(count: Int.random(in: 0...200, using: &numbers)))
        }
    }
}
