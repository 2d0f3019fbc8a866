import Support

/// What a write asks for (`command_parser.c`). Anything else is swallowed.
enum KeyboardCommand {
    case backspaces(UInt8)
    /// As it came, without an end.
    case text([UInt8])
    case enter
    case control(UInt8)

    /// What the firmware copies of a write, in bytes; the rest is dropped without a word.
    private static let longestWrite = 256
    private static let tracedText = 28

    init?(_ value: [UInt8]) {
        let value = value.prefix(Self.longestWrite)
        switch (value.first, value.dropFirst().first) {
        case (1, let count?): self = .backspaces(count)
        case (2, .some): self = .text(Array(value.dropFirst()))
        case (3, _): self = .enter
        case (4, let letter?): self = .control(letter)
        default: return nil
        }
    }

    /// As `GET /trace` shows it.
    var trace: [UInt8] {
        switch self {
        case .backspaces(let count): Array("BS x\(count)".utf8)
        case .text(let text):
            Array("TXT: ".utf8) + text.prefix(Self.tracedText).prefix { $0 != 0 } + (text.count > Self.tracedText ? Array("...".utf8) : [])
        case .enter: Array("ENTER".utf8)
        case .control(let letter): Array("CTRL+".utf8) + [letter]
        }
    }
}

/// One task that types, key by key (`usb_hid.c`): pressed for 50 ms, then 20 ms of nothing, with FreeRTOS's clock of 100 Hz.
struct KeyboardTypist {
    enum Task: Hashable, Sendable {
        case bluetooth
        case web
    }

    struct Step {
        var report: KeyboardReport
        /// Until the next step.
        var pause: Duration
        /// As `GET /trace` shows it; `nil` of a release.
        var key: [UInt8]?
        /// The key comes from behind the text's end.
        var isOverread = false
    }

    private static let pressTime = Duration.milliseconds(50)
    private static let releaseTime = Duration.milliseconds(20)
    private static let leftControl: UInt8 = 0x01
    private static let (backspace, enter): (UInt8, UInt8) = (0x2A, 0x28)

    private enum Work {
        case keys(KeyboardReport, left: Int, trace: [UInt8])
        case text
    }

    private var work: Work
    private var isDown = false
    /// The text, its end, and what lies behind it.
    private var memory: [UInt8] = []
    private var textEnd = 0
    private var position = 0
    private var typedKeys = 0

    /// - Parameter stack: what an earlier text left where this one lies.
    init(_ command: KeyboardCommand, stack: [UInt8]) {
        switch command {
        case .backspaces(let count):
            let trace = Array("BS K:0x2A".utf8)
            work = .keys(KeyboardReport(usage: Self.backspace, modifiers: 0), left: Int(count), trace: trace)
        case .enter: work = .keys(KeyboardReport(usage: Self.enter, modifiers: 0), left: 1, trace: Array("ENTER K:0x28".utf8))
        case .control(let letter):
            let place = letter | 0x20
            let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(place)
            let usage = isLetter ? place - UInt8(ascii: "a") + 0x04 : 0
            // The trace names Shift's bit.
            let trace = Array("CTRL+".utf8) + [letter] + Array(" K:\(Self.hex(usage)) M:0x02".utf8)
            work = .keys(KeyboardReport(usage: usage, modifiers: Self.leftControl), left: isLetter ? 1 : 0, trace: trace)
        case .text(let text):
            work = .text
            memory = text + [0] + stack.dropFirst(text.count + 1) + [0]
            textEnd = text.count
        }
    }

    /// - Returns: `nil` when all is typed.
    mutating func next(layout: KeyboardLayoutName) -> Step? {
        if isDown {
            isDown = false
            return Step(report: .release, pause: Self.releaseTime)
        }
        switch work {
        case .keys(_, left: 0, _): return nil
        case .keys(let report, let left, let trace):
            work = .keys(report, left: left - 1, trace: trace)
            isDown = true
            return Step(report: report, pause: Self.pressTime, key: trace)
        case .text: return nextOfText(layout)
        }
    }

    private mutating func nextOfText(_ layout: KeyboardLayoutName) -> Step? {
        while position < memory.count, memory[position] != 0 {
            let place = position
            guard let key = layout.key(for: takeCodePoint()) else { continue }
            let shown = typedKeys < memory.count ? memory[typedKeys] : 0
            typedKeys += 1
            isDown = true
            return Step(report: key, pause: Self.pressTime, key: Self.trace(of: shown, key), isOverread: place > textEnd)
        }
        return nil
    }

    /// The lead byte alone says how many follow it; nobody looks at those.
    private mutating func takeCodePoint() -> UInt32 {
        let lead = memory[position]
        let (count, bits): (Int, UInt8) = switch lead {
        case 0..<0x80: (1, 0x7F)
        case 0xC0..<0xE0: (2, 0x1F)
        case 0xE0..<0xF0: (3, 0x0F)
        case 0xF0..<0xF8: (4, 0x07)
        default: (1, 0)
        }
        var codePoint = UInt32(lead & bits)
        for offset in 1..<4 where offset < count {
            let next = position + offset
            codePoint = codePoint << 6 | UInt32(next < memory.count ? memory[next] & 0x3F : 0)
        }
        position += count
        return codePoint
    }

    /// It names the text's byte whose number is that of the key, which is another character's after any of several bytes.
    private static func trace(of byte: UInt8, _ key: KeyboardReport) -> [UInt8] {
        let name = (32..<127).contains(byte) ? [0x27, byte, 0x27] : Array(hex(byte).utf8)
        return name + Array(" K:\(hex(key.usage)) M:\(hex(key.modifiers))".utf8)
    }

    private static func hex(_ byte: UInt8) -> String { "0x" + HexText.encode([byte]).uppercased() }
}
