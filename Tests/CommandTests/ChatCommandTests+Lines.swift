import Assistant
import Bluetooth
import Testing

@testable import noafw

// Questions from another program, and units that stay away.
extension ChatCommandTests {
    @Test func linesOfAnotherProgramAreQuestions() async {
        let input = TextSource(isTerminal: false) { mode, sink in
            #expect(mode == .lines)
            return CannedInput(["one\ntw", "o\n\n", "three"], sink)
        }
        #expect(await run(["--virtual", "monocle"], services(answer: Self.echo), input: input) == 0)
        #expect(harness.output == "I heard: one\nI heard: two\nI heard: three\n")
    }

    /// Each question has its own end: another one's, or the wearer's, is not taken for it.
    @Test func linesWaitForTheirOwnAnswers() async {
        let wearer = TurnID(number: 900)
        let busy = services { id, text in
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
        #expect(await run(["--virtual", "monocle"], services(answer: Self.echo), input: input) == 0)
        #expect(harness.output == lines.map { "I heard: \($0)\n" }.joined())
    }

    @Test func aLineThatIsTooLongIsNamed() async {
        let input = TextSource(isTerminal: false) { _, sink in CannedInput(["one\n", String(repeating: "x", count: 9000)], sink) }
        #expect(await run(["--virtual", "monocle"], services(answer: Self.echo), input: input) == 65)
        #expect(harness.output == "I heard: one\n")
        #expect(harness.diagnostics.contains("error NOA-0016: a line of standard input is longer than 8192 bytes"))
    }

    /// A single question has an end when its unit does not come back.
    @Test func aUnitThatStaysAwayEndsAQuestion() async {
        let lost = services { id, _ in
            [.thinking(id), .lost(reason: "gone"), .reconnecting(after: .seconds(1)), .connecting(attempt: 2), .lost(reason: "gone")]
        }
        #expect(await run(["--query", "hello"], lost) == 75)
        #expect(harness.diagnostics.contains("error NOA-0017: the link was lost, and the unit did not come back within 60 s"))
    }

    /// NOA-0017 says what was seen of the unit.
    @Test func aUnitThatComesBackAndIsNeverReadyEndsAQuestion() async {
        let lost = services { id, _ in
            [.thinking(id)] + (1...3).flatMap { _ in
                    [.lost(reason: "ATT error 0x3"), .reconnecting(after: .seconds(1)), .connecting(attempt: 1), .connected(UnitStatus())]
                        as [ChatEvent]
            }
        }
        #expect(await run(["--query", "hello"], lost) == 75)
        #expect(
            harness.diagnostics.contains(
                "error NOA-0017: the link was lost, and the unit came back 3 times, but its program was never ready within 60 s"))
        #expect(harness.diagnostics.contains("(ATT error 0x3)"))
    }

    @Test func lineEndsWithAUnitThatStaysAway() async {
        let input = TextSource(isTerminal: false) { _, sink in CannedInput(["one\ntwo\n"], sink) }
        let lost = services { id, _ in [.thinking(id), .lost(reason: "gone"), .reconnecting(after: .seconds(1))] }
        #expect(await run([], lost, input: input) == 75)
        #expect(harness.diagnostics.contains("error NOA-0017"))
    }

    @Test func anAnswerThatIsRefusedIsToldWithItsReason() async {
        let refusing = services { id, _ in
            [.thinking(id), .answered(id, "x", nil), .undeliverable(id, .linksLost(count: 5, reason: "the unit refused a write\u{1B}[2J"))]
        }
        #expect(await run(["--virtual", "monocle", "--query", "hello"], refusing) == 1)
        #expect(harness.diagnostics.contains(
                "error NOA-0019: the answer did not arrive: the link was lost 5 times in a row; the last reason was: the unit refused "
                    + "a write\\u{1b}[2J"
            ))
        #expect(!harness.diagnostics.contains("\u{1B}"))
    }
}
