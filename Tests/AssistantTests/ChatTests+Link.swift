import Bluetooth
import Foundation
import Support
import TestSupport
import Testing
import VirtualDevices

@testable import Assistant
@testable import MonocleFamily

// The link is lost.
extension ChatTests {

    @Test func duringTheRecording() async throws {
        try await ChatBench.with(responder: { ScriptedResponder($0, heard: [.success("what is")], answers: [[.text("Pardon?")]]) }) {
            bench in
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

    /// Nobody asks a program that goes on running: what an earlier link told of the battery is old.
    @Test func theChargeOfAnEarlierLinkIsNotToldAgain() async throws {
        try await ChatBench.with(responder: { _ in EchoResponder() }) { bench in
            let first = try await bench.next("connection") { if case .connected(let status) = $0 { status } else { nil } }
            try await bench.waitUntilReady()
            bench.cutLink()
            let second = try await bench.next("second connection") { if case .connected(let status) = $0 { status } else { nil } }
            #expect(first.batteryPercent == 80 && second == UnitStatus(firmware: first.firmware, scripts: first.scripts))
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
                startProgram: MonocleConsole.chatStarter(clock: air.time.clock))
            await #expect(throws: LinkError.self) { try await session.run(commands: Inbox()) { _ in } }
        }
    }
}
