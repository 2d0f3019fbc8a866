import Bluetooth
import Support
import Testing

@testable import Assistant
@testable import FrameFamily
@testable import MonocleFamily

// What stays in the conversation.
extension ChatMachineTests {
    /// The suite's own limit lies below what the system prompt takes.
    private mutating func makeRoom() {
        machine = ChatMachine(
            relay: MonocleRelay(), conversation: Conversation(), readyTimeout: .seconds(4), newConfirmation: { ConfirmationID("id") })
    }

    private var history: [String] { machine.turns.conversation.messages.map { "\($0.role): \($0.text)" } }

    @Test(arguments: [SessionCommand.clearHistory, .switchMode(.translator)])
    mutating func aClearedHistoryIsNotContinuedByAnOldAnswer(command: SessionCommand) {
        makeRoom()
        _ = handle(.command(.ask("one")), .progress(work: 1, .text("1")), .answered(work: 1, .success(AnswerSummary())))
        #expect(history == ["user: one", "assistant: 1"])
        _ = handle(.command(.ask("two")), .progress(work: 2, .text("2")), .command(command))
        #expect(history == [])
        #expect(events(handle(.answered(work: 2, .success(AnswerSummary())))) == ["answered(2, \"2\", nil)"])
        #expect(history == [])
        _ = handle(.command(.ask("three")), .progress(work: 3, .text("3")), .answered(work: 3, .success(AnswerSummary())))
        #expect(history == ["user: three", "assistant: 3"])
    }

    @Test mutating func ofAnAnswerThatIsCancelledItsBeginningStays() {
        makeRoom()
        _ = handle(.command(.ask("one")), .progress(work: 1, .text("half")), .command(.cancelAnswer))
        #expect(history == ["user: one", "assistant: half"])
        _ = handle(.command(.ask("two")), .progress(work: 2, .text("half")), .command(.clearHistory), .command(.cancelAnswer))
        #expect(history == [])
    }

    @Test mutating func aQuestionWithoutAnAnswerIsTakenBack() {
        makeRoom()
        _ = handle(.command(.ask("one")), .progress(work: 1, .text("1")), .answered(work: 1, .success(AnswerSummary())))
        _ = handle(.command(.ask("two")), .command(.cancelAnswer))
        #expect(history == ["user: one", "assistant: 1"])
        _ = handle(.command(.ask("three")), .answered(work: 3, .failure(AssistantError.emptyAnswer)))
        #expect(history == ["user: one", "assistant: 1"])
        // Asked again, it is there once.
        _ = handle(.command(.retry), .progress(work: 4, .text("3")), .answered(work: 4, .success(AnswerSummary())))
        #expect(history == ["user: one", "assistant: 1", "user: three", "assistant: 3"])
        #expect(events(handle(.command(.retry))) == [])
    }

    @Test mutating func aTypedQuestionIsBounded() {
        makeRoom()
        _ = handle(.command(.ask(String(repeating: "ä", count: 8000))))
        #expect(machine.turns.conversation.messages.first?.text.utf8.count == TurnQueue.typedLimit)
    }

    @Test mutating func whatWaitsForTheUnitCountsAgainstTheLimit() {
        makeRoom()
        for number in 1...TurnQueue.limit {
            #expect(events(handle(.command(.tell("notice \(number)")))).count == 1)
        }
        #expect(events(handle(.command(.tell("one more")))).last == "cancelled(17, Assistant.ChatEvent.Cancellation.queueFull)")
        #expect(events(handle(.command(.ask("a question")))).last == "cancelled(18, Assistant.ChatEvent.Cancellation.queueFull)")
    }

    /// What a program asks as text is a question like a typed one, in translator mode, too.
    @Test(arguments: AssistantMode.allCases) mutating func aTextOfTheProgramIsAsked(mode: AssistantMode) {
        machine = ChatMachine(
            relay: FrameRelay(), conversation: Conversation(mode: mode), readyTimeout: .seconds(4),
            newConfirmation: { ConfirmationID("id") })
        _ = handle(
            .linkUp(payloadSize: 244, UnitStatus()), .packet(FrameMessage.version.packet("0".utf8)),
            .packet(FrameMessage.hello.packet("1".utf8)))
        _ = handle(.packet(FrameMessage.start.packet()), .packet(FrameMessage.text.packet("Where am I?".utf8)))
        let told = events(handle(.packet(FrameMessage.end.packet())))
        #expect(told.contains("heard(1, \"Where am I?\")"), "\(told)")
        _ = handle(.packet(FrameMessage.ping.packet("id".utf8)))
        #expect(history == ["user: Where am I?"])
        // Beside what is said.
        _ = handle(.command(.cancelAnswer), .packet(FrameMessage.start.packet()), .packet(FrameMessage.text.packet("Look:".utf8)))
        _ = handle(.packet(FrameMessage.audio.packet([1, 2])), .packet(FrameMessage.end.packet()))
        #expect(events(handle(.heard(work: 2, .success(" well? ")))).contains("heard(2, \"Look: well? \")"))
    }
}
