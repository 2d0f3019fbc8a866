import Bluetooth
import Foundation
import Support
import TestSupport
import Testing
import VirtualDevices
import VirtualFaults

@testable import Assistant

/// A chat with a virtual Frame: real Lua, our scripts, and what goes wrong on the air.
@Suite(.enabled(if: TestTools.python != nil, "run Tools/setup runtime"))
struct WholeFrameChatTests {
    private static let ready = ["Tap to speak", "tap twice for a photo"]
    private static let long = (1...60).map { "word\($0)" }.joined(separator: " ")

    private func delivered(_ bench: ChatBench, _ number: Int, within limit: Duration = .seconds(120)) async throws {
        try await bench.next("delivery of \(number)", within: limit) {
            if case .delivered(TurnID(number: number)) = $0 { true } else { nil }
        }
    }

    @Test(arguments: [FrameFirmware.v24_149, .v24_248, .v25_080]) func aTypedQuestionIsAnsweredOnTheDisplay(
        firmware: FrameFirmware
    ) async throws {
        try await FrameChatBench.with(firmware) { bench in
            let status = try await bench.next("connection") { if case .connected(let status) = $0 { status } else { nil } }
            #expect(status.firmware == firmware.version && status.scripts == FrameChatBench.version && status.batteryPercent == 80)
            try await bench.next("version") { if case .version(FrameChatBench.version) = $0 { true } else { nil } }
            try await bench.waitUntilReady()
            bench.commands.deliver(.ask("Gr\u{FC}\u{DF}e 1/2"))
            try await delivered(bench, 1)
            try await bench.waitForDisplay("the answer") { $0 == ["I heard: Gr\u{FC}\u{DF}e 1\\2"] }
        }
    }

    @Test(arguments: [FrameFirmware.v24_149, .v24_248, .v25_080]) func aTapIsAQuestion(firmware: FrameFirmware) async throws {
        try await FrameChatBench.with(firmware) { bench in
            try await bench.waitUntilReady()
            bench.tap()
            try await bench.next("listening") { if case .listening = $0 { true } else { nil } }
            let question = try await bench.next("question") { if case .asked(_, let question) = $0 { question } else { nil } }
            #expect(question == .spoken(seconds: 6, photo: false, cut: nil))
            try await delivered(bench, 1)
        }
    }

    @Test(arguments: [FrameFirmware.v24_149, .v24_248, .v25_080]) func twoTapsSendAPicture(firmware: FrameFirmware) async throws {
        try await FrameChatBench.with(firmware) { bench in
            try await bench.waitUntilReady()
            bench.tap()
            try await bench.pause(.milliseconds(200))
            bench.tap()
            let photo = try await bench.next("photo") { if case .photo(let photo) = $0 { photo } else { nil } }
            #expect(photo.kind == .jpeg && photo.bytes.starts(with: [0xFF, 0xD8]))
            try await delivered(bench, 1)
        }
    }

    @Test func theWearersCancelReachesTheHostInEachState() async throws {
        try await FrameChatBench.with(responder: { SlowResponder(clock: $0, text: Self.long, pause: .seconds(2)) }) { bench in
            try await bench.waitUntilReady()
            // While a picture is taken.
            bench.tap()
            try await bench.pause(.milliseconds(200))
            bench.tap()
            try await bench.waitForDisplay("hold still") { $0.first == "Hold still" }
            bench.tap()
            try await bench.waitForDisplay("ready") { $0 == Self.ready }
            // While it listens.
            bench.tap()
            try await bench.next("listening") { if case .listening = $0 { true } else { nil } }
            try await bench.pause(.seconds(1))
            bench.tap()
            try await bench.next("cancel") { if case .recordingDropped(.givenUp) = $0 { true } else { nil } }
            try await bench.waitForDisplay("ready") { $0 == Self.ready }
            // While it waits for the answer.
            bench.tap()
            try await bench.waitForDisplay("thinking") { $0.first == "Thinking" }
            bench.tap()
            try await bench.next("cancel") { if case .cancelled(_, .byWearer) = $0 { true } else { nil } }
            // And the next question is answered.
            bench.commands.deliver(.tell("new"))
            try await bench.waitForDisplay("the next text") { $0 == ["new"] }
        }
    }

    /// Cut at many places of an answer: all of it arrives, once.
    @Test(arguments: [100, 400, 900, 1600, 2500, 4000]) func aLinkLostWithinAnAnswerLosesNothing(milliseconds: Int) async throws {
        try await FrameChatBench.with(responder: { SlowResponder(clock: $0, text: Self.long) }) { bench in
            try await bench.waitUntilReady()
            bench.commands.deliver(.ask("question"))
            try await bench.pause(.milliseconds(milliseconds))
            bench.cutLink()
            try await delivered(bench, 1)
            try await bench.waitForDisplay("the end of the answer", within: .seconds(60)) { $0.last?.hasSuffix("word60") == true }
            let shown = bench.display.joined(separator: " ")
            #expect((Self.long).hasSuffix(shown), "\(shown)")
        }
    }

    @Test(arguments: [500, 3000, 6050]) func aLinkLostWithinARecordingIsSaid(milliseconds: Int) async throws {
        try await FrameChatBench.with { bench in
            try await bench.waitUntilReady()
            bench.tap()
            try await bench.next("listening") { if case .listening = $0 { true } else { nil } }
            try await bench.pause(.milliseconds(milliseconds))
            bench.cutLink()
            try await bench.waitUntilReady()
            bench.commands.deliver(.ask("after"))
            try await bench.waitForDisplay("the next answer", within: .seconds(60)) { $0 == ["I heard: after"] }
        }
    }

    @Test func aLinkLostWithinAPhotoIsSaid() async throws {
        try await FrameChatBench.with { bench in
            try await bench.waitUntilReady()
            bench.tap()
            try await bench.pause(.milliseconds(200))
            bench.tap()
            try await bench.next("listening") { if case .listening = $0 { true } else { nil } }
            try await bench.pause(.milliseconds(300))
            bench.cutLink()
            try await bench.next("notice") { if case .notice(.photoIncomplete) = $0 { true } else { nil } }
            try await bench.waitUntilReady()
            bench.commands.deliver(.ask("after"))
            try await delivered(bench, 1)
        }
    }

    @Test(arguments: [false, true]) func aPictureIsShown(isCut: Bool) async throws {
        let grey = try #require(PixelPicture(width: 400, height: 60, pixels: [UInt8](repeating: 90, count: 72_000)))
        let picture = try #require(DisplayPicture(grey))
        try await FrameChatBench.with { bench in
            try await bench.waitUntilReady()
            bench.commands.deliver(.show(picture))
            if isCut {
                try await bench.pause(.milliseconds(1500))
                bench.cutLink()
            }
            try await delivered(bench, 1)
            #expect(bench.bitmapCount == 60)
            bench.commands.deliver(.ask("after"))
            try await bench.waitForDisplay("the answer") { $0 == ["I heard: after"] && bench.bitmapCount == 0 }
        }
    }

    /// A message that the program never gets makes the whole answer go again.
    @Test(arguments: [3, 4, 5, 6]) func aMessageThatVanishesIsMadeUpFor(number: Int) async throws {
        var faults = FaultPlan()
        faults.droppedDataPackets = [number]
        try await FrameChatBench.with(faults: faults) { bench in
            try await bench.waitUntilReady()
            bench.commands.deliver(.ask("hello"))
            try await delivered(bench, 1)
            try await bench.waitForDisplay("the answer") { $0 == ["I heard: hello"] }
        }
    }

    @Test func aCrashUnderAnAnswerIsSurvived() async throws {
        var faults = FaultPlan()
        faults.crashesAtDataPackets = [4]
        try await FrameChatBench.with(faults: faults) { bench in
            try await bench.waitUntilReady()
            bench.commands.deliver(.ask("hello"))
            try await delivered(bench, 1)
        }
    }

    @Test func aProgramThatRaisesIsTold() async throws {
        try await FrameChatBench.with(main: "frame.sleep(1) error('boom')") { bench in
            let last = try await bench.next("the error") { if case .raised(let fault) = $0 { fault.lastLine } else { nil } }
            #expect(last.hasSuffix("boom"))
            try await bench.next("the end") { if case .programEnded = $0 { true } else { nil } }
        }
    }

    @Test func aProgramThatFloodsIsBounded() async throws {
        try await FrameChatBench.with(main: "while true do print('again') frame.sleep(0.005) end") { bench in
            try await bench.next("silence", within: .seconds(60)) { if case .silent = $0 { true } else { nil } }
            let lines = bench.history.value.filter { if case .console = $0 { true } else { false } }
            // Over two links.
            #expect(lines.count <= 600)
        }
    }

    /// noa-flutter's sleeps at the first message that comes more than 18 s after its start (`app.lua`): it is sent none that nobody typed.
    @Test func aForeignProgramIsAskedNothing() async throws {
        let main = """
            local start, late = frame.time.utc(), false
            frame.bluetooth.receive_callback(function() late = late or frame.time.utc() - start > 18 end)
            while true do
                if late then frame.sleep() end
                frame.sleep(0.05)
            end
            """
        try await FrameChatBench.with(main: main) { bench in
            try await bench.next("silence", within: .seconds(60)) { if case .silent = $0 { true } else { nil } }
            try await bench.pause(.seconds(20))
            bench.cutLink()
            try await bench.next("the link's end") { if case .lost = $0 { true } else { nil } }
            try await bench.next("the link", within: .seconds(60)) { if case .connected = $0 { true } else { nil } }
            try await bench.next("silence", within: .seconds(60)) { if case .silent = $0 { true } else { nil } }
        }
    }

    /// The guide's restore test.
    @Test func numberedTextsSurviveLinkCuts() async throws {
        try await FrameChatBench.with { bench in
            try await bench.waitUntilReady()
            for number in 1...20 {
                bench.commands.deliver(.tell("\(number) of 20"))
                try await bench.pause(.seconds(2))
                if number.isMultiple(of: 5) { bench.cutLink() }
            }
            try await delivered(bench, 20)
            let numbers = bench.history.value.compactMap { if case .delivered(let id) = $0 { id.number } else { nil } }
            #expect(numbers == Array(1...20))
        }
    }
}
