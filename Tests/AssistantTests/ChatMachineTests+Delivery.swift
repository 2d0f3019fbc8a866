import Support
import Testing

@testable import Assistant

// What goes to the unit, and when.
extension ChatMachineTests {
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
}
