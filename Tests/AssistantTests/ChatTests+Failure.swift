import Bluetooth
import Foundation
import Support
import TestSupport
import Testing
import VirtualDevices

@testable import Assistant

// The assistant fails.
extension ChatTests {

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
}
