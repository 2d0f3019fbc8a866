import Support
import Testing

@testable import Assistant
@testable import MonocleFamily

// What the unit says that it accepted.
extension ChatMachineTests {

    private static let right = "got:5 185f8db3"
    private static let wrong = "got:3 185f8db3"

    mutating func receive(_ packet: String) -> [ChatMachine.Action] { handle(.packet(Array(packet.utf8))) }

    mutating func comeWithReceipts() {
        _ = handle(.linkUp(payloadSize: 253, UnitStatus())) + receive("rdy:rolls got")
        _ = handle(.sent) + pass(.milliseconds(50))
    }

    /// One question, its answer "Hello" handed out and acknowledged, a receipt asked for.
    mutating func sendHello() -> [ChatMachine.Action] {
        comeWithReceipts()
        _ = handle(.command(.ask("one")))
        let began = handle(.progress(work: 1, .text("Hello")), .answered(work: 1, .success(AnswerSummary())), .sent)
        now += .milliseconds(50)
        return began + handle(.tick)
    }

    mutating func pass(_ duration: Duration) -> [ChatMachine.Action] {
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

    /// Whoever asked waits for an outcome: a program that gives no receipts any more leaves it at `sent`.
    @Test mutating func aRepetitionWithoutReceiptsHasAnEnd() {
        _ = sendHello()
        _ = handle(.sent)
        #expect(events(receive(Self.wrong)).count == 1)
        _ = receive("rdy:")
        var again: [ChatMachine.Action] = []
        for _ in 0..<5 { again += pass(.milliseconds(50)) + handle(.sent) }
        #expect(events(again) == ["sent(1, awaitsReceipt: false)"], "\(packets(again))")
        #expect(machine.outbox.isEmpty)
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

    /// Perhaps one of the same text, an answer before.
    @Test mutating func aReceiptBeforeItsRequestIsNotTaken() {
        comeWithReceipts()
        _ = handle(.command(.ask("one")))
        var all = handle(.answered(work: 1, .failure(AssistantError.emptyAnswer)))
        let text = "The assistant gave an empty answer"
        #expect(packets(all) == ["err:\(text)"])
        let receipt = AnswerReceipt(of: Array(text.utf8))
        all = receive("got:\(receipt.byteCount) \(receipt.check)")
        for _ in 0..<3 { all += handle(.sent) + pass(.milliseconds(50)) }
        #expect(events(all) == ["notice(Assistant.RelayNotice.unexpectedReceipt)", "sent(1, awaitsReceipt: true)"])
    }

    @Test mutating func aReceiptThatNeverComesIsALoss() {
        _ = sendHello()
        _ = handle(.sent)
        #expect(machine.nextDeadline.map { $0 > .init(offset: now) } == true)
        #expect(events(pass(DeliveryAttempt.receiptTimeout - .milliseconds(1))) == [])
        #expect(events(pass(.milliseconds(1))) == ["repeated(1, Assistant.DeliveryLoss.noReceipt)"])
        for _ in 0..<5 { _ = handle(.sent) + pass(.milliseconds(50)) }
        #expect(events(pass(DeliveryAttempt.receiptTimeout)) == ["undeliverable(1, Assistant.DeliveryLoss.noReceipt)"])
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
}
