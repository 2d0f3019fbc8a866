import Bluetooth
import Support
import TestSupport
import Testing

@testable import Assistant
@testable import FrameFamily
@testable import MonocleFamily

/// What comes of sound, picture and text, however a program mixes them.
@Suite struct InterleavingTests {
    private let start = SessionClock.Instant(offset: .seconds(100))

    /// The tracks mixed at random, each in its own order.
    private func mixed(_ tracks: [[[UInt8]]], _ numbers: inout SeededNumbers) -> [[UInt8]] {
        var rest = tracks.map { $0[...] }
        var result: [[UInt8]] = []
        while let track = rest.indices.filter({ !rest[$0].isEmpty }).randomElement(using: &numbers) {
            result.append(rest[track].removeFirst())
        }
        return result
    }

    private func pieces(_ bytes: [UInt8], _ numbers: inout SeededNumbers) -> [[UInt8]] {
        var (rest, result): (ArraySlice<UInt8>, [[UInt8]]) = (bytes[...], [])
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...60, using: &numbers))
            (rest, result) = (rest.dropFirst(piece.count), result + [Array(piece)])
        }
        return result
    }

    private func play(_ packets: [[UInt8]], to relay: inout some AppRelay) -> [RelayEvent] {
        packets.flatMap { relay.receive($0, now: start) }.filter { if case .send = $0 { false } else { true } }
    }

    private func frame(_ kind: FrameMessage, _ bytes: [UInt8], _ numbers: inout SeededNumbers) -> [[UInt8]] {
        pieces(bytes, &numbers).map { kind.packet($0) }
    }

    @Test(arguments: 0..<200 as Range<UInt64>) func aFrameLosesNothing(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        let jpeg = [0xFF, 0xD8, 0xFF] + numbers.bytes(count: Int.random(in: 0...400, using: &numbers))
        let sound = numbers.bytes(count: Int.random(in: 1...400, using: &numbers))
        let text = seed % 2 == 0 ? "What is größer? ".repeated(Int.random(in: 1...9, using: &numbers)) : ""
        let tracks = [
            frame(.image, jpeg, &numbers), frame(.audio, sound, &numbers), frame(.text, Array(text.utf8), &numbers),
        ]
        var relay = FrameRelay()
        relay.linkUp(payloadSize: 244)
        let events = play([FrameMessage.start.packet()] + mixed(tracks, &numbers) + [FrameMessage.end.packet()], to: &relay)
        let photo = Photo(jpeg: jpeg)
        #expect(events == [.recordingStarted, .photo(photo), .utterance(Utterance(sound: Sound(bytes: sound), photo: photo, text: text))])
    }

    private func monocle(_ command: String, _ bytes: [UInt8], _ numbers: inout SeededNumbers) -> [[UInt8]] {
        pieces(bytes, &numbers).map { Array(command.utf8) + $0 }
    }

    @Test(arguments: 0..<200 as Range<UInt64>) func aMonocleLosesNothing(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        let (jpeg, sound) = (
            numbers.bytes(count: Int.random(in: 1...400, using: &numbers)), numbers.bytes(count: Int.random(in: 1...400, using: &numbers))
        )
        let picture = [Array("ist:".utf8)] + monocle("idt:", jpeg, &numbers) + [Array("ien:".utf8)]
        var relay = MonocleRelay()
        relay.linkUp(payloadSize: 253)
        let begin = seed % 2 == 0 ? [Array("ast:".utf8)] : []
        let events = play(begin + mixed([picture, monocle("dat:", sound, &numbers)], &numbers) + [Array("aen:".utf8)], to: &relay)
        let photo = Photo(jpeg: jpeg)
        #expect(events == [.recordingStarted, .photo(photo), .utterance(Utterance(sound: Sound(bytes: sound), photo: photo))])
    }

    /// A picture that does not become one is told, whatever ends it.
    @Test func aPictureThatIsCutIsTold() {
        let told = RelayEvent.notice(.photoIncomplete(byteCount: 2))
        let (loud, image) = ([UInt8](repeating: 9, count: 4000), FrameMessage.image.packet([0xFF, 0xD8]))
        var frame = FrameRelay()
        frame.linkUp(payloadSize: 244)
        let begun = play([FrameMessage.start.packet(), image, FrameMessage.start.packet()], to: &frame)
        #expect(begun == [.recordingStarted, told, .recordingStarted])
        _ = play([FrameMessage.audio.packet(loud), image], to: &frame)
        #expect(frame.linkDown() == [told, .utterance(Utterance(sound: Sound(bytes: loud), cut: .linkLost))])
        frame.linkUp(payloadSize: 244)
        _ = play([FrameMessage.start.packet(), image, FrameMessage.audio.packet(loud)], to: &frame)
        let photo = Photo(jpeg: [0xFF, 0xD8])
        #expect(frame.linkDown() == [.photo(photo), .utterance(Utterance(sound: Sound(bytes: loud), photo: photo, cut: .linkLost))])

        for last in ["aen:", "ist:", "ast:"] {
            var monocle = MonocleRelay()
            monocle.linkUp(payloadSize: 253)
            let packets =
                ["dat:", "ist:"].map { Array($0.utf8) + ($0 == "dat:" ? loud : []) } + [Array("idt:".utf8) + [1, 2], Array(last.utf8)]
            let events = play(packets, to: &monocle)
            #expect(events.contains(told), "\(last): \(events)")
            #expect(last != "aen:" || events.last == .utterance(Utterance(sound: Sound(bytes: loud))))
        }
    }

    // MARK: - Text of the program's own

    @Test func aTextThatEndsWithoutSoundIsAsked() {
        var relay = FrameRelay()
        relay.linkUp(payloadSize: 244)
        let packets = [
            FrameMessage.start.packet(), FrameMessage.text.packet("Where am ".utf8), FrameMessage.text.packet("I?".utf8),
            FrameMessage.end.packet()
        ]
        #expect(play(packets, to: &relay) == [.recordingStarted, .utterance(Utterance(sound: Sound(bytes: []), text: "Where am I?"))])
    }

    @Test func aTextWithoutItsEndIsAskedWhenNothingMoreComes() {
        var relay = FrameRelay()
        relay.linkUp(payloadSize: 244)
        #expect(play([FrameMessage.text.packet("Where?".utf8)], to: &relay) == [.recordingStarted])
        let events = relay.advance(now: start.advanced(by: .seconds(8)))
        #expect(events.last == .utterance(Utterance(sound: Sound(bytes: []), text: "Where?", cut: .stalled)))
    }

    @Test func anEndlessTextIsBounded() {
        var relay = FrameRelay()
        relay.linkUp(payloadSize: 244)
        let packets = Array(repeating: FrameMessage.text.packet([UInt8](repeating: 0x61, count: 242)), count: 1000)
        guard case .utterance(let utterance)? = play(packets + [FrameMessage.end.packet()], to: &relay).last else {
            return #expect(Bool(false))
        }
        #expect(utterance.text.utf8.count == 8192)
    }
}

extension String {
    fileprivate func repeated(_ count: Int) -> String { String(repeating: self, count: count) }
}
