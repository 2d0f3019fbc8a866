import Bluetooth
import Foundation
import Support
import TestSupport
import Testing
import VirtualDevices

/// The committed scripts in the real MicroPython, in a conversation with a phone.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"))
struct ConversationTests {
    static let sound = (0..<48_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    static let picture = [0xFF, 0xD8, 0xFF] + (0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }

    static func withPhone(
        largestMTU: Int = 256, prepare: (UnitFolder) throws -> Void = { _ in },
        _ body: @escaping @Sendable (Bench, Phone) async throws -> Void
    ) async throws {
        try await withProvisionedUnit(largestMTU: largestMTU, prepare: { folder in
            try folder.setMicrophone(wav: WaveBytes.eightBit(sound))
            try folder.setCamera(jpeg: picture)
            try prepare(folder)
        }) { bench in
            try await bench.waitForLines(["noa", "connect the app"])
            let phone = try await bench.connectPhone()
            #expect(try await phone.next() == .init("rdy:", Array("rolls got".utf8)))
            try await bench.waitForLines(["Tap to speak", "hold for a photo"])
            try await body(bench, phone)
        }
    }

    /// Taps, and expects the whole recording.
    static func ask(_ bench: Bench, _ phone: Phone) async throws {
        bench.tap()
        #expect(try await phone.next() == .init("ast:"))
        try await expectSound(phone)
        try await bench.waitForLine("Thinking")
    }

    static func expectSound(_ phone: Phone) async throws {
        let (pieces, following) = try await phone.collect("dat:")
        #expect(following == .init("aen:"))
        #expect(pieces.dropLast().allSatisfy { $0.count == phone.connection.payloadSize - 4 })
        #expect(pieces.flatMap(\.self) == sound)
    }

    @Test(arguments: [23, 256]) func tapRecordsAndTheAnswerIsShownWrapped(largestMTU: Int) async throws {
        try await Self.withPhone(largestMTU: largestMTU) { bench, phone in
            #expect(phone.connection.payloadSize == largestMTU - 3)
            try await Self.ask(bench, phone)
            let ping = String("8a3b2f60-7c41-4f0e-9d15-2b5f6a7c8d90".prefix(phone.connection.payloadSize - 4))
            try await phone.send("pin:", ping)
            #expect(try await phone.next() == .init("pon:", Array(ping.utf8)))
            try await phone.answer("Hello world, this is a long enough answer to be \u{2018}wrapped\u{2019}.")
            try await bench.waitForLines(["Hello world, this is a", "long enough answer to be", "'wrapped'."])
        }
    }

    @Test func theRecordingIsOfWhatAWaveFileHolds() async throws {
        let rate = 44_100
        let samples = (0..<rate).map { Int16(12_000 * sin(Double($0) / Double(rate) * 2 * .pi * 440)) }
        try await Self.withPhone(prepare: { try $0.setMicrophone(wav: WaveBytes.file(samples, rate: rate)) }) { bench, phone in
            bench.tap()
            #expect(try await phone.next() == .init("ast:"))
            let sound = try await phone.collect("dat:").pieces.flatMap(\.self).map { Int8(bitPattern: $0) }
            #expect(sound.count == 48_000)
            // A second of the tone, then silence.
            let crossings = zip(sound.prefix(8000), sound.prefix(8000).dropFirst()).count { ($0 < 0) != ($1 < 0) }
            #expect((878...882).contains(crossings))
            #expect((44...47).contains(sound.prefix(8000).max() ?? 0))
            #expect(sound.dropFirst(8001).allSatisfy { $0 == 0 })
        }
    }

    @Test func anAnswerAppearsWordByWordWhereverItsPiecesAreCut() async throws {
        try await Self.withPhone { bench, phone in
            try await Self.ask(bench, phone)
            for piece in ["It is a str", "eamed ", "answer\n", "with a long", "er", "-than-one-row-compound-word", ", and an end."] {
                try await phone.send("res:", piece)
                try await bench.pause(.milliseconds(400))
            }
            try await bench.waitForLines([
                "It is a streamed answer", "with a", "longer-than-one-row-compou", "nd-word, and an end.",
            ])
        }
        try await Self.withPhone { bench, phone in
            try await Self.ask(bench, phone)
            try await phone.send("res:", "one two three")
            var seen: [[String]] = []
            for _ in 0..<100 {
                if seen.last != bench.lines { seen.append(bench.lines) }
                try await bench.pause(.milliseconds(10))
            }
            #expect(Array(seen.suffix(3)) == [["one"], ["one two"], ["one two three"]])
        }
    }

    @Test func ofALongAnswerTheNewestIsInSightAndNothingIsLost() async throws {
        try await Self.withPhone { bench, phone in
            let limit = phone.clock.deadline(in: .seconds(2))
            let complaints = try await phone.connection.subscribe(to: Phone.terminal, deadline: limit)
            try await Self.ask(bench, phone)
            let words = (1...200).map { "word\($0)" }
            for start in stride(from: 0, to: words.count, by: 20) {
                try await phone.send("res:", words[start..<start + 20].joined(separator: " ") + " ")
                try await bench.pause(.milliseconds(200))
            }
            // Four of the short words fit a row, then three: a lost piece would move all that follows.
            let rows = stride(from: 178, through: 196, by: 3).map { words[$0 - 1...$0 + 1].joined(separator: " ") }
            try await bench.waitForLines(rows + ["word199 word200"], within: .seconds(60))
            #expect(try await complaints.next(before: phone.clock.deadline(in: .seconds(1)), on: phone.clock) == nil)
        }
    }

    @Test func theNextAnswerReplacesTheLast() async throws {
        try await Self.withPhone { bench, phone in
            for answer in ["one", "two"] {
                try await Self.ask(bench, phone)
                try await phone.send("res:", answer)
                try await bench.waitForLines([answer])
            }
            // Typed on the phone: a ping comes first, or a long time has passed.
            try await phone.send("pin:", "3")
            #expect(try await phone.next() == .init("pon:", [UInt8(ascii: "3")]))
            try await phone.send("res:", "three")
            try await bench.waitForLines(["three"])
            try await bench.pause(.seconds(11))
            try await phone.send("res:", "four")
            try await bench.waitForLines(["four"])
        }
    }

    @Test(arguments: [23, 256]) func holdSendsAPictureAndThenSoundThatKeepsIt(largestMTU: Int) async throws {
        try await Self.withPhone(largestMTU: largestMTU) { bench, phone in
            try await bench.hold()
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

    @Test func aFingerThatLeavesInTimeIsATap() async throws {
        try await Self.withPhone { bench, phone in
            try await bench.hold(.milliseconds(450))
            #expect(try await phone.next() == .init("ast:"))
        }
    }

    @Test func anAppThatDoesNotAcknowledgeThePictureStillGetsTheSound() async throws {
        try await Self.withPhone { bench, phone in
            try await bench.hold()
            #expect(try await phone.next() == .init("ist:"))
            #expect(try await phone.collect("idt:").following == .init("ien:"))
            try await Self.expectSound(phone)
        }
    }

    @Test func tapWhileWaitingCancelsTheRequest() async throws {
        try await Self.withPhone { bench, phone in
            try await Self.ask(bench, phone)
            bench.tap()
            #expect(try await phone.next() == .init("can:"))
            try await bench.waitForLine("Tap to speak")
            try await phone.send("pin:", "1")
            try await phone.send("res:", "too late")
            #expect(try await phone.next(within: .seconds(2)) == nil)
            #expect(bench.lines.first == "Tap to speak")
            try await Self.ask(bench, phone)
            try await phone.send("pin:", "2")
            #expect(try await phone.next() == .init("pon:", [UInt8(ascii: "2")]))
        }
    }

    /// An app that knows of the cancellation says from where on all is new.
    @Test func whatComesAfterTheAppHasHeardOfTheCancellationIsShown() async throws {
        try await Self.withPhone { bench, phone in
            try await Self.ask(bench, phone)
            bench.tap()
            #expect(try await phone.next() == .init("can:"))
            try await phone.send("res:", "of the old question")
            try await phone.send("ick:")
            try await phone.send("res:", "typed")
            try await bench.waitForLines(["typed"])
        }
    }

    @Test func tapWhileSendingEndsThereAndTheNextQuestionIsWhole() async throws {
        let large = [0xFF, 0xD8, 0xFF] + [UInt8](repeating: 7, count: 100_000)
        try await Self.withPhone(prepare: { try $0.setCamera(jpeg: large) }) { bench, phone in
            for state in ["Listening", "Hold still"] {
                if state == "Listening" { bench.tap() } else { try await bench.hold(.milliseconds(700)) }
                try await bench.waitForLine(state)
                try await bench.pause(.milliseconds(500))
                bench.tap()
                try await bench.waitForLine("Tap to speak")
                var last: Phone.Message?
                while let message = try await phone.next(within: .seconds(2)) { last = message }
                #expect(last?.command == "can:")
            }
            try await Self.ask(bench, phone)
        }
    }

    /// Count and check of what was accepted, as `sha256sum` has them.
    @Test func whatWasAcceptedIsTold() async throws {
        try await Self.withPhone { bench, phone in
            try await Self.ask(bench, phone)
            for piece in ["Hello", " world"] {
                try await phone.send("res:", piece)
                try await bench.pause(.milliseconds(60))
            }
            try await phone.send("end:")
            #expect(try await phone.next() == .init("got:", Array("11 64ec88ca".utf8)))
            try await bench.waitForLines(["Hello world"])
            // The next text stands below, and is counted alone; its bytes, not what is shown of them.
            try await phone.send("res:", "\nGr\u{F6}\u{DF}e")
            try await bench.pause(.milliseconds(60))
            try await phone.send("end:")
            #expect(try await phone.next() == .init("got:", Array("8 c84d59e1".utf8)))
            try await bench.waitForLines(["Hello world", "Gr??e"])
            // Once more, in the place of both.
            try await phone.send("new:")
            try await phone.send("res:", "Hello")
            try await bench.pause(.milliseconds(60))
            try await phone.send("end:")
            #expect(try await phone.next() == .init("got:", Array("5 185f8db3".utf8)))
            try await bench.waitForLines(["Hello"])
            try await phone.send("err:", "Hello")
            try await bench.pause(.milliseconds(60))
            try await phone.send("end:")
            #expect(try await phone.next() == .init("got:", Array("5 185f8db3".utf8)))
            try await phone.send("end:")
            #expect(try await phone.next() == .init("got:", Array("0 e3b0c442".utf8)))
        }
    }

    /// Half an answer that waits for its rest is no answer of its own, whatever comes between.
    @Test(arguments: ["pause", "ping"]) func anAnswerGoesOnUntilItsEnd(between: String) async throws {
        try await Self.withPhone { bench, phone in
            try await phone.send("new:")
            for _ in 0..<2 {
                try await phone.send("res:", "\nHello")
                if between == "pause" { try await bench.pause(.seconds(12)) }
                if between == "ping" {
                    try await phone.send("pin:", "1")
                    #expect(try await phone.next() == .init("pon:", [UInt8(ascii: "1")]))
                }
                try await phone.send("res:", " world")
                try await bench.pause(.milliseconds(60))
                try await phone.send("end:")
                #expect(try await phone.next() == .init("got:", Array("12 7dc6712e".utf8)))
            }
            // The ping's page begins with the next answer.
            try await bench.waitForLines(between == "ping" ? ["Hello world"] : ["Hello world", "Hello world"])
            if between == "pause" { try await bench.pause(.seconds(12)) }
            try await phone.send("res:", "Next")
            try await bench.waitForLines(["Next"])
        }
    }

    /// What could not be told of one answer does not spoil the next receipt.
    @Test func aReceiptThatFindsNoLinkIsForgotten() async throws {
        let main = """

            _send, _lost = send, [1]
            def send(command, data=b""):
                if command == b"got:" and _lost:
                    _lost.pop()
                    raise LinkLost
                _send(command, data)

            """
        try await Self.withPhone(prepare: { folder in
            let file = folder.root.appendingPathComponent("files/audio.py")
            try (Data(contentsOf: file) + Data(main.utf8)).write(to: file)
        }) { bench, phone in
            try await phone.send("res:", "Hello")
            try await bench.pause(.milliseconds(60))
            try await phone.send("end:")
            #expect(try await phone.next() == .init("rdy:", Array("rolls got".utf8)))
            try await phone.send("end:")
            #expect(try await phone.next() == .init("got:", Array("0 e3b0c442".utf8)))
            #expect(bench.lines.first == "Tap to speak")
        }
    }

    /// What the wearer did not wait for is neither shown nor counted.
    @Test func aRecordingAnswersNoRequest() async throws {
        try await Self.withPhone { bench, phone in
            bench.tap()
            #expect(try await phone.next() == .init("ast:"))
            try await phone.send("res:", "Hello")
            try await phone.send("end:")
            try await Self.expectSound(phone)
            try await phone.send("end:")
            #expect(try await phone.next() == .init("got:", Array("0 e3b0c442".utf8)))
        }
    }

    @Test func errorsHaveTheirOwnColour() async throws {
        try await Self.withPhone { bench, phone in
            try await Self.ask(bench, phone)
            try await phone.send("err:", "No network")
            try await bench.waitForLines(["No network"])
            let errorColors = bench.colors
            try await phone.send("res:", "All is well")
            try await bench.waitForLines(["All is well"])
            #expect(bench.colors.isDisjoint(with: errorColors))
        }
    }

    @Test func anAnswerThatNeverComesIsGivenUp() async throws {
        try await Self.withPhone { bench, phone in
            try await Self.ask(bench, phone)
            try await bench.waitForLine("No answer came.", within: .seconds(70))
            try await Self.ask(bench, phone)
        }
    }

    @Test func aLostLinkShowsAndWhatTheAppSendsAfterwardsIsAWholeAnswer() async throws {
        try await Self.withPhone { bench, phone in
            try await Self.ask(bench, phone)
            try await phone.send("res:", "This is half of an")
            try await bench.waitForLine("This is half of an")
            await phone.connection.disconnect()
            try await bench.waitForLines(["Link lost", "waiting for the app"])
            let again = try await bench.connectPhone()
            #expect(try await again.next() == .init("rdy:", Array("rolls got".utf8)))
            try await bench.waitForLine("Tap to speak")
            try await again.send("res:", "This is half of an answer.")
            try await bench.waitForLines(["This is half of an answer."])
            try await Self.ask(bench, again)
        }
    }

    @Test func aLinkLostWhileSendingEndsTheRecording() async throws {
        try await Self.withPhone { bench, phone in
            bench.tap()
            #expect(try await phone.next() == .init("ast:"))
            await phone.connection.disconnect()
            try await bench.waitForLine("Link lost", within: .seconds(10))
            let again = try await bench.connectPhone()
            #expect(try await again.next() == .init("rdy:", Array("rolls got".utf8)))
            try await Self.ask(bench, again)
        }
    }

    @Test func garbageFromThePhoneIsPassedOver() async throws {
        let noise = (0..<60).map { SeededNumbers.bytes(Int($0) * 4, seed: UInt64($0)) }
        try await Self.withPhone { bench, phone in
            for garbage in ["", "x", "pin", "????????", "ick:", "bst:", "bdt:1234", "ben:"].map({ Array($0.utf8) }) + noise {
                try await phone.send(garbage)
                // MicroPython's scheduler is 4 deep and drops the rest.
                try await bench.pause(.milliseconds(100))
            }
            #expect(bench.lines.first == "Tap to speak")
            try await Self.ask(bench, phone)
        }
    }

    @Test func brokenCharactersAreShownAsQuestionMarks() async throws {
        try await Self.withPhone { bench, phone in
            let cases: [([UInt8], String)] = [
                (Array("\u{0}\u{1}\u{7F}\u{1F600}.".utf8), "????."),
                (Array("a".utf8) + [0x80, 0xFF, 0xE2, 0x80] + Array("b".utf8), "a????b"),
                (Array("d\u{E9}j\u{E0} ".utf8) + [0xC3], "d?j? ?"),
                ([0xF0, 0x9F, 0x98], "???"),
                ([0xC0, 0xAF], "??"),
            ]
            for (bytes, shown) in cases {
                try await phone.send("pin:", "x")
                #expect(try await phone.next() == .init("pon:", [UInt8(ascii: "x")]))
                try await phone.send(Array("res:".utf8) + bytes)
                try await bench.waitForLines([shown])
            }
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
        try await Self.withPhone(prepare: { folder in
            try Data().write(to: folder.root.appendingPathComponent("camera.jpg"))
            if let photo { try Data(photo.utf8).write(to: folder.root.appendingPathComponent("files/photo.py")) }
        }) { bench, phone in
            try await bench.hold()
            try await bench.waitForLine(message, within: .seconds(8))
            try await Self.ask(bench, phone)
        }
    }
}
