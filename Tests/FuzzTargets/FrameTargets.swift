import Assistant
import FrameFamily
import REPL
import Support

extension FuzzTarget {
    /// Notifications to a host that waits for an answer at a Frame's prompt. Each is a length and its bytes; with the upper bit of the
    /// length they are what an answer says, which gets its key and checksum here.
    static let luaPrompt = FuzzTarget("lua-prompt", seeds: { [Samples.luaAnswers] }) { input in
        var machine = LuaMachine(key: Samples.luaKey, payloadSize: 244)
        var isWaiting = false
        for (flag, bytes) in Samples.pieces(of: input) {
            if !isWaiting { try check(machine.run(try LuaCode("return 1")), isWaiting: true) }
            isWaiting = true
            let actions = machine.receive(flag ? Samples.luaAnswer(bytes) : bytes)
            isWaiting = try check(actions, isWaiting: isWaiting)
            try check(machine.silence(), isWaiting: true)
        }
    }

    /// - Returns: whether an answer is still waited for.
    @discardableResult
    private static func check(_ actions: [LuaMachine.Action], isWaiting: Bool) throws -> Bool {
        var answers = 0
        for action in actions {
            switch action {
            case .write(let packet):
                try BrokenPromise.check(packet.count <= 244 && !packet.contains(0), "a packet that no unit takes")
            case .answered(let answer):
                answers += 1
                if case .success(let bytes) = answer {
                    try BrokenPromise.check(bytes.count <= LuaMachine.answerLimit, "an answer of \(bytes.count) bytes")
                }
            case .notification(let notification):
                guard case .text(let text) = notification else { continue }
                try BrokenPromise.check(!text.starts(with: Array("\(Samples.luaKey) ".utf8)), "an answer is taken for a print")
            }
        }
        try BrokenPromise.check(answers <= (isWaiting ? 1 : 0), "\(answers) answers to one command")
        return isWaiting && answers == 0
    }

    /// What comes over a Frame's link in a chat: pieces as above, with the upper bit behind the byte that marks a message. A second
    /// passes between two of them.
    static let frameMessages = FuzzTarget("frame-messages", seeds: { [Samples.frameMessages] }) { input in
        var limits = RecordingLimits()
        limits.photoBytes = 400
        limits.recordingSeconds = 1
        var relay = ChatSupport.frameRelay(recording: limits)
        relay.linkUp(payloadSize: 244)
        var now = SessionClock.Instant(offset: .zero)
        for (number, (flag, bytes)) in Samples.pieces(of: input).enumerated() {
            now = now.advanced(by: .seconds(1))
            let asked = number.isMultiple(of: 5) ? relay.confirm(ConfirmationID("\(number)"), now: now) : []
            try check(asked + relay.receive((flag ? [0x01] : []) + bytes, now: now) + relay.advance(now: now), limits)
        }
        try check(relay.linkDown(), limits)
    }

    private static func check(_ events: [RelayEvent], _ limits: RecordingLimits) throws {
        for event in events {
            switch event {
            case .send(let packet), .complaint(let packet):
                try BrokenPromise.check(packet.count <= 244 && packet.first == 0x01, "a packet that is no message")
            case .utterance(let utterance):
                try BrokenPromise.check(utterance.sound.samples.count <= limits.recordingSeconds * 8000, "too much sound")
            case .version(let text): try BrokenPromise.check(text == PrintableText.of(text.utf8), "a version that is not printable")
            default: break
            }
        }
    }
}

extension Samples {
    static let luaKey = "0123456789abcdef"

    /// What follows the key, with its checksum.
    static func luaAnswer(_ rest: [UInt8]) -> [UInt8] {
        let content = Array("\(luaKey) ".utf8) + rest
        let check = String(CRC32.of(content), radix: 16)
        return content + Array((" " + String(repeating: "0", count: 8 - check.count) + check).utf8)
    }

    static let luaAnswers = piece("1 1 6 +12345", marked: true) + piece("2 1 400 +1", marked: true) + piece("2 2 400 2", marked: true)
        + piece("[string \"x\"]:1: break signal") + piece("attempt to index a nil value (global '_nf')") + piece("\u{1}\u{18}v1")

    static let frameMessages =
        piece("\u{18}SHA256 digest: 1", marked: true) + piece("\u{1A}1", marked: true) + piece("\u{10}", marked: true)
        + piece("\u{13}\u{7F}picture", marked: true) + piece("\u{12}sound", marked: true) + piece("\u{16}", marked: true)
        + piece("12 0123abcd", marked: true) + piece("\u{1D}5", marked: true) + piece("printed") + piece("\u{19}", marked: true)

    private static func piece(_ text: String, marked: Bool = false) -> [UInt8] {
        [UInt8(text.utf8.count) | (marked ? 0x80 : 0)] + Array(text.utf8)
    }

    /// Each begins with its length in the lower 7 bits.
    static func pieces(of input: [UInt8]) -> [(flag: Bool, bytes: [UInt8])] {
        var pieces: [(Bool, [UInt8])] = []
        var rest = input[...]
        while let head = rest.popFirst() {
            pieces.append((head & 0x80 != 0, Array(rest.prefix(Int(head & 0x7F)))))
            rest = rest.dropFirst(Int(head & 0x7F))
        }
        return pieces
    }
}
