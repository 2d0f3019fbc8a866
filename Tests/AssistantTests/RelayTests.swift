import Bluetooth
import Foundation
import Support
import TestSupport
import Testing

@testable import Assistant
@testable import MonocleFamily

@Suite struct MonocleRelayTests {
    private var relay = MonocleRelay()
    private let start = SessionClock.Instant(offset: .seconds(100))

    init() { relay.linkUp(payloadSize: 253) }

    private mutating func receive(_ command: String, _ data: [UInt8] = [], after: Duration = .zero) -> [RelayEvent] {
        relay.receive(Array(command.utf8) + data, now: start.advanced(by: after))
    }

    private static func sound(_ seconds: Double, _ value: UInt8 = 7) -> [UInt8] {
        [UInt8](repeating: value, count: Int(seconds * 8000))
    }

    private static func utterance(_ bytes: [UInt8], photo: Photo? = nil, cut: Utterance.Cut? = nil) -> RelayEvent {
        .utterance(Utterance(sound: Sound(bytes: bytes), photo: photo, cut: cut))
    }

    @Test mutating func aRecording() {
        #expect(receive("rdy:") == [.ready])
        #expect(receive("ast:") == [.recordingStarted])
        #expect(receive("dat:", [1, 2]) == [])
        #expect(receive("dat:", [255]) == [])
        #expect(receive("aen:") == [Self.utterance([1, 2, 255])])
        #expect(receive("aen:") == [.nothingRecorded])
        #expect(relay.nextDeadline == nil)
    }

    @Test mutating func aPhotoAndThenSoundThatKeepsIt() {
        #expect(receive("ist:") == [.recordingStarted])
        #expect(receive("idt:", [9]) == [])
        #expect(receive("idt:", [8]) == [])
        #expect(receive("ien:") == [.send(Array("ick:".utf8)), .photo(Photo(jpeg: [9, 8]))])
        #expect(receive("dat:", [1]) == [])
        #expect(receive("aen:") == [Self.utterance([1], photo: Photo(jpeg: [9, 8]))])
        // "ast:" forgets the picture.
        for command in ["ist:", "idt:", "ien:", "ast:", "dat:"] { _ = receive(command, [5]) }
        #expect(receive("aen:") == [Self.utterance([5])])
    }

    @Test mutating func aLostBeginningIsForgiven() {
        #expect(receive("dat:", [1]) == [.recordingStarted])
        #expect(receive("aen:") == [Self.utterance([1])])
        #expect(receive("idt:", [1]) == [])
        #expect(receive("ien:") == [.recordingStarted, .send(Array("ick:".utf8))])
    }

    @Test mutating func endlessSoundIsCutOnce() {
        _ = receive("ast:")
        var events: [RelayEvent] = []
        for _ in 0..<10_000 { events += receive("dat:", [UInt8](repeating: 7, count: 249)) }
        #expect(events == [
            .notice(.recordingTooLong(limitSeconds: 60)), .send(Array("err:The recording was too long.".utf8)),
            Self.utterance(Self.sound(60), cut: .tooLong),
        ])
        #expect(receive("aen:") == [])
        #expect(receive("ast:") == [.recordingStarted])
    }

    @Test mutating func endlessPicturesAreDropped() {
        _ = receive("ist:")
        var events: [RelayEvent] = []
        for _ in 0..<3000 { events += receive("idt:", [UInt8](repeating: 7, count: 249)) }
        #expect(events == [.notice(.photoTooLarge(limitBytes: 262_144))])
        #expect(receive("ien:") == [.send(Array("ick:".utf8))])
        _ = receive("dat:", [1])
        #expect(receive("aen:") == [Self.utterance([1])])
    }

    @Test mutating func aRecordingThatStallsIsTakenAsItIs() {
        _ = receive("ast:")
        _ = receive("dat:", Self.sound(2), after: .seconds(1))
        #expect(relay.nextDeadline == start.advanced(by: .seconds(9)))
        #expect(relay.advance(now: start.advanced(by: .seconds(8))) == [])
        #expect(relay.advance(now: start.advanced(by: .seconds(9))) == [
            .notice(.recordingStalled(seconds: 2)), Self.utterance(Self.sound(2), cut: .stalled),
        ])
        #expect(relay.nextDeadline == nil)
    }

    @Test mutating func aLostLinkKeepsWhatWasSaid() {
        _ = receive("ast:")
        _ = receive("dat:", Self.sound(1))
        #expect(relay.linkDown() == [Self.utterance(Self.sound(1), cut: .linkLost)])
        relay.linkUp(payloadSize: 253)
        _ = receive("ast:")
        _ = receive("dat:", Self.sound(0.25))
        #expect(relay.linkDown() == [.nothingRecorded])
        relay.linkUp(payloadSize: 253)
        _ = receive("ist:")
        _ = receive("idt:", [1, 2, 3])
        #expect(receive("rdy:") == [.notice(.photoIncomplete(byteCount: 3)), .nothingRecorded, .ready])
        #expect(relay.linkDown() == [])
    }

    @Test mutating func confirmations() {
        let (first, second) = (ConfirmationID("a"), ConfirmationID("b"))
        #expect(relay.confirm(first, now: start) == [.send(Array("pin:a".utf8))])
        _ = relay.confirm(second, now: start.advanced(by: .seconds(1)))
        let complaint = RelayEvent.complaint(Array("err:That question was given up. Ask again.".utf8))
        #expect(receive("pon:", Array("zz\u{7}".utf8)) == [.notice(.unknownConfirmation("zz\u{FFFD}")), complaint])
        #expect(receive("pon:", [0xFF, 0xFE]) == [.notice(.brokenText(command: "pon:", "\u{FFFD}\u{FFFD}"))])
        #expect(receive("pon:", Array("b".utf8)) == [.confirmed(second)])
        #expect(receive("pon:", Array("b".utf8)) == [.notice(.unknownConfirmation("b"))])
        #expect(relay.nextDeadline == start.advanced(by: .seconds(6)))
        #expect(relay.advance(now: start.advanced(by: .seconds(6))) == [.expired(first)])
        #expect(receive("pon:", Array("a".utf8)) == [.notice(.unknownConfirmation("a"))])
        #expect(relay.nextDeadline == nil)
    }

    @Test mutating func unansweredConfirmationsDoNotPileUp() {
        var expired: [ConfirmationID] = []
        for number in 0..<1000 {
            for event in relay.confirm(ConfirmationID("\(number)"), now: start) {
                if case .expired(let id) = event { expired.append(id) }
            }
        }
        #expect(expired.count == 992)
    }

    @Test func aConfirmationFitsTheSmallestPacket() {
        let options = ChatOptions()
        for _ in 0..<100 {
            let id = options.newConfirmation()
            var relay = MonocleRelay()
            relay.linkUp(payloadSize: 20)
            #expect(relay.confirm(id, now: start) == [.send(Array("pin:\(id)".utf8))])
            #expect(relay.receive(Array("pon:\(id)".utf8), now: start) == [.confirmed(id)])
        }
    }

    @Test mutating func theWearerGivesUp() {
        let answer = [RelayEvent.givenUp, .send(Array("ick:".utf8))]
        for started in [[], ["ast:"], ["ast:", "dat:"], ["ist:", "idt:"], ["ist:", "idt:", "ien:", "dat:"]] {
            for command in started { _ = receive(command, [1, 2, 3]) }
            #expect(receive("can:") == answer)
            #expect(relay.nextDeadline == nil && relay.linkDown() == [])
        }
        #expect(receive("aen:") == [.nothingRecorded])
    }

    /// The wearer is told too, but not again and again, and not over an answer or a recording.
    @Test mutating func complaintsAreRare() {
        func complains(_ events: [RelayEvent]) -> Bool { events.contains { if case .complaint = $0 { true } else { false } } }
        _ = receive("ast:")
        #expect(!complains(receive("xyz:")))
        _ = receive("aen:")
        #expect(complains(receive("xyz:", after: .seconds(1))))
        #expect(!complains(receive("xyz:", after: .seconds(10))))
        #expect(complains(receive("xyz:", after: .seconds(11))))
        _ = relay.packets(for: .answer("An answer", isFirst: true, isLast: true))
        #expect(!complains(receive("xyz:", after: .seconds(30))))
    }

    @Test mutating func whatIsNotUnderstoodIsTold() {
        let complaint = RelayEvent.complaint(Array("err:The app does not understand this unit.".utf8))
        #expect(receive("") == [.notice(.shortMessage(byteCount: 0)), complaint])
        #expect(receive("pon") == [.notice(.shortMessage(byteCount: 3))])
        #expect(receive("xyz:", [1]) == [.notice(.unknownCommand("xyz:", byteCount: 5))])
        #expect(relay.receive([0xFF, 0x1B, 0x5B, 0x4A], now: start) == [.notice(.unknownCommand("\u{FFFD}\u{FFFD}[J", byteCount: 4))])
    }

    @Test(arguments: 0..<30) mutating func noiseDoesNoHarm(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        let commands = ["rdy:", "ast:", "ien:", "ist:", "idt:", "dat:", "aen:", "pon:", "what"]
        for step in 0..<2000 {
            let data = numbers.bytes(count: Int.random(in: 0...249, using: &numbers))
            _ = receive(commands.randomElement(using: &numbers) ?? "", data, after: .milliseconds(step))
            if Int.random(in: 0..<50, using: &numbers) == 0 { _ = relay.linkDown() }
            _ = relay.advance(now: start.advanced(by: .milliseconds(step)))
        }
    }

    @Test mutating func answersAreFoldedAndFitTheirPackets() {
        relay.linkUp(payloadSize: 20)
        let packets = relay.packets(for: .answer("Grüße aus Köln, 👩‍👩‍👧!", isFirst: true, isLast: true))
        #expect(packets.map { String(decoding: $0, as: UTF8.self) } == ["res:Gruesse aus Koel", "res:n, ?!"])
        #expect(relay.folding == TextFolding(similar: 3, unknown: 1))
        #expect(relay.packets(for: .answer("", isFirst: false, isLast: true)) == [])
        #expect(relay.folding == TextFolding(similar: 3, unknown: 1))
        _ = relay.packets(for: .answer("plain", isFirst: true, isLast: true))
        #expect(relay.folding.isExact)
    }

    private func shown(_ packets: [[UInt8]]) -> [String] { packets.map { String(decoding: $0, as: UTF8.self) } }

    /// Noa's own program says `rdy:` whenever it has shown what came, and keeps that until the next recording.
    @Test mutating func aProgramThatKeepsItsTextIsNotSentItAgainAndNeverMoreThanItHolds() {
        #expect(receive("rdy:") == [.ready])
        let sentence = String(repeating: "word ", count: 100)
        var sent = 0
        for _ in 0..<20 {
            sent += relay.packets(for: .answer(sentence, isFirst: true, isLast: true)).reduce(0) { $0 + $1.count - 4 }
            #expect(receive("rdy:") == [.idle])
        }
        // 63 bytes of heap for each "word ".
        #expect((1000...1120).contains(sent), "\(sent)")
        #expect(relay.folding == TextFolding(omitted: 400))
        for _ in 0..<20 { sent += relay.packets(for: .error("No network")).reduce(0) { $0 + $1.count - 4 } }
        #expect((1050...1250).contains(sent), "\(sent)")
        _ = receive("ast:")
        _ = receive("aen:")
        #expect(shown(relay.packets(for: .answer("Room", isFirst: true, isLast: true))) == ["res:Room"])
        // Over a new link the program is a new one.
        relay.linkUp(payloadSize: 253)
        #expect(receive("rdy:") == [.ready])
        #expect(receive("rdy:") == [.ready])
    }

    /// Our scripts keep the newest rows only.
    @Test mutating func aProgramThatRollsGetsAllOfIt() {
        let text = String(repeating: "word ", count: 1000)
        for rolls in [true, false] {
            relay.linkUp(payloadSize: 253)
            #expect(receive("rdy:", Array((rolls ? "rolls" : "").utf8)) == [.ready])
            let packets = relay.packets(for: .answer(text, isFirst: true, isLast: true))
            #expect((packets.reduce(0) { $0 + $1.count - 4 } == 4999) == rolls)
            #expect(relay.folding.isExact == rolls && shown(packets).last?.hasSuffix("...") == !rolls)
        }
        relay.linkUp(payloadSize: 253)
        _ = receive("rdy:", Array("rolls".utf8))
        _ = relay.packets(for: .answer(text, isFirst: true, isLast: true))
        #expect(shown(relay.packets(for: .answer("Next", isFirst: true, isLast: true))) == ["res:\nNext"])
        #expect(receive("rdy:", Array("rolls".utf8)) == [.ready])
    }

    /// The scripts append to what they show.
    @Test mutating func aSecondAnswerBeginsItsOwnLine() {
        #expect(relay.packets(for: .answer("One", isFirst: true, isLast: true)) == [Array("res:One".utf8)])
        #expect(relay.packets(for: .answer("Two ", isFirst: true, isLast: false)) == [Array("res:\nTwo".utf8)])
        #expect(relay.packets(for: .answer(" more\n", isFirst: false, isLast: true)) == [Array("res: more".utf8)])
        _ = receive("ast:")
        #expect(relay.packets(for: .answer("Three", isFirst: true, isLast: true)) == [Array("res:Three".utf8)])
    }

    /// What the unit says that it accepted is compared with what was sent to it: the bytes after each command.
    @Test mutating func aProgramThatGivesReceiptsIsAskedForThem() throws {
        #expect(receive("rdy:", Array("rolls got later".utf8)) == [.ready, .send(Array("new:".utf8))])
        #expect(relay.givesReceipts)
        #expect(shown(relay.packets(for: .answer("Hello", isFirst: true, isLast: false))) == ["res:Hello"])
        #expect(relay.awaitedReceipt == nil)
        #expect(shown(relay.packets(for: .answer(" world", isFirst: false, isLast: true))) == ["res: world", "end:"])
        #expect(relay.awaitedReceipt?.byteCount == 11)
        // sha256sum of "Hello world".
        #expect(receive("got:", Array("11 64ec88ca".utf8)) == [.receipt(try #require(relay.awaitedReceipt))])
        #expect(shown(relay.packets(for: .answer("Next", isFirst: true, isLast: true))) == ["res:\nNext", "end:"])
        #expect(relay.awaitedReceipt?.byteCount == 5)
        #expect(shown(relay.packets(for: .error("No"))) == ["err:\nNo", "end:"])
        #expect(relay.awaitedReceipt?.byteCount == 3)
        #expect(shown(relay.packets(for: .again)) == ["new:"])
        // Nothing was shown, so there is nothing to prove.
        #expect(shown(relay.packets(for: .answer("", isFirst: true, isLast: true))) == [])
        #expect(relay.awaitedReceipt == nil)
        relay.linkUp(payloadSize: 253)
        #expect(!relay.givesReceipts)
    }

    @Test(arguments: ["", "rolls", "rollsgot", "got2"]) mutating func othersAreNot(words: String) {
        _ = receive("rdy:", Array(words.utf8))
        #expect(!relay.givesReceipts && relay.packets(for: .again) == [])
        #expect(shown(relay.packets(for: .answer("Hello", isFirst: true, isLast: true))) == ["res:Hello"])
        #expect(relay.awaitedReceipt == nil)
    }

    @Test(arguments: [
        "", "11", "11 64ec88c", "11 64EC88CA", "-1 64ec88ca", "11  64ec88ca", "11 64ec88ca ", "1111111111 64ec88ca", "\u{1B}[2J"
    ])
    mutating func aReceiptThatCannotBeReadIsTold(text: String) {
        #expect(
            receive("got:", Array(text.utf8)) == [
                .notice(.brokenReceipt(text.replacing("\u{1B}", with: "\u{FFFD}").trimmingCharacters(in: .whitespaces)))
            ])
        #expect(receive("got:", [UInt8](repeating: 0x31, count: 500)).count == 1)
    }

    @Test mutating func errors() {
        relay.linkUp(payloadSize: 24)
        #expect(relay.packets(for: .error("A long explanation of it")) == [Array("err:A long explanatio...".utf8)])
        #expect(relay.packets(for: .error("„Non“")) == [Array("err:\n\"Non\"".utf8)])
        #expect(relay.folding == TextFolding(similar: 2))
    }
}
