import Bluetooth
import Foundation
import Support
import TestSupport
import Testing
import VirtualDevices

@testable import Assistant

// The wearer changes their mind.
extension ChatTests {

    @Test func aTapWhileThinkingTakesTheQuestionBack() async throws {
        try await ChatBench.with(responder: { clock in
            ScriptedResponder(
                clock, heard: [.success("never mind"), .success("never mind")], answers: [[.text("Typed.")], [.text("Spoken.")]])
        }) { bench in
            try await bench.waitUntilReady()
            bench.tap()
            try await bench.waitForDisplay("thinking") { $0.contains("Thinking") }
            bench.tap()
            let reason = try await bench.next("cancellation") { if case .cancelled(_, let reason) = $0 { reason } else { nil } }
            #expect(reason == .byWearer)
            try await bench.waitForDisplay("the way back") { $0.contains("Tap to speak") }
            // What is asked next is not taken for a late answer.
            bench.commands.deliver(.ask("And now?"))
            try await bench.waitForDisplay("the next answer") { $0 == ["Typed."] }
            bench.commands.deliver(.retry)
            try await bench.waitForDisplay("the first answer after all") { $0.last == "Spoken." }
        }
    }

    /// Half a sentence that was taken back is nobody's question.
    @Test(arguments: [false, true]) func aRecordingThatIsTakenBackIsNotAnswered(withPhoto: Bool) async throws {
        try await ChatBench.with(responder: { ScriptedResponder($0, answers: [[.text("Typed.")]]) }) { bench in
            try await bench.waitUntilReady()
            if withPhoto { try await bench.hold() } else { bench.tap() }
            try await bench.waitForDisplay("a recording") { $0.contains("Listening") }
            try await bench.pause(.milliseconds(1500))
            bench.tap()
            try await bench.waitForDisplay("the way back") { $0.contains("Tap to speak") }
            let taken = bench.clock.now
            bench.commands.deliver(.ask("And now?"))
            try await bench.waitForDisplay("an answer at once") { $0 == ["Typed."] }
            #expect(taken.duration(to: bench.clock.now) < .seconds(2))
            try await bench.pause(.seconds(20))
            #expect(!bench.history.value.contains { if case .asked(_, .spoken) = $0 { true } else { false } })
            #expect(bench.display == ["Typed."])
        }
    }

    @Test func aTypedAnswerComesBackAfterARecording() async throws {
        let words = (1...12).map { "word\($0) " }
        try await ChatBench.with(responder: { clock in
            ScriptedResponder(clock, heard: [.success("and?")], answers: [
                words.flatMap { [.text($0), .pause(.milliseconds(400))] }, [.pause(.seconds(20)), .text("And so on.")],
            ])
        }) { bench in
            try await bench.waitUntilReady()
            bench.commands.deliver(.ask("count"))
            try await bench.waitForDisplay("a beginning") { $0.joined().contains("word3") }
            bench.tap()
            try await bench.waitForDisplay("the whole answer", within: .seconds(60)) {
                $0.joined(separator: " ") == words.joined().trimmingCharacters(in: .whitespaces)
            }
        }
    }

    /// The smallest packets there are.
    @Test func aSpokenQuestionOverTheSmallestPackets() async throws {
        try await ChatBench.with(
            largestMTU: 23, responder: { ScriptedResponder($0, heard: [.success("well?")], answers: [[.text("Well, it works.")]]) }
        ) { bench in
            try await bench.waitUntilReady()
            bench.tap()
            try await bench.waitForDisplay("the answer", within: .seconds(120)) { $0 == ["Well, it works."] }
        }
    }

    @Test func aNewRecordingReplacesTheAnswer() async throws {
        try await ChatBench.with(responder: { clock in
            ScriptedResponder(clock, heard: [.success("one"), .success("two")], answers: [
                [.text("A long story "), .pause(.seconds(30)), .text("with an end.")], [.text("Second.")],
            ])
        }) { bench in
            try await bench.waitUntilReady()
            bench.tap()
            try await bench.waitForDisplay("the story") { $0 == ["A long story"] }
            bench.tap()
            let reason = try await bench.next("cancellation") { if case .cancelled(_, let reason) = $0 { reason } else { nil } }
            #expect(reason == .superseded)
            try await bench.waitForDisplay("the second answer") { $0 == ["Second."] }
        }
    }

    @Test func nothingWasSaid() async throws {
        try await ChatBench.with(responder: { ScriptedResponder($0, heard: [.success("  ")]) }) { bench in
            try await bench.waitUntilReady()
            bench.tap()
            try await bench.waitForDisplay("a word about it") { $0 == ["Nothing was said."] }
        }
    }

    @Test func cancelledFromTheTerminalAndAskedAgain() async throws {
        try await ChatBench.with(responder: { clock in
            ScriptedResponder(clock, heard: [.success("one")], answers: [[.pause(.seconds(30))], [.text("Better.")]])
        }) { bench in
            try await bench.waitUntilReady()
            bench.tap()
            try await bench.next("thinking") { if case .thinking = $0 { true } else { nil } }
            bench.commands.deliver(.cancelAnswer)
            try await bench.waitForDisplay("a word about it") { $0 == ["Cancelled."] }
            bench.commands.deliver(.retry)
            try await bench.waitForDisplay("the answer") { $0 == ["Better."] }
        }
    }

    @Test func theTranslatorSpeaksForItself() async throws {
        var options = ChatOptions()
        options.mode = .translator
        try await ChatBench.with(options: options, responder: { ScriptedResponder($0, heard: [.success("Good morning.")]) }) { bench in
            try await bench.waitUntilReady()
            bench.tap()
            try await bench.waitForDisplay("the translation") { $0 == ["Good morning."] }
        }
    }
}
