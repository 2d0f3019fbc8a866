import Bluetooth
import Foundation
import REPL
import Support
import TestSupport
import Testing
import VirtualDevices
import VirtualFaults

@testable import Assistant
@testable import MonocleFamily

/// The session with our scripts on real MicroPython, in simulated time.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"))
struct ChatTests {
    @Test func aTypedQuestionIsAnsweredOnTheDisplay() async throws {
        try await ChatBench.with(responder: { _ in EchoResponder() }) { bench in
            let status = try await bench.next("connection") { if case .connected(let status) = $0 { status } else { nil } }
            #expect(status.batteryPercent == 80 && status.firmware?.hasPrefix("v") == true)
            try await bench.waitUntilReady()
            bench.commands.deliver(.ask("hello"))
            try await bench.next("delivery") { if case .delivered = $0 { true } else { nil } }
            // The link's end takes it from the display.
            try await bench.waitForDisplay("the echo") { $0 == ["I heard: hello"] }
            bench.commands.deliver(.finish)
            await #expect(throws: ChatBench.Ended.self) { try await bench.next("end") { _ in Bool?.none } }
            let told = bench.history.value.map { String(ChatBench.brief($0).prefix { $0 != "(" }) }
            #expect(told == [
                "connecting", "starting", "connected", "ready", "asked", "thinking", "answerPiece", "answered", "sent",
                "delivered",
            ])
        }
    }

    /// What the unit acknowledged and its program never got. Packets: what says that
    /// answers have ends, the words' first and rest, the request.
    @Test(arguments: [2, 3, 4]) func whatItsProgramDidNotGetIsSentAgain(packet: Int) async throws {
        var faults = FaultPlan()
        faults.droppedDataPackets = [packet]
        try await ChatBench.with(faults: faults, responder: { _ in EchoResponder() }) { bench in
            try await bench.waitUntilReady()
            bench.commands.deliver(.ask(String(repeating: "word ", count: 80)))
            let loss = try await bench.next("loss") { if case .repeated(_, let loss) = $0 { loss } else { nil } }
            #expect((loss == .noReceipt) == (packet == 4))
            try await bench.next("delivery") { if case .delivered = $0 { true } else { nil } }
            try await bench.waitForDisplay("the answer", within: .seconds(60)) {
                $0.last == "word word word word word" || $0.last == "word"
            }
        }
    }

    /// Nothing was lost, however long the assistant thinks in between.
    @Test func anAnswerWithALongPauseIsDeliveredAtOnce() async throws {
        try await ChatBench.with(responder: { clock in
            ScriptedResponder(clock, answers: [[.text("Hello "), .pause(.seconds(15)), .text("world")]])
        }) { bench in
            try await bench.waitUntilReady()
            bench.commands.deliver(.ask("one"))
            try await bench.next("delivery") { if case .delivered = $0 { true } else { nil } }
            #expect(!bench.history.value.contains { if case .repeated = $0 { true } else { false } })
            try await bench.waitForDisplay("all of it") { $0 == ["Hello world"] }
        }
    }

    @Test func aLostReceiptIsNotALostAnswer() async throws {
        var faults = FaultPlan()
        // The first is "rdy:" of the program that was started: the one that was running is interrupted before it says so.
        faults.lostDataNotifications = [2]
        try await ChatBench.with(faults: faults, responder: { _ in EchoResponder() }) { bench in
            try await bench.waitUntilReady()
            bench.commands.deliver(.ask("one"))
            #expect(try await bench.next("loss") { if case .repeated(_, let loss) = $0 { loss } else { nil } } == DeliveryLoss.noReceipt)
            try await bench.next("delivery") { if case .delivered = $0 { true } else { nil } }
            try await bench.waitForDisplay("one answer") { $0 == ["I heard: one"] }
        }
    }

    @Test func aProgramThatTakesNothingIsFoundOut() async throws {
        var faults = FaultPlan()
        faults.droppedDataPackets = Set(1...40)
        try await ChatBench.with(faults: faults, responder: { _ in EchoResponder() }) { bench in
            try await bench.waitUntilReady()
            bench.commands.deliver(.ask("one"))
            #expect(
                try await bench.next("failure") { if case .undeliverable(_, let loss) = $0 { loss } else { nil } } == DeliveryLoss.noReceipt
            )
        }
    }

    /// Ready over each link, and nothing that is sent is taken: five links are enough to know, and the refusal is named.
    @Test func aUnitThatRefusesEveryWriteIsGivenUp() async throws {
        try await ChatBench.with(refusing: MonocleRelay().receive, responder: { _ in EchoResponder() }) { bench in
            bench.commands.deliver(.ask("one"))
            let loss = try await bench.next("failure") { if case .undeliverable(_, let loss) = $0 { loss } else { nil } }
            guard case .linksLost(5, let reason) = loss else { throw ChatBench.Missing() }
            #expect(reason.contains("refused a write") && reason.contains("0x5"))
            let readyCount = bench.history.value.count { if case .ready = $0 { true } else { false } }
            #expect(readyCount == 5)
        }
    }

    @Test func twoAnswersStandBelowEachOther() async throws {
        try await ChatBench.with(responder: { _ in EchoResponder() }) { bench in
            bench.commands.deliver(.ask("one"))
            bench.commands.deliver(.ask("two"))
            try await bench.waitForDisplay("both") { $0 == ["I heard: one", "I heard: two"] }
        }
    }

    @Test func whatIsSaidIsMeasured() async throws {
        try await ChatBench.with(responder: { _ in EchoResponder() }) { bench in
            try await bench.waitUntilReady()
            bench.tap()
            try await bench.next("recording") { if case .listening = $0 { true } else { nil } }
            let question = try await bench.next("question") { if case .asked(_, let question) = $0 { question } else { nil } }
            #expect(question == .spoken(seconds: 6, photo: false, cut: nil))
            try await bench.waitForDisplay("length and level") {
                $0.joined(separator: " ") == "I heard: 6.0 s of sound at -7 dBFS, peak -4"
            }
        }
    }

    @Test func aPhotoGoesWithWhatIsSaid() async throws {
        try await ChatBench.with(responder: { _ in EchoResponder() }) { bench in
            try await bench.waitUntilReady()
            try await bench.hold()
            let photo = try await bench.next("photo") { if case .photo(let photo) = $0 { photo } else { nil } }
            #expect(photo == Photo(jpeg: ChatBench.picture))
            try await bench.waitForDisplay("the picture's size") { $0.joined(separator: " ").hasSuffix("a picture of 5000 bytes") }
        }
    }

    @Test func theFirstWordsAreShownWhileTheRestIsWritten() async throws {
        let words = (1...30).map { "word\($0) " }
        try await ChatBench.with(responder: { clock in
            ScriptedResponder(clock, answers: [words.flatMap { [.text($0), .pause(.milliseconds(200))] }])
        }) { bench in
            try await bench.waitUntilReady()
            bench.commands.deliver(.ask("count"))
            try await bench.next("first word") { if case .answerPiece = $0 { true } else { nil } }
            let begun = bench.clock.now
            try await bench.waitForDisplay("the first word") { $0.first?.hasPrefix("word1") == true }
            #expect(begun.duration(to: bench.clock.now) < .milliseconds(250))
            #expect(!bench.history.value.contains { if case .answered = $0 { true } else { false } })
            try await bench.next("delivery") { if case .delivered = $0 { true } else { nil } }
            try await bench.waitForDisplay("the last word") { $0.last?.hasSuffix("word30") == true }
        }
    }
}
