import Bluetooth
import Foundation
import Support
import TestSupport
import Testing

@testable import Assistant
@testable import FrameFamily

@Suite struct FrameRelayTests {
    private var relay = FrameRelay()
    private let start = SessionClock.Instant(offset: .seconds(100))

    init() { relay.linkUp(payloadSize: 244) }

    private mutating func receive(_ kind: FrameMessage, _ data: [UInt8] = [], after: Duration = .zero) -> [RelayEvent] {
        relay.receive(kind.packet(data), now: start.advanced(by: after))
    }

    private mutating func greet() {
        _ = receive(.version, Array("0.0".utf8))
        _ = receive(.hello, [0x31])
    }

    private static let hello = RelayEvent.send([0x01, 0x1A])

    // MARK: - Greeting

    @Test mutating func aProgramThatAnswersTheGreetingGivesReceipts() {
        #expect(receive(.version, Array("0.0".utf8)) == [.version("0.0"), Self.hello])
        #expect(relay.pace == .milliseconds(50) && !relay.givesReceipts)
        #expect(receive(.hello, [0x31]) == [.ready, .taken])
        #expect(relay.givesReceipts && relay.pace == .seconds(2))
        #expect(relay.nextDeadline == nil)
    }

    @Test mutating func aProgramThatDoesNotIsReadyAllTheSame() {
        _ = receive(.version, Array("0.0".utf8))
        #expect(relay.advance(now: start.advanced(by: .seconds(1))) == [Self.hello])
        #expect(relay.advance(now: start.advanced(by: .seconds(2))) == [.ready])
        #expect(!relay.givesReceipts)
        #expect(relay.confirm(ConfirmationID("x"), now: start) == [.confirmed(ConfirmationID("x"))])
    }

    @Test mutating func aVersionInPiecesIsToldOnce() {
        relay.linkUp(payloadSize: 20)
        let version = Array("SHA256 digest: 0123456789abcdef".utf8)
        #expect(receive(.version, Array(version.prefix(16))) == [])
        #expect(receive(.version, Array(version.dropFirst(16))) == [.version(String(decoding: version, as: UTF8.self)), Self.hello])
    }

    @Test mutating func aVersionThatNeverEndsIsBounded() {
        for _ in 0..<5000 { #expect(receive(.version, [UInt8](repeating: 0x41, count: 240)) == []) }
        guard case .version(let text)? = receive(.version).first else { return #expect(Bool(false)) }
        #expect(text.count == 200)
    }

    @Test mutating func aProgramThatBeginsAnewIsGreetedAnew() {
        greet()
        _ = receive(.start)
        _ = receive(.audio, [UInt8](repeating: 1, count: 8000))
        let events = receive(.version, Array("0.1".utf8))
        #expect(events.count == 3 && events.last == Self.hello)
        guard case .utterance(let cut) = events[0] else { return #expect(Bool(false), "\(events)") }
        #expect(cut.cut == .restarted)
    }

    // MARK: - To the unit

    @Test mutating func anAnswerBeginsAndEndsAndAsksForItsReceipt() {
        greet()
        #expect(relay.packets(for: .answer("He", isFirst: true, isLast: false)) == [[1, 0x10], [1, 0x11, 0x48, 0x65]])
        #expect(relay.packets(for: .answer("y", isFirst: false, isLast: true)) == [[1, 0x11, 0x79], [1, 0x16], [1, 0x1B]])
        #expect(relay.awaitedReceipt == AnswerReceipt(crcOf: Array("Hey".utf8)))
        #expect(
            receive(.receipt, Array("3 \(AnswerReceipt(crcOf: Array("Hey".utf8)).check)".utf8)) == [
                .receipt(AnswerReceipt(crcOf: Array("Hey".utf8)))
            ])
    }

    @Test mutating func withoutAGreetingThereIsNoReceipt() {
        #expect(relay.packets(for: .error("No")) == [[1, 0x10], [1, 0x11, 0x4E, 0x6F], [1, 0x16]])
        #expect(relay.awaitedReceipt == nil)
    }

    @Test mutating func piecesFitThePayload() {
        let packets = relay.packets(for: .error(String(repeating: "ä", count: 500)))
        #expect(packets.allSatisfy { $0.count <= 244 })
        #expect(packets.dropFirst().dropLast().flatMap { $0.dropFirst(2) } == Array(String(repeating: "ä", count: 500).utf8))
    }

    /// The check value of CRC-32.
    @Test func receiptsHoldTheCRC() {
        #expect(AnswerReceipt(crcOf: Array("123456789".utf8)).check == "cbf43926")
    }

    @Test mutating func whatTheFontLacksIsShownByWhatItHas() {
        let packets = relay.packets(for: .error("1/2 Größe щ ½ 中 œ €"))
        #expect(String(decoding: packets[1].dropFirst(2), as: UTF8.self) == "1\\2 Größe shch  1\\2 ? œ €")
        #expect(relay.folding == TextFolding(similar: 3, unknown: 1))
    }

    @Test mutating func aPictureGoesAsPaletteAndRows() throws {
        greet()
        let red = try #require(PixelPicture(width: 400, height: 2, pixels: Array(repeating: [255, 0, 0], count: 800).flatMap { $0 }))
        let picture = try #require(DisplayPicture(red))
        let packets = relay.packets(for: .picture(picture))
        #expect(packets.allSatisfy { $0.count <= 244 })
        #expect(packets[0] == [1, 0x10])
        #expect(packets[1] == [1, 0x14] + picture.palette + [0, 2])
        #expect(packets.filter { $0[1] == 0x15 }.flatMap { $0.dropFirst(2) } == picture.rows)
        #expect(packets.suffix(2) == [[1, 0x16], [1, 0x1B]])
        #expect(relay.awaitedReceipt == AnswerReceipt(crcOf: picture.palette + [0, 2] + picture.rows))
    }

    /// The vendor's program takes each message for one row.
    @Test mutating func aStrangerGetsARowAPacket() throws {
        let red = try #require(PixelPicture(width: 400, height: 3, pixels: Array(repeating: [255, 0, 0], count: 1200).flatMap { $0 }))
        let picture = try #require(DisplayPicture(red))
        let rows = relay.packets(for: .picture(picture)).filter { $0[1] == 0x15 }
        #expect(rows.map(\.count) == [202, 202, 202] && rows.flatMap { $0.dropFirst(2) } == picture.rows)
    }

    // MARK: - From the unit

    @Test mutating func aRecording() {
        greet()
        #expect(receive(.start) == [.recordingStarted])
        #expect(receive(.audio, [1, 2]) == [])
        #expect(receive(.audio, [0xFF]) == [])
        #expect(receive(.end) == [.utterance(Utterance(sound: Sound(samples: [1, 2, -1])))])
        #expect(receive(.end) == [.nothingRecorded])
    }

    @Test mutating func aJPEGAndThenSound() {
        let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 1, 2]
        #expect(receive(.start) == [.recordingStarted])
        #expect(receive(.image, Array(jpeg.prefix(3))) == [])
        #expect(receive(.image, Array(jpeg.dropFirst(3))) == [])
        #expect(receive(.audio, [5]) == [])
        #expect(receive(.end) == [.photo(Photo(jpeg: jpeg)), .utterance(Utterance(sound: Sound(samples: [5]), photo: Photo(jpeg: jpeg)))])
    }

    @Test mutating func anEarlyPictureIsTurnedAndBecomesAPNG() throws {
        // Its right-hand column is red, so the turned picture's top row is.
        let bytes = (0..<40_000).map { UInt8($0 % 200 == 199 ? 0b1110_0000 : 0b0000_0011) }
        _ = receive(.start)
        for begin in stride(from: 0, to: 40_000, by: 240) { _ = receive(.image, Array(bytes[begin..<min(40_000, begin + 240)])) }
        guard case .photo(let photo)? = receive(.end).first else { return #expect(Bool(false)) }
        #expect(photo.kind == .png)
        let picture = try PictureFile.read(photo.bytes)
        #expect(picture.width == 200 && picture.height == 200)
        #expect(Array(picture.pixels.prefix(600)) == Array(repeating: [255, 0, 0], count: 200).flatMap { $0 })
        #expect(Array(picture.pixels.dropFirst(600).prefix(3)) == [0, 0, 255])
    }

    @Test mutating func whatIsNoPictureIsDropped() {
        _ = receive(.start)
        _ = receive(.image, [1, 2, 3])
        #expect(receive(.end) == [.notice(.photoUnreadable(byteCount: 3)), .nothingRecorded])
    }

    @Test mutating func endlessPicturesAndSoundsAreBounded() {
        _ = receive(.start)
        var events: [RelayEvent] = []
        for _ in 0..<5000 { events += receive(.image, [UInt8](repeating: 7, count: 242)) }
        #expect(events == [.notice(.photoTooLarge(limitBytes: 262_144))])
        for _ in 0..<10_000 { events += receive(.audio, [UInt8](repeating: 7, count: 242)) }
        #expect(events.filter { if case .utterance = $0 { true } else { false } }.count == 1)
        #expect(events.contains(.notice(.recordingTooLong(limitSeconds: 60))))
    }

    @Test mutating func aLostLinkCutsTheRecording() {
        _ = receive(.start)
        _ = receive(.audio, [UInt8](repeating: 1, count: 8000))
        guard case .utterance(let utterance)? = relay.linkDown().first else { return #expect(Bool(false)) }
        #expect(utterance.cut == .linkLost)
        _ = receive(.start)
        _ = receive(.image, [0xFF, 0xD8])
        #expect(relay.linkDown() == [.notice(.photoIncomplete(byteCount: 2)), .nothingRecorded])
    }

    @Test mutating func aRecordingThatStallsIsTakenAsItIs() {
        _ = receive(.start)
        _ = receive(.audio, [UInt8](repeating: 1, count: 8000))
        let events = relay.advance(now: start.advanced(by: .seconds(8)))
        #expect(events.first == .notice(.recordingStalled(seconds: 1)))
    }

    @Test mutating func aCancelIsAnsweredInEveryState() {
        greet()
        for begun: [(FrameMessage, [UInt8])] in [[], [(.start, [])], [(.start, []), (.image, [0xFF])], [(.start, []), (.audio, [1])]] {
            for (kind, data) in begun { _ = receive(kind, data) }
            #expect(receive(.cancel) == [.givenUp, .send([1, 0x19])])
            #expect(relay.linkDown() == [])
        }
    }

    @Test mutating func pingsAreConfirmedOnceAndExpire() {
        greet()
        let id = ConfirmationID("0123456789abcdef")
        #expect(relay.confirm(id, now: start) == [.send([1, 0x1D] + Array(id.description.utf8))])
        #expect(receive(.ping, Array(id.description.utf8)) == [.confirmed(id)])
        #expect(receive(.ping, Array(id.description.utf8)) == [.notice(.unknownConfirmation(id.description))])
        _ = relay.confirm(id, now: start)
        #expect(relay.advance(now: start.advanced(by: .seconds(6))) == [.expired(id)])
    }

    // MARK: - What is printed

    @Test mutating func textsAndErrorsAreToldApart() {
        let now = start
        func printed(_ text: String) -> [ProgramOutput] {
            relay.receive(Array(text.utf8), now: now).compactMap { if case .printed(let output) = $0 { output } else { nil } }
        }
        #expect(printed("hello") == [.line("hello")])
        let error = "[string \"main.lua\"]:12: attempt to call a nil value"
        #expect(printed(error).map(Self.kind) == ["line", "raised"])
        let main = "[string \"frame.stay_awake(false); require('main')\"]:1: "
        #expect(printed(main + "cannot open file: main.lua").map(Self.kind) == ["line", "raised", "ended"])
        #expect(printed(main + "exiting module 'main': [string \"main.lua\"]:1: break signal").map(Self.kind) == ["line", "ended"])
    }

    private static func kind(_ output: ProgramOutput) -> String {
        switch output {
        case .line: "line"
        case .raised: "raised"
        case .ended: "ended"
        }
    }

    @Test func onlyMessagesShowThatTheProgramLives() {
        #expect(relay.showsLife([1, 0x18]))
        #expect(!relay.showsLife(Array("cannot open file: main.lua".utf8)) && !relay.showsLife([]))
        #expect(relay.probe == [1, 0x17])
        #expect(relay.security == .bonded && relay.console == nil)
    }

    @Test mutating func garbageIsTold() {
        #expect(receive(.palette, [1]) == [.notice(.unknownCommand("0x14", byteCount: 2))])
        #expect(relay.receive([1, 0x22, 0, 1], now: start) == [.notice(.unknownCommand("0x22", byteCount: 3))])
        #expect(relay.receive([1], now: start) == [.notice(.shortMessage(byteCount: 0))])
        #expect(receive(.receipt, Array("3 xyz".utf8)) == [.notice(.brokenReceipt("3 xyz"))])
        var numbers = SeededNumbers(seed: 14)
        for step in 0..<3000 {
            let packet = [UInt8(step % 3 == 0 ? 0 : 1), UInt8(Int.random(in: 0x0F...0x20, using: &numbers))]
                + numbers.bytes(count: Int.random(in: 0...242, using: &numbers))
            _ = relay.receive(packet, now: start.advanced(by: .milliseconds(step)))
            if step % 50 == 0 { _ = relay.linkDown() }
            _ = relay.advance(now: start.advanced(by: .milliseconds(step)))
        }
    }
}
