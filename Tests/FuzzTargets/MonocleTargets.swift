import Assistant
import MonocleFamily
import Support

extension FuzzTarget {
    /// What comes over a Monocle's link in a chat. A second passes between two messages.
    static let monocleMessages = FuzzTarget("monocle-messages", seeds: { [Samples.monocleMessages] }) { input in
        var relay = ChatSupport.monocle.makeRelay()
        relay.linkUp(payloadSize: 244)
        var now = SessionClock.Instant(offset: .zero)
        for (number, (isAnswered, bytes)) in Samples.pieces(of: input).enumerated() {
            now = now.advanced(by: .seconds(1))
            let asked = number.isMultiple(of: 5) ? relay.confirm(ConfirmationID("\(number)"), now: now) : []
            try check(asked + relay.receive(bytes, now: now) + relay.advance(now: now))
            guard isAnswered else { continue }
            for packet in relay.packets(for: .answer(PrintableText.of(bytes), isFirst: true, isLast: true)) { try check([.send(packet)]) }
        }
        try check(relay.linkDown())
    }

    private static func check(_ events: [RelayEvent]) throws {
        for event in events {
            switch event {
            case .send(let packet), .complaint(let packet):
                try BrokenPromise.check((4...244).contains(packet.count), "a packet of \(packet.count) bytes")
            case .utterance(let utterance):
                try BrokenPromise.check(utterance.sound.samples.count <= 8000 * 60, "too much sound")
            case .version(let text): try BrokenPromise.check(text == PrintableText.of(text.utf8), "a version that is not printable")
            default: break
            }
        }
    }
}

extension Samples {
    private static func message(_ text: String, isAnswered: Bool = false) -> [UInt8] {
        [UInt8(text.utf8.count) | (isAnswered ? 0x80 : 0)] + Array(text.utf8)
    }

    static let monocleMessages = message("rdy:rolls got") + message("ist:") + message("idt:\u{7F}picture") + message("ien:")
        + message("ast:") + message("dat:sound of it") + message("aen:", isAnswered: true) + message("got:12 0123abcd") + message("pon:0")
        + message("can:") + message("xyz:\u{1B}[2J")
}
