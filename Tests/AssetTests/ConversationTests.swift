import Bluetooth
import Foundation
import TestSupport
import Testing

/// The committed scripts in the real MicroPython, in a conversation with a phone.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"))
struct ConversationTests {
    private static let sound = (0..<48_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    private static let picture = (0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }

    private static func withPhone(
        prepare: (URL) throws -> Void = { _ in }, _ body: @escaping @Sendable (Bench, Phone) async throws -> Void
    ) async throws {
        try await withProvisionedUnit(prepare: { folder in
            try Data(sound).write(to: folder.appendingPathComponent("microphone.raw"))
            try prepare(folder)
        }) { bench in
            let phone = try await bench.connectPhone()
            #expect(try await phone.next() == .init("rdy:"))
            try await bench.waitForLine("Tap to speak")
            try await body(bench, phone)
        }
    }

    /// Taps, and expects the whole recording.
    private static func ask(_ bench: Bench, _ phone: Phone) async throws {
        bench.tap()
        #expect(try await phone.next() == .init("ast:"))
        try await expectSound(phone)
        try await bench.waitForLine("Thinking")
    }

    private static func expectSound(_ phone: Phone) async throws {
        let (pieces, following) = try await phone.collect("dat:")
        #expect(following == .init("aen:"))
        #expect(pieces.dropLast().allSatisfy { $0.count == phone.connection.payloadSize - 4 })
        #expect(pieces.flatMap(\.self) == sound)
    }

    private static func tapTwice(_ bench: Bench) async throws {
        bench.tap()
        try await bench.pause(.milliseconds(150))
        bench.tap()
    }

    @Test func tapRecordsAndTheAnswerIsShownWrapped() async throws {
        try await Self.withPhone { bench, phone in
            try await Self.ask(bench, phone)
            let ping = "8a3b2f60-7c41-4f0e-9d15-2b5f6a7c8d90"
            try await phone.send("pin:", ping)
            #expect(try await phone.next() == .init("pon:", Array(ping.utf8)))
            try await phone.send("res:", "Hello world, this is a long enough ans")
            try await phone.send("res:", "wer to be \u{2018}wrapped\u{2019}.")
            try await bench.waitForLine("'wrapped'.")
            #expect(bench.display().lines == ["Hello world, this is a", "long enough answer to be", "'wrapped'."])
        }
    }

    @Test func theNextAnswerReplacesTheLast() async throws {
        try await Self.withPhone { bench, phone in
            for answer in ["one", "two"] {
                try await Self.ask(bench, phone)
                try await phone.send("res:", answer)
                try await bench.waitForLine(answer)
            }
        }
    }

    @Test func doubleTapSendsAPictureAndThenSoundThatKeepsIt() async throws {
        try await Self.withPhone(prepare: {
            try Data(Self.picture).write(to: $0.appendingPathComponent("camera.jpg"))
        }) { bench, phone in
            try await Self.tapTwice(bench)
            #expect(try await phone.next() == .init("ist:"))
            let (pieces, following) = try await phone.collect("idt:")
            #expect(pieces.flatMap(\.self) == Self.picture)
            #expect(following == .init("ien:"))
            #expect(try await phone.next(within: .seconds(1)) == nil)
            try await phone.send("ick:")
            // No "ast:", which would make the app forget the picture.
            try await Self.expectSound(phone)
        }
    }

    @Test func anAppThatDoesNotAcknowledgeThePictureStillGetsTheSound() async throws {
        try await Self.withPhone(prepare: {
            try Data(Self.picture).write(to: $0.appendingPathComponent("camera.jpg"))
        }) { bench, phone in
            try await Self.tapTwice(bench)
            #expect(try await phone.next() == .init("ist:"))
            #expect(try await phone.collect("idt:").following == .init("ien:"))
            try await Self.expectSound(phone)
        }
    }

    @Test func tapWhileWaitingCancelsTheRequest() async throws {
        try await Self.withPhone { bench, phone in
            try await Self.ask(bench, phone)
            bench.tap()
            try await bench.waitForLine("Tap to speak")
            try await phone.send("pin:", "1")
            try await phone.send("res:", "too late")
            #expect(try await phone.next(within: .seconds(2)) == nil)
            #expect(bench.display().lines.first == "Tap to speak")
            try await Self.ask(bench, phone)
            try await phone.send("pin:", "2")
            #expect(try await phone.next() == .init("pon:", [UInt8(ascii: "2")]))
        }
    }

    @Test func errorsHaveTheirOwnColour() async throws {
        try await Self.withPhone { bench, phone in
            try await Self.ask(bench, phone)
            try await phone.send("err:", "No network")
            try await bench.waitForLine("No network")
            let errorColour = bench.display().color
            try await phone.send("res:", "All is well")
            try await bench.waitForLine("All is well")
            #expect(bench.display().lines == ["All is well"])
            #expect(bench.display().color != errorColour)
        }
    }

    @Test func anAnswerThatNeverComesIsGivenUp() async throws {
        try await Self.withPhone { bench, phone in
            try await Self.ask(bench, phone)
            try await bench.waitForLine("No answer came.", within: .seconds(70))
            try await Self.ask(bench, phone)
        }
    }

    @Test func longAnswersTurnTheirPages() async throws {
        try await Self.withPhone { bench, phone in
            try await Self.ask(bench, phone)
            let words = (1...40).map { "word\($0)" }
            try await phone.send("res:", words.prefix(20).joined(separator: " ") + " ")
            try await phone.send("res:", words.dropFirst(20).joined(separator: " "))
            try await bench.waitForLine("word1 word2 word3 word4")
            #expect(bench.display().lines.count == 8)
            let first = bench.display().lines
            try await bench.pause(.seconds(6))
            #expect((first + bench.display().lines).joined(separator: " ") == words.joined(separator: " "))
        }
    }

    @Test func aLostLinkGoesBackToTheStart() async throws {
        try await Self.withPhone { bench, phone in
            bench.tap()
            #expect(try await phone.next() == .init("ast:"))
            await phone.connection.disconnect()
            try await bench.waitForLine("connect the app", within: .seconds(10))
            let again = try await bench.connectPhone()
            #expect(try await again.next() == .init("rdy:"))
            try await bench.waitForLine("Tap to speak")
            try await Self.ask(bench, again)
        }
    }

    @Test func garbageFromThePhoneIsPassedOver() async throws {
        try await Self.withPhone { bench, phone in
            for garbage in ["", "x", "pin", "????????", "ick:", "res:\u{0}\u{1}\u{7F}\u{1F600}"] {
                try await phone.send(garbage)
                // MicroPython's scheduler is 4 deep and drops the rest.
                try await bench.pause(.milliseconds(100))
            }
            try await bench.waitForLine("????")
            try await Self.ask(bench, phone)
        }
    }

    @Test(arguments: [
        (photo: nil, message: "The camera gives no"),
        (photo: "class NoPicture(Exception):\n pass\nclass Picture:\n def __init__(self):\n  raise ValueError(1)\n",
         message: "Something went wrong."),
        (photo: "class NoPicture(Exception):\n pass\nclass Picture:\n def step(self):\n  return bytes(1 << 20)\n",
         message: "Something went wrong."),
    ])
    func failuresAreShownAndTheLoopGoesOn(photo: String?, message: String) async throws {
        try await Self.withPhone(prepare: {
            if let photo { try Data(photo.utf8).write(to: $0.appendingPathComponent("files/photo.py")) }
        }) { bench, phone in
            try await Self.tapTwice(bench)
            try await bench.waitForLine(message, within: .seconds(6))
            try await Self.ask(bench, phone)
        }
    }

    @Test func theHeapHasRoomLeftForAHostThatInterrupts() async throws {
        try await Self.withPhone { bench, phone in
            try await Self.ask(bench, phone)
            let limit = phone.clock.deadline(in: .seconds(2))
            let repl = try await phone.connection.subscribe(
                to: AttributeID("6e400003-b5a3-f393-e0a9-e50e24dcca9e"), deadline: limit)
            let channel = try await phone.connection.openChannel(
                to: AttributeID("6e400002-b5a3-f393-e0a9-e50e24dcca9e"), deadline: limit)
            try await channel.send([3, 3, 1], deadline: phone.clock.deadline(in: .seconds(1)))
            try await bench.pause(.seconds(1))
            let question = "import gc\ngc.collect()\nprint('free',gc.mem_free())\u{4}"
            try await channel.send(Array(question.utf8), deadline: phone.clock.deadline(in: .seconds(1)))
            var answer = ""
            while let piece = try await repl.next(before: phone.clock.deadline(in: .seconds(2)), on: phone.clock) {
                answer += String(decoding: piece, as: UTF8.self)
            }
            let free = answer.firstMatch(of: /free ([0-9]+)/).flatMap { Int($0.1) }
            #expect(try #require(free) > 24 * 1024, "\(answer)")
        }
    }
}
