import Foundation
import TestSupport
import Testing
@testable import VirtualDevices

/// The committed scripts in real Lua, in a conversation with an app.
@Suite(.enabled(if: TestTools.mayRunLua, "Lua 5.4 is missing: run Tools/setup tests"))
struct FrameConversationTests {
    static let sound = (0..<48_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    static let picture = [0xFF, 0xD8, 0xFF] + (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) } + [0xFF, 0xD9]

    /// Messages by their first byte.
    private enum Kind { static let start: UInt8 = 0x10, text: UInt8 = 0x11, audio: UInt8 = 0x12, image: UInt8 = 0x13, end: UInt8 = 0x16 }

    private func ask(_ bench: FrameBench) throws {
        bench.tap()
        try expectSound(bench, begins: [[Kind.start]])
    }

    private func expectSound(_ bench: FrameBench, begins: [[UInt8]]) throws {
        try bench.run(within: .seconds(90)) { bench.lastUntaken == [Kind.end] }
        let messages = bench.messages()
        let sound = messages.filter { $0.first == Kind.audio }
        #expect(Array(messages.prefix(begins.count)) == begins)
        #expect(messages.last == [Kind.end])
        #expect(messages.count == begins.count + sound.count + 1)
        #expect(sound.flatMap { $0.dropFirst() } == Self.sound)
        // Whole messages of what fits: a multiple of 4, less the two bytes in front.
        let size = min(508, (bench.payloadSize - 2) / 4 * 4)
        #expect(sound.dropLast().allSatisfy { $0.count == size + 1 })
        try bench.expectLines(["Thinking", "tap to cancel"])
    }

    private func answer(_ bench: FrameBench, _ pieces: [String]) throws {
        try bench.send(Kind.start)
        for piece in pieces { try bench.send(Kind.text, piece) }
        try bench.send(Kind.end)
    }

    @Test(arguments: [(payload: 97, isEarly: false), (payload: 244, isEarly: false), (payload: 244, isEarly: true)])
    func tapRecordsAndTheAnswerIsShownWrapped(payload: Int, isEarly: Bool) throws {
        try withFrame(isEarly: isEarly) { bench in
            bench.payloadSize = payload
            try ask(bench)
            try answer(bench, ["Hello world, this is a long enough ans", "wer to be \u{2018}wrapped\u{2019} \u{E9}."])
            try bench.expectLines(["Hello world, this is a", "long enough answer to be", "'wrapped' \u{E9}."])
        }
    }

    @Test func theRecordingTakesSixSeconds() throws {
        try withFrame { bench in
            bench.tap()
            try bench.run { bench.lastUntaken == [Kind.end] }
            let took = try #require(bench.sent.last).at - #require(bench.sent.first { $0.message == [Kind.start] }).at
            #expect((Duration.seconds(5.9)...Duration.seconds(6.6)).contains(took))
        }
    }

    @Test(arguments: [97, 244]) func tappingTwiceSendsAPictureAndThenSound(payload: Int) throws {
        try withFrame { bench in
            bench.payloadSize = payload
            bench.tap()
            try bench.run(for: .milliseconds(200))
            bench.tap()
            try bench.expectLines(["Hold still", "tap to cancel"])
            try bench.run { bench.lines.first == "Listening" }
            let messages = bench.messages()
            let picture = messages.filter { $0.first == Kind.image }
            #expect(messages.first == [Kind.start])
            #expect(picture.flatMap { $0.dropFirst() } == Self.picture)
            try expectSoundAfterPicture(bench, alreadySent: Array(messages.dropFirst(1 + picture.count)))
        }
    }

    private func expectSoundAfterPicture(_ bench: FrameBench, alreadySent: [[UInt8]]) throws {
        try bench.run(within: .seconds(90)) { bench.lastUntaken == [Kind.end] }
        let messages = alreadySent + bench.messages()
        // No second start: picture and sound are one message.
        #expect(messages.dropLast().allSatisfy { $0.first == Kind.audio })
        #expect(messages.flatMap { $0.dropFirst() } == Self.sound)
    }

    @Test func anAnswerAppearsWordByWordWhereverItsPiecesAreCut() throws {
        try withFrame { bench in
            try ask(bench)
            try bench.send(Kind.start)
            let text = Array("It is a str\u{E9}amed answer\nwith a longer-than-one-row-compound-word, and an end.".utf8)
            for start in stride(from: 0, to: text.count, by: 5) {
                // Also inside a character.
                try bench.send([Kind.text] + text[start..<min(text.count, start + 5)])
                try bench.run(for: .milliseconds(100))
            }
            try bench.expectLines([
                "It is a str\u{E9}amed answer", "with a", "longer-than-one-row-comp", "ound-word, and an end.",
            ])
        }
        try withFrame { bench in
            try ask(bench)
            try answer(bench, ["one two three"])
            var seen: [[String]] = []
            for _ in 0..<100 {
                if seen.last != bench.lines { seen.append(bench.lines) }
                try bench.run(for: .milliseconds(10))
            }
            #expect(Array(seen.suffix(2)) == [["one two"], ["one two three"]])
        }
    }

    @Test func ofALongAnswerTheNewestIsInSight() throws {
        try withFrame { bench in
            try ask(bench)
            let words = (1...200).map { "word\($0)" }
            try answer(bench, stride(from: 0, to: 200, by: 20).map { words[$0..<$0 + 20].joined(separator: " ") + " " })
            try bench.run(within: .seconds(60)) { bench.lines.last?.hasSuffix("word200") == true }
            #expect(bench.lines.count == 6)
            #expect(words.joined(separator: " ").hasSuffix(bench.lines.joined(separator: " ")))
        }
    }

    @Test func theNextAnswerReplacesTheLast() throws {
        try withFrame { bench in
            for text in ["one", "two"] {
                try ask(bench)
                try answer(bench, [text])
                try bench.expectLines([text])
            }
            // Typed in the app.
            try answer(bench, ["three"])
            try bench.expectLines(["three"])
        }
    }

    @Test func tapWhileWaitingCancelsTheRequest() throws {
        try withFrame { bench in
            try ask(bench)
            bench.tap()
            try bench.expectLines(["Tap to speak", "tap twice for a photo"])
            try answer(bench, ["too late"])
            try bench.run(for: .seconds(2))
            #expect(bench.lines.first == "Tap to speak")
            try ask(bench)
            try answer(bench, ["in time"])
            try bench.expectLines(["in time"])
        }
    }

    @Test func tapWhileSendingEndsThereAndTheNextQuestionIsWhole() throws {
        try withFrame { bench in
            bench.tap()
            try bench.run(for: .seconds(2))
            #expect(bench.lines.first == "Listening")
            bench.tap()
            try bench.expectLines(["Tap to speak", "tap twice for a photo"])
            try bench.run(for: .seconds(8))
            #expect(bench.messages().last?.first == Kind.audio)
            try ask(bench)
        }
    }

    @Test func anAnswerThatNeverComesIsGivenUpInAnotherColour() throws {
        try withFrame { bench in
            let usual = bench.colors
            try ask(bench)
            try bench.expectLines(["No answer came."], within: .seconds(70))
            #expect(bench.colors.isDisjoint(with: usual))
            try answer(bench, ["All is well"])
            try bench.expectLines(["All is well"])
            #expect(bench.colors == usual)
        }
    }

    @Test func aLostLinkShowsAndWhatTheAppSendsAfterwardsIsAWholeAnswer() throws {
        try withFrame { bench in
            try ask(bench)
            try bench.send(Kind.start)
            try bench.send(Kind.text, "This is half of an")
            try bench.run { bench.lines == ["This is half of an"] }
            bench.isConnected = false
            try bench.expectLines(["Link lost", "waiting for the app"])
            bench.isConnected = true
            try bench.expectLines(["Tap to speak", "tap twice for a photo"])
            try answer(bench, ["This is half of an answer."])
            try bench.expectLines(["This is half of an", "answer."])
            _ = bench.messages()
            try ask(bench)
        }
    }

    @Test func aLinkLostWhileSendingEndsTheRecording() throws {
        try withFrame { bench in
            bench.tap()
            try bench.run(for: .seconds(1))
            bench.isConnected = false
            try bench.expectLines(["Link lost", "waiting for the app"])
            bench.isConnected = true
            try bench.expectLines(["Tap to speak", "tap twice for a photo"])
            _ = bench.messages()
            try ask(bench)
        }
    }

    @Test func withoutAnAppItSaysSo() throws {
        let bench = try FrameBench()
        defer { bench.end() }
        bench.isConnected = false
        try bench.expectLines(["noa", "connect the app"])
    }

    @Test(arguments: [20, 244]) func theVersionIsToldWheneverItIsAsked(payload: Int) throws {
        try withFrame { bench in
            bench.payloadSize = payload
            bench.tap()
            try bench.run(for: .seconds(1))
            try bench.send(0x17)
            try bench.run(for: .seconds(1))
            let pieces = bench.messages().filter { $0.first == 0x18 }
            #expect(pieces.count == (payload == 244 ? 1 : 5))
            #expect(String(decoding: pieces.flatMap { $0.dropFirst() }, as: UTF8.self) == FrameBench.version)
        }
    }

    @Test func garbageFromTheAppIsPassedOver() throws {
        try withFrame { bench in
            try bench.send([])
            // Pictures and greetings have tests of their own.
            for kind in UInt8.min...UInt8.max where ![Kind.text, Kind.start, Kind.end, 0x14, 0x17, 0x1A, 0x1D].contains(kind) {
                try bench.send([kind] + SeededNumbers.bytes(Int(kind) % 240, seed: UInt64(kind)))
            }
            #expect(bench.messages().allSatisfy { $0.first == 0x1B })
            #expect(bench.lines.first == "Tap to speak")
            for seed in 0..<50 { try bench.send([Kind.text] + SeededNumbers.bytes(240, seed: UInt64(seed))) }
            try bench.run(for: .seconds(5))
            #expect(bench.printed.isEmpty)
            try answer(bench, ["well"])
            try bench.expectLines(["well"])
            try ask(bench)
        }
    }

    @Test func brokenCharactersAreShownAsQuestionMarks() throws {
        let cases: [([UInt8], String)] = [
            (Array("\u{0}\u{1}\u{7F}\u{1F600}.".utf8), "????."),
            (Array("a".utf8) + [0x80, 0xFF, 0xE2, 0x80] + Array("b".utf8), "a????b"),
            (Array("d\u{E9}j\u{E0} ".utf8) + [0xC3], "d\u{E9}j\u{E0} ?"),
            ([0xF0, 0x9F, 0x98], "???"),
            ([0xC0, 0xAF], "??"),
            ([0xED, 0xA0, 0x80], "???"),
        ]
        try withFrame { bench in
            for (bytes, shown) in cases {
                try bench.send(Kind.start)
                try bench.send([Kind.text] + bytes)
                try bench.send(Kind.end)
                try bench.expectLines([shown])
            }
        }
    }

    @Test(arguments: [
        ("nothing before it", "The camera gives no", nil),
        ("a fault of its own", "Something went wrong.", "error('x')"),
        ("no memory", "Something went wrong.", "error('not enough memory')"),
    ])
    func aCameraWithFailsAndTheLoopGoesOn(_: String, message: String, fault: String?) throws {
        try withFrame(prepare: { folder, files in
            try Data().write(to: folder.root.appendingPathComponent("camera.jpg"))
            guard let fault else { return }
            let main = files.appendingPathComponent("main.lua")
            let text = try String(contentsOf: main, encoding: .utf8)
            try "frame.camera.capture = function() \(fault) end\n\(text)".write(to: main, atomically: true, encoding: .utf8)
        }) { bench in
            bench.tap()
            try bench.run(for: .milliseconds(200))
            bench.tap()
            try bench.run { bench.lines.first == message }
            #expect(bench.lines.first == message)
            _ = bench.messages()
            try ask(bench)
        }
    }

    @Test func aHostGetsThePromptAndAResetStartsAgain() throws {
        try withFrame { bench in
            bench.tap()
            try bench.run(for: .seconds(1))
            bench.breakSignal()
            bench.commands = ["print(ARGPT_VERSION)", "error('x')", "print(tostring(io)..tostring(os)..tostring(package))"]
            try bench.run { bench.printed.count == 4 }
            #expect(bench.printed.first?.hasSuffix("break signal") == true)
            #expect(bench.printed.dropFirst() == [FrameBench.version, "[string \"error('x')\"]:1: x", "nilnilnil"])
            bench.commands = ["\u{4}"]
            try bench.expectLines(["Tap to speak", "tap twice for a photo"])
            try bench.run(for: .seconds(1))
            _ = bench.messages()
            try ask(bench)
        }
    }

    @Test func aLongConversationNeedsNoMoreMemory() throws {
        let short = try memory(afterMessages: 5)
        let long = try memory(afterMessages: 200)
        // The unit's heap is 170,320 bytes, and its pointers are half as long as the host's.
        #expect(short < 112 * 1024, "\(short) bytes, the virtual unit's own among them")
        #expect(long < short + 1024, "\(short) bytes at first, \(long) at the end")
    }

    private func memory(afterMessages count: Int) throws -> Int {
        var bytes: Int?
        try withFrame { bench in
            try ask(bench)
            for number in 0..<count {
                if number.isMultiple(of: 40) { try bench.send(Kind.start) }
                try bench.send(Kind.text, "piece \(number) of an answer with \u{201C}quotes\u{201D} and more words, ")
                try bench.run(for: .milliseconds(70))
            }
            try bench.send(Kind.start)
            try bench.send(Kind.text, "the end")
            try bench.expectLines(["the end"], within: .seconds(5))
            bench.breakSignal()
            bench.commands = ["collectgarbage();collectgarbage();print('used\t'..collectgarbage('count') * 1024 // 1)"]
            try bench.run { bench.printed.contains { $0.hasPrefix("used") } }
            let words = bench.printed.last?.split(separator: "\t") ?? []
            bytes = words.last.flatMap { Double($0) }.map { Int($0) }
        }
        return try #require(bytes)
    }
}
