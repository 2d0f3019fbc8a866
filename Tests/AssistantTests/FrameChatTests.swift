import Bluetooth
import Support
import TestSupport
import Testing

@testable import Assistant
@testable import FrameFamily
@testable import MonocleFamily

/// The chat's machine with a Frame's relay, and a program at the other end that holds one message at a time.
@Suite struct FrameChatTests {
    private var machine = ChatMachine(
        relay: FrameRelay(), conversation: Conversation(), readyTimeout: .seconds(15),
        newConfirmation: { ConfirmationID("0123456789abcdef") })
    private var now = SessionClock.Instant(offset: .seconds(10))
    private var program = Program()
    private var events: [String] = []

    /// What our scripts do with messages: it takes some time for each, and one that comes meanwhile replaces the one that waits.
    private struct Program {
        var knowsUs = true
        var slot: [UInt8]?
        var text: [UInt8] = []
        var picture: [UInt8] = []
        var messages: [[UInt8]] = []
        var overwritten = 0
        /// Messages that vanish, by their number.
        var lost: Set<Int> = []
        var takenCount = 0

        mutating func arrive(_ packet: [UInt8]) {
            if slot != nil { overwritten += 1 }
            slot = packet
        }

        mutating func takeTurn() -> [[UInt8]] {
            guard let packet = slot else { return [] }
            slot = nil
            takenCount += 1
            if lost.contains(takenCount) { return [] }
            messages.append(packet)
            guard let kind = FrameMessage(rawValue: packet[1]) else { return [] }
            let data = Array(packet.dropFirst(2))
            var answers: [[UInt8]] = []
            switch kind {
            case .start: (text, picture) = ([], [])
            case .text: text += data
            case .palette, .rows: picture += data
            case .hello: return knowsUs ? [FrameMessage.hello.packet([0x31])] : []
            case .receipt:
                let receipt = AnswerReceipt(crcOf: picture + text)
                answers = [FrameMessage.receipt.packet("\(receipt.byteCount) \(receipt.check)".utf8)]
            case .ping: answers = [packet]
            default: break
            }
            return knowsUs ? answers + [FrameMessage.taken.packet()] : []
        }
    }

    private mutating func feed(_ input: ChatMachine.Input) {
        for action in machine.handle(input, now: now) {
            switch action {
            case .report(let event): events.append(ChatBench.brief(event))
            case .send(let packet):
                program.arrive(packet)
                feed(.sent)
            case .hear, .answer, .stopWork, .endLink: break
            }
        }
    }

    /// Lets time pass in steps in which the program takes a turn.
    private mutating func run(_ duration: Duration, step: Duration = .milliseconds(60)) {
        let end = now.advanced(by: duration)
        while now < end {
            now = now.advanced(by: step)
            for packet in program.takeTurn() { feed(.packet(packet)) }
            feed(.tick)
        }
    }

    private mutating func come() {
        feed(.linkUp(payloadSize: 244, UnitStatus()))
        feed(.packet(FrameMessage.version.packet("0.0".utf8)))
        run(.seconds(3))
    }

    private func has(_ event: String) -> Bool { events.contains { $0.hasPrefix(event) } }

    private static let long = (1...400).map { "word\($0)" }.joined(separator: " ")

    private mutating func answer(_ text: String) {
        feed(.command(.ask("question")))
        feed(.progress(work: machine.turns.workCount, .text(text)))
        feed(.answered(work: machine.turns.workCount, .success(AnswerSummary())))
    }

    @Test mutating func aLongAnswerGoesOneMessageAtATimeAndIsProven() {
        come()
        #expect(has("version(\"0.0\")") && has("ready"))
        answer(Self.long)
        run(.seconds(10))
        #expect(program.overwritten == 0)
        #expect(String(decoding: program.text, as: UTF8.self) == Self.long)
        #expect(has("sent(1, awaitsReceipt: true)") && has("delivered(1)"))
    }

    @Test mutating func aMessageThatIsLostMakesTheWholeGoAgain() {
        come()
        program.lost = [program.takenCount + 4]
        answer(Self.long)
        run(.seconds(30))
        #expect(has("repeated(1") && has("delivered(1)"))
        #expect(String(decoding: program.text, as: UTF8.self) == Self.long)
    }

    @Test mutating func aProgramThatDoesNotKnowUsGetsTheAnswerAtTheAppsPace() {
        program.knowsUs = false
        come()
        #expect(has("ready"))
        answer(Self.long)
        run(.seconds(10), step: .milliseconds(10))
        #expect(program.overwritten == 0)
        #expect(String(decoding: program.text, as: UTF8.self) == Self.long)
        #expect(has("sent(1, awaitsReceipt: false)"))
        #expect(program.messages.allSatisfy { (0x10...0x1A).contains($0[1]) })
    }

    @Test mutating func aLinkLostInTheMiddleLosesNothingAndRepeatsNothing() {
        for step in 1...12 {
            self = Self()
            come()
            answer(Self.long)
            run(.milliseconds(60 * step))
            feed(.linkDown(reason: "gone"))
            program = Program()
            run(.seconds(1))
            come()
            run(.seconds(10))
            #expect(String(decoding: program.text, as: UTF8.self) == Self.long, "after \(step) steps")
            #expect(events.filter { $0.hasPrefix("delivered(1)") }.count == 1)
        }
    }

    @Test mutating func aPictureIsShownAndProven() throws {
        come()
        let red = try #require(PixelPicture(width: 400, height: 100, pixels: [UInt8](repeating: 200, count: 120_000)))
        let picture = try #require(DisplayPicture(red))
        feed(.command(.show(picture)))
        run(.seconds(3))
        feed(.linkDown(reason: "gone"))
        program = Program()
        come()
        run(.seconds(20))
        #expect(program.picture == picture.palette + [0, 100] + picture.rows)
        #expect(has("asked(1") && has("delivered(1)"))
    }

    @Test mutating func aUnitThatTakesNoPicturesSaysSo() throws {
        machine = ChatMachine(
            relay: MonocleRelay(), conversation: Conversation(), readyTimeout: .seconds(4), newConfirmation: { ConfirmationID("id") })
        let black = try #require(PixelPicture(width: 1, height: 1, pixels: [0, 0, 0]))
        feed(.command(.show(try #require(DisplayPicture(black)))))
        #expect(has("cancelled(1, Assistant.ChatEvent.Cancellation.noPictures)"))
        #expect(machine.outbox.isEmpty)
    }

    @Test mutating func theWearersCancelDropsTheQuestion() {
        come()
        feed(.packet(FrameMessage.start.packet()))
        feed(.packet(FrameMessage.audio.packet([UInt8](repeating: 1, count: 240))))
        feed(.packet(FrameMessage.end.packet()))
        #expect(has("listening") && has("asked(1"))
        feed(.packet(FrameMessage.cancel.packet()))
        #expect(has("cancelled(1, Assistant.ChatEvent.Cancellation.byWearer)"))
        run(.seconds(1))
        #expect(program.messages.last == FrameMessage.cancel.packet())
    }

    @Test mutating func aSpokenQuestionIsConfirmedAndAnswered() {
        come()
        feed(.packet(FrameMessage.start.packet()))
        feed(.packet(FrameMessage.audio.packet([UInt8](repeating: 1, count: 240))))
        feed(.packet(FrameMessage.end.packet()))
        feed(.heard(work: machine.turns.workCount, .success("hello")))
        run(.seconds(1))
        feed(.progress(work: machine.turns.workCount, .text("Hi.")))
        feed(.answered(work: machine.turns.workCount, .success(AnswerSummary())))
        run(.seconds(3))
        #expect(String(decoding: program.text, as: UTF8.self) == "Hi." && has("delivered(1)"))
    }

    @Test mutating func numberedTextsAndPingsGoBothWays() {
        come()
        for number in 1...5 {
            feed(.command(.tell("\(number) of 5")))
            feed(.command(.ping(ConfirmationID("ping\(number)"))))
        }
        run(.seconds(10))
        #expect((1...5).allSatisfy { number in has("delivered(\(number))") && has("pong(ping\(number))") }, "\(events)")
        #expect(program.overwritten == 0)
    }

    @Test mutating func aProgramThatRaisesIsTold() {
        come()
        let start = "[string \"frame.stay_awake(false); require('main')\"]:1: "
        feed(.packet(Array((start + "exiting module 'main': [string \"main.lua\"]:3: boom").utf8)))
        #expect(has("console(") && has("raised(") && has("programEnded"))
    }

    @Test mutating func aFloodOfTextIsBounded() {
        come()
        let before = events.count
        for _ in 0..<5000 { feed(.packet(Array("printed again and again".utf8))) }
        for _ in 0..<5000 { feed(.packet([1, 0x77])) }
        #expect(events.count - before < 200)
    }
}
