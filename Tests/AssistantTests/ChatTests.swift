import Bluetooth
import Foundation
import REPL
import Support
import TestSupport
import Testing
import VirtualDevices

@testable import Assistant

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
            try await bench.waitForDisplay("the answer", within: .seconds(60)) { $0.last == "word word word word word" || $0.last == "word" }
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
        // The program that was running said "rdy:", then the one that was started.
        faults.lostDataNotifications = [3]
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
            #expect(try await bench.next("failure") { if case .undeliverable(_, let loss) = $0 { loss } else { nil } } == DeliveryLoss.noReceipt)
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
            let photo = try await bench.next("photo") { if case .photo(let bytes) = $0 { bytes } else { nil } }
            #expect(photo == ChatBench.picture)
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

    // MARK: - The wearer changes their mind

    @Test func aTapWhileThinkingTakesTheQuestionBack() async throws {
        try await ChatBench.with(responder: { clock in
            ScriptedResponder(clock, heard: [.success("never mind"), .success("never mind")], answers: [[.text("Typed.")], [.text("Spoken.")]])
        }) { bench in
            try await bench.waitUntilReady()
            bench.tap()
            try await bench.waitForDisplay("thinking") { $0.contains("Thinking") }
            bench.tap()
            let reason = try await bench.next("cancellation") { if case .cancelled(_, let reason) = $0 { reason } else { nil } }
            #expect(reason == .byWearer)
            #expect(bench.display.contains("Tap to speak"))
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
        try await ChatBench.with(largestMTU: 23, responder: { ScriptedResponder($0, heard: [.success("well?")], answers: [[.text("Well, it works.")]]) }) { bench in
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

    // MARK: - The assistant fails

    @Test(arguments: [
        AssistantError.timedOut("the first word"), .unauthorized(status: 401, "no"), .tooManyRequests("slow", retryAfter: nil),
        .serverFailed(status: 500, "boom"), .notUnderstood("an HTML page"), .emptyAnswer, .tooLong(what: "the answer", limitBytes: 1),
    ])
    func bothEndsAreTold(error: AssistantError) async throws {
        try await ChatBench.with(responder: { clock in
            ScriptedResponder(clock, heard: [.success("well?")], answers: [[.fail(error)], [.text("Now.")]])
        }) { bench in
            try await bench.waitUntilReady()
            bench.tap()
            let told = try await bench.next("failure") { if case .failed(_, let error) = $0 { error } else { nil } }
            #expect(told.diagnosis == error.diagnosis)
            let message = error.diagnosis.message
            try await bench.waitForDisplay("the error") { $0.joined(separator: " ").lowercased() == message.lowercased() }
            // What was said is not lost, nor listened to again.
            bench.commands.deliver(.retry)
            try await bench.waitForDisplay("the answer") { $0 == ["Now."] }
        }
    }

    @Test func anAnswerThatBreaksOffIsKeptAndMarked() async throws {
        try await ChatBench.with(responder: { clock in
            ScriptedResponder(clock, answers: [[.text("Half of"), .cut(.brokenOff(afterBytes: 7))]])
        }) { bench in
            bench.commands.deliver(.ask("?"))
            try await bench.waitForDisplay("half and a mark") { $0 == ["Half of [cut off]"] }
            let cut = try await bench.next("end") { if case .answered(_, "Half of", let cut) = $0 { cut } else { nil } }
            #expect(cut == .byError(.brokenOff(afterBytes: 7)))
        }
    }

    // MARK: - The link is lost

    @Test func duringTheRecording() async throws {
        try await ChatBench.with(responder: { ScriptedResponder($0, heard: [.success("what is")], answers: [[.text("Pardon?")]]) }) { bench in
            try await bench.waitUntilReady()
            bench.tap()
            try await bench.next("recording") { if case .listening = $0 { true } else { nil } }
            try await bench.pause(.milliseconds(1500))
            bench.cutLink()
            try await bench.next("loss") { if case .lost = $0 { true } else { nil } }
            let cut = try await bench.next("question") { event -> Utterance.Cut? in
                if case .asked(_, .spoken(let seconds, _, let cut)) = event, seconds > 0.5, seconds < 6 { cut } else { nil }
            }
            #expect(cut == .linkLost)
            try await bench.waitUntilReady()
            try await bench.waitForDisplay("the answer") { $0 == ["Pardon?"] }
        }
    }

    @Test func betweenPingAndPong() async throws {
        try await ChatBench.with(responder: { ScriptedResponder($0, heard: [.success("well?")], answers: [[.text("Well.")]]) }) { bench in
            try await bench.waitUntilReady()
            bench.tap()
            try await bench.next("text") { if case .heard = $0 { true } else { nil } }
            bench.cutLink()
            try await bench.next("loss") { if case .lost = $0 { true } else { nil } }
            try await bench.waitForDisplay("the answer") { $0 == ["Well."] }
            #expect(bench.history.value.count { if case .heard = $0 { true } else { false } } == 1)
        }
    }

    @Test func duringTheAnswer() async throws {
        let sentences = (1...8).map { "Sentence \($0). " }
        try await ChatBench.with(responder: { clock in
            ScriptedResponder(clock, answers: [sentences.flatMap { [.text($0), .pause(.seconds(1))] }])
        }) { bench in
            try await bench.waitUntilReady()
            bench.commands.deliver(.ask("tell"))
            try await bench.waitForDisplay("its beginning") { $0.joined().contains("Sentence 2.") }
            bench.cutLink()
            let count = try await bench.next("what is left") { if case .undelivered(let count) = $0 { count } else { nil } }
            #expect(count == 1)
            try await bench.waitForDisplay("all of it", within: .seconds(60)) {
                $0.joined(separator: " ") == sentences.joined().trimmingCharacters(in: .whitespaces)
            }
            try await bench.next("delivery") { if case .delivered = $0 { true } else { nil } }
        }
    }

    @Test func answeredWhileTheUnitWasAway() async throws {
        try await ChatBench.with(responder: { clock in
            ScriptedResponder(clock, answers: [[.pause(.seconds(3)), .text("Late.")]])
        }) { bench in
            try await bench.waitUntilReady()
            bench.commands.deliver(.ask("tell"))
            try await bench.next("thinking") { if case .thinking = $0 { true } else { nil } }
            bench.unit.stimulate(.cut(.power))
            try await bench.next("answer") { if case .answered = $0 { true } else { nil } }
            #expect(!bench.history.value.contains { if case .delivered = $0 { true } else { false } })
            try await bench.waitForDisplay("the answer", within: .seconds(60)) { $0 == ["Late."] }
        }
    }

    @Test func aUnitThatIsNotThereIsAnError() async throws {
        let air = VirtualAir(time: .simulated())
        try await air.time.run {
            let address = try #require(DeviceAddress("C0:00:00:00:00:01"))
            let session = ChatSession(
                central: VirtualCentral(air: air), address: address, relay: MonocleRelay(), responder: EchoResponder(),
                startProgram: MonocleProgram.restart(clock: air.time.clock))
            await #expect(throws: LinkError.self) { try await session.run(commands: Inbox()) { _ in } }
        }
    }

    // MARK: - The unit misbehaves

    private static func program(_ sending: String) -> String {
        """
        import bluetooth, time
        def send(data):
            while True:
                try:
                    bluetooth.send(data)
                    return
                except OSError:
                    time.sleep_ms(5)
        said = False
        def received(data):
            global said
            said = True
            with open("heard.txt", "a") as file:
                file.write(data + b"\\n")
        bluetooth.receive_callback(received)
        while not bluetooth.connected():
            time.sleep_ms(20)
        time.sleep_ms(300)
        send(b"rdy:")
        \(sending)
        while True:
            time.sleep_ms(50)
        """
    }

    /// What a program prints while it runs, and what ends it.
    @Test func theConsoleIsHeard() async throws {
        let main = Self.program("print('begun')\nwhile not said:\n    time.sleep_ms(50)\nraise ValueError('enough')")
        try await ChatBench.with(main: main, responder: { _ in EchoResponder() }) { bench in
            try await bench.next("the line") { if case .console("begun") = $0 { true } else { nil } }
            bench.commands.deliver(.ask("hello"))
            let last = try await bench.next("the exception") { if case .raised(let error) = $0 { error.lastLine } else { nil } }
            #expect(last == "ValueError: enough")
            try await bench.next("the end") { if case .programEnded = $0 { true } else { nil } }
        }
    }

    /// The first words of a program that dies at once come with the word of its start.
    @Test(arguments: ["import nosuchmodule", "x = ", "print('only this')"]) func aProgramThatEndsAtOnceIsHeard(main: String) async throws {
        try await ChatBench.with(main: main, responder: { _ in EchoResponder() }) { bench in
            try await bench.next("the end") { if case .programEnded = $0 { true } else { nil } }
            let raised = bench.history.value.compactMap { if case .raised(let error) = $0 { error.lastLine } else { nil } }
            #expect(raised.count == (main.hasPrefix("print") ? 0 : 1), "\(raised)")
            #expect(raised.allSatisfy { $0.hasPrefix("ImportError") || $0.hasPrefix("SyntaxError") })
        }
    }

    @Test func theConsoleIsHeardOverTheNextLinkToo() async throws {
        let main = Self.program("n = 0\nwhile True:\n    n += 1\n    print('count', n)\n    time.sleep(1)")
        try await ChatBench.with(main: main, responder: { _ in EchoResponder() }) { bench in
            try await bench.next("the line") { if case .console("count 2") = $0 { true } else { nil } }
            bench.cutLink()
            try await bench.next("the loss") { if case .lost = $0 { true } else { nil } }
            try await bench.next("a line", within: .seconds(120)) { if case .console = $0 { true } else { nil } }
        }
    }

    /// It neither ends the link nor fills the memory.
    @Test func aProgramThatPrintsForEverIsLeftOut() async throws {
        let main = Self.program("while True:\n    print('again and again')")
        try await ChatBench.with(main: main, responder: { _ in EchoResponder() }) { bench in
            let count = try await bench.next("the rest") { if case .consoleLeftOut(let count) = $0 { count } else { nil } }
            #expect(count > 10)
            try await bench.pause(.seconds(30))
            #expect(!bench.history.value.contains { if case .lost = $0 { true } else { false } })
            #expect(bench.history.value.count < 600)
        }
    }

    @Test func nonsenseIsToldAndTheChatGoesOn() async throws {
        let main = Self.program(#"""
            for message in (b"abc", b"\xff\xfe\x1b[", b"zzz:what", b"pon:\xff\xff", b"pon:1234", b"aen:"):
                send(message)
            send(b"ast:")
            send(b"dat:" + b"\x40" * 200)
            send(b"aen:")
            """#)
        try await ChatBench.with(main: main, responder: { ScriptedResponder($0, heard: [.success("hi")]) }) { bench in
            var notices: [RelayNotice] = []
            while notices.count < 5 {
                notices.append(try await bench.next("notice") { if case .notice(let notice) = $0 { notice } else { nil } })
            }
            #expect(notices.suffix(5) == [
                .shortMessage(byteCount: 3), .unknownCommand("\u{FFFD}\u{FFFD}\u{FFFD}[", byteCount: 4),
                .unknownCommand("zzz:", byteCount: 8), .brokenText(command: "pon:", "\u{FFFD}\u{FFFD}"), .unknownConfirmation("1234"),
            ])
            let text = try await bench.next("speech") { if case .heard(_, let text) = $0 { text } else { nil } }
            #expect(text == "hi")
            let told = try await bench.waitForFile("heard.txt") { $0.contains("pin:") }
            #expect(told.hasPrefix("err:The app does not understand this unit.\npin:"))
        }
    }

    @Test func soundWithoutEndIsCutAndAnswered() async throws {
        let main = Self.program("""
            send(b"ast:")
            while not said:
                send(b"dat:" + b"\\x40" * 249)
            """)
        try await ChatBench.with(main: main, responder: { ScriptedResponder($0, heard: [.success("la la la")]) }) { bench in
            let notice = try await bench.next("notice", within: .seconds(200)) { if case .notice(let notice) = $0 { notice } else { nil } }
            #expect(notice == .recordingTooLong(limitSeconds: 60))
            let question = try await bench.next("question") { if case .asked(_, let question) = $0 { question } else { nil } }
            #expect(question == .spoken(seconds: 60, photo: false, cut: .tooLong))
            let text = try await bench.next("speech") { if case .heard(_, let text) = $0 { text } else { nil } }
            #expect(text == "la la la")
            let told = try await bench.waitForFile("heard.txt") { $0.contains("pin:") }
            #expect(told.hasPrefix("err:The recording was too long.\npin:"))
        }
    }
}
